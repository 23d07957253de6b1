package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/**
 * Checkpoints are changed at random places and their sums made right: a run that goes on from one is refused, ends with
 * an error or goes on, but never touches memory outside of its regions. Runs in processes of its own, without
 * assertions and with {@link Region#BOUNDS}, as a resumed run does; {@code -Dfuzz.places=10000} changes more.
 */
class ChangedCheckpointFuzzTest {
    private static final int PLACES = Integer.getInteger("fuzz.places", 100);
    private static final int STOP = 150;
    private static final long SLOTS = 400;
    private static final long MOST_CPU_NS = 1_500_000_000L;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    private static FabricParts parts(final String name) {
        final Phased schedule = new Phased(2, 4);
        return Parts.of(name.equals("shoal") ? Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.values()[0], true, 5)
            : new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 5, 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shoal"})
    void neverLeavesItsMemory(final String name) throws Exception {
        final Path file = folder.resolve("state");
        try (LockStep engine = new LockStep(parts(name), flows(), Faults.NONE, 1, false)) {
            engine.run(SLOTS, (slot, delivered, completed) -> slot < STOP);
            engine.state().save(file, "test");
        }
        final Tally tally = new Tally();
        int place = 0;
        while (place < PLACES) {
            place = fromPlace(place, name, file, tally);
        }
        assertTrue(tally.failed > 0, "no change was found out: " + tally);
        System.out.println(name + ": " + tally);
    }

    /** Of the places so far. */
    private static final class Tally {
        private int toTheEnd;
        private int failed;
        private int endless;

        @Override
        public String toString() {
            return toTheEnd + " to the end, " + failed + " failed, " + endless + " without end";
        }
    }

    /** Tries places in another process until one has no end; returns the first that it has not tried. */
    private int fromPlace(final int first, final String name, final Path file, final Tally tally) throws Exception {
        final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-da", "-D" + Region.BOUNDS + "=true", "-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-XX:ErrorFile=" + folder.resolve("error"),
            "-cp", classPath(),
            getClass().getName(), name, file.toString(), Integer.toString(first), Integer.toString(PLACES))
            .redirectErrorStream(true).start();
        int place = first;
        final StringBuilder said = new StringBuilder();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                switch (line) {
                    case "END" -> tally.toTheEnd++;
                    case "FAILED" -> tally.failed++;
                    case "ENDLESS" -> tally.endless++;
                    default -> {
                        continue;
                    }
                }
                place++;
            }
        }
        final int at = place;
        assertEquals(0, process.waitFor(), () -> name + " place=" + at + ": " + said);
        return place;
    }

    private static String classPath() throws Exception {
        final List<String> parts = new ArrayList<>(List.of(Path.of("target", "classes").toString(),
            Path.of("target", "test-classes").toString()));
        for (final Class<?> type : List.of(Region.class, CellFormat.class, Phased.class, Agent.class)) {
            parts.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        return String.join(File.pathSeparator, parts);
    }

    /**
     * Says of each place what came of it, until one has no end: a list that leads back to itself does no harm, but its
     * thread ends only with the process.
     */
    public static void main(final String[] arguments) throws Exception {
        final FabricParts parts = parts(arguments[0]);
        final Path file = Path.of(arguments[1]);
        final byte[] whole = Files.readAllBytes(file);
        final int end = Integer.parseInt(arguments[3]);
        String result = "";
        for (int place = Integer.parseInt(arguments[2]); place < end && !result.equals("ENDLESS"); place++) {
            final Path changed = file.resolveSibling("changed");
            Files.write(changed, changed(whole, new Random(place)));
            result = result(() -> resumed(parts, changed));
            System.out.println(result);
        }
    }

    private static String result(final Callable<String> resumed) throws Exception {
        final FutureTask<String> run = new FutureTask<>(resumed);
        final Thread thread = new Thread(run);
        thread.setDaemon(true);
        thread.start();
        while (THREADS.getThreadCpuTime(thread.threadId()) < MOST_CPU_NS) {
            try {
                return run.get(100, TimeUnit.MILLISECONDS);
            } catch (final TimeoutException e) {
                assert e != null;
            }
        }
        return "ENDLESS";
    }

    private static String resumed(final FabricParts parts, final Path changed) {
        try (LockStep engine = new LockStep(parts, flows(), Faults.NONE, 1, false)) {
            engine.state().restore(Checkpoint.open(changed));
            engine.run(SLOTS);
            return "END";
        } catch (final IOException | RuntimeException | AssertionError | OutOfMemoryError e) {
            return "FAILED";
        }
    }

    private static FlowSet flows() {
        return Flows.random(3, 16, 200, 100, 1);
    }

    private static byte[] changed(final byte[] whole, final Random random) {
        final byte[] bytes = whole.clone();
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final int most = bytes.length - 2 * Long.BYTES;
        for (int i = random.nextInt(4); i >= 0; i--) {
            final int at = 16 + random.nextInt(most - 16);
            switch (random.nextInt(4)) {
                case 0 -> buffer.put(at, (byte) random.nextInt());
                case 1 -> buffer.putLong(at, random.nextLong());
                case 2 -> buffer.putInt(at, 0x3fff_ffff);
                default -> {
                    for (int k = at & -Long.BYTES; k < Math.min(most, at + 480); k += Long.BYTES) {
                        buffer.putLong(k, 0x3fff_ffff_3fff_ffffL);
                    }
                }
            }
        }
        final CRC32C sum = new CRC32C();
        sum.update(bytes, 0, bytes.length - Long.BYTES);
        return buffer.putLong(bytes.length - Long.BYTES, sum.getValue()).array();
    }
}
