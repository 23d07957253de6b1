package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.skerry.dataplane.port.MemifEnd.MemifRegions;
import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import dev.skerry.dataplane.port.MemifLink;
import dev.skerry.dataplane.port.MemifReceiver;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.MemifSender;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * The second line of defence: shared memory shrinks as if the seal did not hold. The test's file has no seal. The test
 * truncates it under the rings, before, while and after their code is compiled.
 */
@EnabledOnOs(OS.LINUX)
final class MemifMemoryLostTest {
    private static final int LOG2 = 4;
    private static final int BUFFER = 2048;
    private static final int LINE = MemifRing.LINE_BYTES;

    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "30000, false", "30000, true"})
    void shouldBeAFaultOfTheLinkOnly(final int rounds, final boolean buffersOnly) {
        cut(rounds, buffersOnly);
    }

    /** Compiled code goes on after the fault: without {@code MappedAccess} a third of these runs throws. */
    @RepeatedTest(200)
    void shouldBeAFaultOfTheLinkOnlyWheneverItIsCompiled(final RepetitionInfo info) {
        final int seed = info.getCurrentRepetition();
        cut(new SplittableRandom(seed).nextInt(3_000), (seed & 1) == 0);
    }

    private static void cut(final int rounds, final boolean buffersOnly) {
        final long bytes = MemifRing.regionBytes(LOG2, BUFFER);
        final long ring = MemifRing.ringBytes(LOG2, LINE);
        final int memory = Libc.memfdCreate("to be cut", Libc.MFD_CLOEXEC);
        assertEquals(0, Libc.ftruncate(memory, bytes));
        try (Arena arena = Arena.ofShared()) {
            final MemorySegment region = Libc.map(memory, bytes, arena);
            final MemifLink receiving = link(region, ring);
            final MemifLink sending = link(region, ring);
            final PacketBurst in = new PacketBurst(arena, 1, BUFFER);
            final PacketBurst out = new PacketBurst(arena, 1, BUFFER);
            MemifRig.fill(out, 1500, 0);
            for (int slot = 0; slot < 1 << LOG2; slot++) {
                descriptor(region, 2L * LINE + 16L * slot, 1500, 8192);
            }
            for (int round = 1; round <= rounds; round++) {
                region.set(ValueLayout.JAVA_SHORT, 6, (short) round);
                in.clear();
                assertEquals(1, receiving.receive(in));
                descriptor(region, ring + 2L * LINE + 16L * (round - 1 & 15), BUFFER, 8192);
                region.set(ValueLayout.JAVA_SHORT, ring + 6, (short) round);
                assertEquals(1, sending.send(out, 0));
            }
            assertNull(receiving.verdict().fault());
            region.set(ValueLayout.JAVA_SHORT, 6, (short) (rounds + 1));
            descriptor(region, ring + 2L * LINE + 16L * (rounds & 15), BUFFER, 8192);
            region.set(ValueLayout.JAVA_SHORT, ring + 6, (short) (rounds + 1));
            assertEquals(0, Libc.ftruncate(memory, buffersOnly ? 4096 : 0));
            in.clear();
            receiving.receive(in);
            assertEquals(MemifFault.MEMORY_LOST, receiving.verdict().fault());
            sending.send(out, 0);
            assertEquals(MemifFault.MEMORY_LOST, sending.verdict().fault());
        } finally {
            Libc.close(memory);
        }
    }

    private static MemifLink link(final MemorySegment region, final long offset) {
        final MemifVerdict verdict = new MemifVerdict();
        final PortCounts counts = new PortCounts();
        final MemifRegions regions = new MemifRegions(region);
        return new MemifLink(
            new MemifReceiver[] {
                MemifReceiver.ofServer(new MemifRing(region, 0, LOG2, LINE), regions, verdict, counts)
            },
            new MemifSender[] {MemifSender.ofServer(new MemifRing(region, offset, LOG2, LINE), regions, verdict,
                counts)}, verdict);
    }

    private static void descriptor(final MemorySegment region, final long at, final int length, final int offset) {
        region.set(ValueLayout.JAVA_INT, at, 0);
        region.set(ValueLayout.JAVA_INT, at + 4, length);
        region.set(ValueLayout.JAVA_INT, at + 8, offset);
    }
}
