package dev.skerry.tools.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.spi.RunOptions;
import dev.skerry.together.MemoryExchange;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.members.Members;
import dev.skerry.tools.members.Members.MemberAddress;
import dev.skerry.tools.report.RunResult.Measure;
import dev.skerry.tools.run.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** A run of members, each a thread, from its options to its result. */
final class MemberRunTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {
        "--nodes 64 --slots 1500 --load 0.2",
        "--nodes 60 --slots 1500 --load 0.2 --h 3 --cc hbh+spray-bucket+priority",
        "--nodes 64 --slots 1500 --load 0.2 --cc ndp",
        "--nodes 64 --slots 1500 --load 0.2 --cc hbh+spray-short+isd",
        "--nodes 64 --slots 1500 --load 0.2 --cc isd+rd",
        "--nodes 64 --slots 1500 --load 0.2 --interleave 2:0.5,3:0.5 --cutoff-bytes 10000",
        "--fabric shoal --nodes 32 --slots 1500 --load 0.3",
        "--fabric shoal --nodes 32 --slots 1500 --load 0.3 --propagation-slots 9 --class-bytes 2000",
        "--fabric stardust --nodes 16 --slots 1500 --load 0.3",
        "--fabric stardust --nodes 16 --slots 1500 --load 0.3 --hosts tcp",
    })
    void shouldReportWhatOneProcessReports(final String line) {
        final List<String> one = alone(line);
        for (final List<String> each : together(line, 3, "")) {
            assertEquals(one, each, line);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--nodes 64 --slots 1500 --load 0.2", "--fabric shoal --nodes 16 --slots 1500 --load 0.3"})
    void shouldReportTheSameWithFaults(final String line) throws IOException {
        final Path script = Files.writeString(folder.resolve("faults"),
            "0 corrupt 0.001\n300 node 5 down\n400 link 3 2 down\n900 node 5 up\n1200 link 3 2 up\n");
        final String faulty = line + " --faults " + script;
        final List<String> one = alone(faulty);
        for (final List<String> each : together(faulty, 3, "")) {
            assertEquals(one, each, faulty);
        }
    }

    /** The last part of one member is lost: all go on from the set before. */
    @ParameterizedTest
    @CsvSource({"700, false", "1300, true"})
    void shouldGoOnFromASetThatIsComplete(final int every, final boolean isLastLost) throws IOException {
        final String line = "--nodes 64 --slots 4000 --load 0.2";
        final List<String> one = alone(line);
        final String keep = " --checkpoint " + folder + " --checkpoint-every " + every + "slots";
        together(line, 3, keep);
        assertEquals(6, parts().size(), "two parts of each member are kept: " + parts());
        if (isLastLost) {
            final Path last = parts().stream().filter(part -> part.toString().contains("member-1-of-3"))
                .max((a, b) -> Long.compare(slot(a), slot(b))).orElseThrow();
            Files.delete(last);
        }
        final long expected = parts().stream().filter(part -> part.toString().contains("member-1-of-3"))
            .mapToLong(MemberRunTest::slot).max().orElseThrow();
        final StringWriter said = new StringWriter();
        for (final List<String> each : together(line, 3, " --resume " + folder, said)) {
            assertEquals(one, each);
        }
        assertTrue(said.toString().contains("resumed at slot " + expected), said.toString());
    }

    @Test
    void shouldRefuseWhereNoSetIsComplete() throws IOException {
        final String line = "--nodes 64 --slots 2000 --load 0.2";
        together(line, 2, " --checkpoint " + folder + " --checkpoint-every 900slots");
        for (final Path part : parts()) {
            if (part.toString().contains("member-1-of-2")) {
                Files.delete(part);
            }
        }
        final Exception refused = assertThrows(IllegalStateException.class,
            () -> together(line, 2, " --resume " + folder));
        assertTrue(refused.getMessage().contains("there is none"), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--mode threads | --mode: threads: with --members several processes run in lock step",
        "--nodes 1024 --threads 2 | --threads: 2: with --members each member has one thread",
        "--check | --check: with --members",
        "--fabric shoal --shoal-rule authors-simulator | its count of parked cells",
    })
    void shouldRefuseWhatTakesOneProcess(final String line, final String why) {
        final InputException refused = assertThrows(InputException.class,
            () -> RunDone.checkTogether(scenario(line), false, false), line);
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }

    @Test
    void shouldNameWhatMembersDifferIn() {
        final List<MemberGroup> groups = groups(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            final List<Future<?>> running = new ArrayList<>();
            for (final MemberGroup group : groups) {
                running.add(threads.submit(() -> group.agree("build=1\nseed=" + group.self())));
            }
            final Exception refused = assertThrows(ExecutionException.class, () -> running.get(0).get());
            assertTrue(refused.getMessage().contains("--members: member 1 (127.0.0.1:1002): its command or build "
                + "differs: "
                + "seed=1, not seed=0, start all"), refused.getMessage());
            assertThrows(ExecutionException.class, () -> running.get(1).get());
        }
    }

    private List<Path> parts() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        }
    }

    private static long slot(final Path part) {
        return Long.parseLong(part.getFileName().toString().replaceAll(".*slot-|\\.skerry", ""));
    }

    private static Scenario scenario(final String line) {
        return Scenario.of(RunOptions.of(line.split(" ")));
    }

    private static List<String> alone(final String line) {
        try (StopSignal stop = StopSignal.listen()) {
            return words(RunDone.of(scenario(line), stop, new PrintWriter(new StringWriter())));
        }
    }

    private static List<List<String>> together(final String line, final int count, final String checkpoints) {
        return together(line, count, checkpoints, new StringWriter());
    }

    private static List<List<String>> together(final String line, final int count, final String checkpoints,
        final StringWriter said) {
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            final List<Future<List<String>>> running = new ArrayList<>();
            for (final MemberGroup group : groups(count)) {
                running.add(threads.submit(() -> member(line, group, checkpoints, said)));
            }
            final List<List<String>> results = new ArrayList<>();
            for (final Future<List<String>> each : running) {
                results.add(each.get());
            }
            return results;
        } catch (final InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        }
    }

    private static List<String> member(final String line, final MemberGroup group, final String checkpoints,
        final StringWriter said) {
        final Scenario scenario = scenario(line);
        RunDone.checkTogether(scenario, false, false);
        final PrintWriter err = new PrintWriter(said);
        try (group; StopSignal stop = StopSignal.listen()) {
            return group.together(() -> words(RunDone.of(scenario, null, stop, CommandLine.populateCommand(
                new CheckpointOptions(), checkpoints.isEmpty() ? new String[0] : checkpoints.strip().split(" "))
                .checkpoints(scenario, false, group), null, group, err)));
        } finally {
            err.flush();
        }
    }

    private static List<MemberGroup> groups(final int count) {
        final List<MemberAddress> all = new ArrayList<>();
        final List<MemberGroup> groups = new ArrayList<>();
        final MemoryExchange[] exchanges = MemoryExchange.of(count);
        for (int member = 0; member < count; member++) {
            all.add(new MemberAddress("127.0.0.1", 1001 + member));
        }
        for (int member = 0; member < count; member++) {
            groups.add(new MemberGroup(new Members(all, member, "test", Duration.ofSeconds(60), null),
                exchanges[member]));
        }
        return groups;
    }

    /** All that a report says but times and memory. */
    private static List<String> words(final RunDone done) {
        final List<String> words = new ArrayList<>();
        done.result().measures().stream().map(Measure::toString)
            .filter(text -> !text.contains("memoryBytes") && !text.contains("exchange") && !text.contains("Seconds")
                && !text.contains("PerSecond"))
            .forEach(words::add);
        words.add(String.valueOf(done.firstDrop()));
        return words;
    }
}
