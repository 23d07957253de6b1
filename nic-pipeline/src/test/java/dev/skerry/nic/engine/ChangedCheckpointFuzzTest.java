package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.Engine;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/**
 * Checkpoints are changed at random places and their sums made right: a run that goes on from one is refused, ends with
 * an error or goes on, but never touches memory outside of its regions. Of use with assertions off and bounds on
 * ({@code -DenableAssertions=false}, {@code JAVA_TOOL_OPTIONS=-Dskerry.bounds=true}); {@code -Dfuzz.places=10000}
 * changes more.
 */
class ChangedCheckpointFuzzTest {
    private static final int PLACES = Integer.getInteger("fuzz.places", 100);
    private static final int STOP = 150;
    private static final long SLOTS = 400;
    private static final long MOST_MS = 2_000;
    private static final int MOST_ENDLESS = 6;

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
        assumeTrue(Region.class.desiredAssertionStatus() || Boolean.getBoolean(Region.BOUNDS),
            "bounds are not checked");
        final FabricParts parts = parts(name);
        final FlowSet flows = Flows.random(3, 16, 200, 100, 1);
        final Path file = folder.resolve("state");
        try (LockStep engine = new LockStep(parts, flows, Faults.NONE, 1, false)) {
            engine.run(SLOTS, (slot, delivered, completed) -> slot < STOP);
            engine.state().save(file, "test");
        }
        final byte[] whole = Files.readAllBytes(file);
        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger done = new AtomicInteger();
        int endless = 0;
        for (int place = 0; place < PLACES && endless < MOST_ENDLESS; place++) {
            final Path changed = folder.resolve("changed-" + place);
            Files.write(changed, changed(whole, new Random(place)));
            final Thread run = new Thread(() -> {
                try (LockStep engine = new LockStep(parts, flows, Faults.NONE, 1, false)) {
                    engine.state().restore(Checkpoint.open(changed));
                    engine.run(SLOTS, GO_ON);
                } catch (final IOException | RuntimeException | AssertionError | OutOfMemoryError e) {
                    failed.incrementAndGet();
                }
                done.incrementAndGet();
            });
            run.setDaemon(true);
            run.start();
            // A list that leads back to itself has no end, but does no harm either.
            run.join(MOST_MS);
            endless += run.isAlive() ? 1 : 0;
            Files.delete(changed);
        }
        assertTrue(failed.get() > 0, "no change was found out in " + done);
        System.out.println(name + ": " + done + " done, " + failed + " failed, " + endless + " without end");
    }

    private static final Engine.Watch GO_ON = (slot, delivered, completed) -> true;

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
