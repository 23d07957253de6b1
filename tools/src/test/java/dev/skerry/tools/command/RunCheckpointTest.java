package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** A run that is gone on with from a checkpoint ends as one that was never stopped; other files are refused. */
final class RunCheckpointTest {
    private static final String SHALE = "run --nodes 64 --slots 2000 --cc ";
    /** NDP that cuts cells and sends them again. */
    private static final String RESENDS = "run --nodes 8 --h 1 --cc ndp --rd-max-queue 1 --rd-cells-per-pull 2 "
        + "--rd-budget 20 --propagation-slots 1 --workload incast --incast-senders 7 --flow-bytes 12200 --slots 300";
    private static final String FILE = "checkpoint.skerry";
    /** Of time, or of the machine. */
    private static final List<String> TIMES = List.of("wallSeconds", "nodeSlotsPerSecond", "linkSlotsPerSecond",
        "waitedSeconds", "aloneSeconds", "processorSeconds", "threadsRun");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {
        SHALE + "hbh+spray", RESENDS,
        "run --fabric shoal --nodes 32 --slots 2000 --faults FAULTS"})
    void shouldEndAsARunThatWasNeverStopped(final String line) throws IOException {
        compare(line, 21, 1);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {
        SHALE + "none", SHALE + "hbh", SHALE + "spray-short", SHALE + "hbh+spray --threads 2",
        SHALE + "hbh+spray --check", SHALE + "hbh+spray-bucket", SHALE + "hbh+spray+isd",
        SHALE + "hbh+spray+priority", SHALE + "ndp", SHALE + "rd", SHALE + "hbh+spray --propagation-ns 0",
        SHALE + "spray-short --faults FAULTS --respray-last-hop", SHALE + "hbh+spray --faults FAULTS",
        "run --nodes 64 --interleave 3:1/2,1:1/2 --cutoff-bytes 10000 --slots 2000",
        "run --fabric shoal --nodes 64 --slots 2000 --workload permutation --propagation-ns 100",
        "run --fabric shoal --nodes 32 --slots 2000 --faults FAULTS",
        "run --fabric stardust --topology n432 --workload incast --incast-senders 20 --hosts tcp --slots 0",
        "run --fabric stardust --topology n432 --hosts tcp --slots 4000",
        "run --fabric stardust --topology n432 --hosts dctcp --slots 4000",
        "run --fabric stardust --topology n432 --hosts dcqcn --slots 4000",
        "run --fabric stardust --topology n432 --hosts mptcp --slots 4000",
        "run --fabric stardust --topology n432 --slots 4000 --faults DEVICES --threads 2",
        "run --nodes 64 --slots 20000 --mode threads --threads 2 --faults FAULTS",
        "run --fabric shoal --nodes 32 --slots 20000 --mode threads --threads 2",
        "run --fabric stardust --nodes 16 --slots 20000 --mode threads --threads 2"})
    void shouldEndAsARunThatWasNeverStoppedAtTenSlots(final String line) throws IOException {
        compare(line, 22, 10);
    }

    @Test
    void shouldRefuseFilesOfOtherUsersUnlessTrusted() throws IOException {
        final Path kept = folder.resolve("kept");
        final String run = SHALE + "none";
        assertEquals(0, Invocation.ofLine(run + " --checkpoint-every 1500slots --checkpoint " + kept).code());
        final Path file;
        try (Stream<Path> files = Files.list(kept)) {
            file = files.findFirst().orElseThrow();
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        Invocation.refuses(run + " --trust-checkpoint", "--trust-checkpoint");
        for (final Path open : List.of(kept, file)) {
            final Set<PosixFilePermission> before = Files.getPosixFilePermissions(open);
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            Invocation.refuses(run + " --resume " + kept, "--resume", "every user can write it");
            Files.setPosixFilePermissions(open, before);
        }
        assertEquals(0, Invocation.ofLine(run + " --resume " + kept).code());
        try {
            Files.setOwner(file, file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("65534"));
        } catch (final IOException notRoot) {
            assumeTrue(false, "only root can give a file to another user");
        }
        Invocation.refuses(run + " --resume " + kept, "--resume", "another user");
        assertEquals(0, Invocation.ofLine(run + " --resume " + kept + " --trust-checkpoint").code());
    }

    @Test
    void shouldRefuseFilesOfOtherRunsOrDamaged() throws IOException {
        final Path kept = folder.resolve("kept");
        final String run = SHALE + "none";
        final String resume = run + " --resume " + kept;
        Invocation.refuses(resume, "--resume", FILE, "there is none");
        assertEquals(0, Invocation.ofLine(run + " --checkpoint-every 1500slots --checkpoint " + kept).code());
        assertEquals(0, Invocation.ofLine(resume).code());
        Invocation.refuses(resume + " --seed 2", "--resume", "seed=1, not seed=2");
        Invocation.refuses(resume.replace("none", "hbh"), "--resume", "it belongs to another run");
        Invocation.refuses(resume + " --mode threads", "--resume", "threads");
        Invocation.refuses(run + " --checkpoint-every 5s", "--checkpoint-every", "add --checkpoint DIR");
        Invocation.refuses(run + " --checkpoint-every 0s --checkpoint " + kept, "--checkpoint-every", "0s");
        final byte[] whole = Files.readAllBytes(kept.resolve(FILE));
        final SplittableRandom random = new SplittableRandom(23);
        for (int i = 0; i < 10; i++) {
            final byte[] other = i % 2 == 0 ? whole.clone()
                : Arrays.copyOf(whole, random.nextInt(whole.length));
            if (i % 2 == 0) {
                other[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(kept.resolve(FILE), other);
            Invocation.refuses(resume, "--resume", FILE);
        }
    }

    @Test
    void shouldFindTheLastSlotOfARunThatEndsByItsFlowsInParts() throws IOException {
        final String line = SHALE + "none --max-flows 12";
        compare(line, 24, 1);
        final Path kept = folder.resolve("kept0");
        final JsonNode whole = summary(line, folder.resolve("again"));
        // As if it had been killed in the search.
        Files.delete(kept.resolve(FILE));
        Invocation.refuses(line + " --seed 2 --resume " + kept, "--resume", "search", "it belongs to another run");
        final Path search = kept.resolve("search").resolve(FILE);
        final byte[] searched = Files.readAllBytes(search);
        Files.delete(search);
        Invocation.refuses(line + " --seed 2 --resume " + kept, "--resume", "max-flows.txt", "it belongs to another "
            + "run");
        Files.write(search, searched);
        Files.delete(kept.resolve("max-flows.txt"));
        final Invocation resumed = Invocation.ofLine(line + " --resume " + kept + " --out " + folder.resolve("part"));
        resumed.says("resumed at slot ", "search");
        assertEquals(whole.get("digest"), new ObjectMapper().readTree(folder.resolve("part").resolve("summary.json")
            .toFile()).get("digest"));
        Invocation.refuses(line + " --resume " + folder.resolve("nothing"), "--resume", "there is none");
    }

    @Test
    void shouldBeginAtSlotZeroWhereNothingIsYet() {
        final String folders = " --checkpoint " + folder + " --resume " + folder;
        Invocation.ofLine(SHALE + "none --checkpoint-every 900slots" + folders).ok().says("checkpoint at slot ");
        assertTrue(Invocation.ofLine(SHALE + "none" + folders).err().contains("resumed at slot "));
        assertFalse(Files.exists(folder.resolve(FILE + ".partial")));
    }

    private void compare(final String text, final long seed, final int times) throws IOException {
        final Path faults = Files.writeString(folder.resolve("faults"),
            "300 link 3 9 down\n500 node 5 down\n1300 node 5 up\n1500 link 3 9 up\n800 corrupt 0.001\n");
        final Path devices = Files.writeString(folder.resolve("devices"),
            "1500 node 60 down\n3000 node 60 up\n");
        final String line = text.replace("FAULTS", faults.toString()).replace("DEVICES", devices.toString());
        final JsonNode whole = summary(line, folder.resolve("whole"));
        final long slots = whole.get("slots").asLong();
        final SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < times; i++) {
            final Path kept = folder.resolve("kept" + i);
            final long every = random.nextLong(slots / 8 + 1, slots / 2);
            final String where = line + " seed=" + seed + " every=" + every;
            final String written = line + " --checkpoint " + kept + " --checkpoint-every " + every + "slots";
            assertEquals(whole, summary(written, folder.resolve("parts" + i)), where);
            assertTrue(Files.exists(kept.resolve(FILE)), where);
            assertEquals(whole, summary(line + " --resume " + kept, folder.resolve("resumed" + i)), where);
            for (final String name : List.of("fct.csv", "queue-lengths.csv", "buffer-occupancy.csv")) {
                assertEquals(-1, Files.mismatch(folder.resolve("whole").resolve(name),
                    folder.resolve("resumed" + i).resolve(name)), where + " " + name);
            }
        }
    }

    private static JsonNode summary(final String line, final Path out) throws IOException {
        Invocation.ofLine(line + " --out " + out).ok();
        final JsonNode summary = new ObjectMapper().readTree(out.resolve("summary.json").toFile());
        for (final JsonNode part : List.of(summary, summary.path("events"))) {
            if (part instanceof final ObjectNode object) {
                object.remove(TIMES);
            }
        }
        return summary;
    }
}
