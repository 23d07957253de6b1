package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.dataplane.port.PacketBurst;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Writes anything into the shared memory of a link while a port uses it. */
final class RandomWriter {
    private static final int WRITES = 400;

    private RandomWriter() {
    }

    /** Between any two looks of the port a field of a descriptor, an index or any byte changes. */
    static void write(final MemorySegment region, final long seed, final Runnable look) {
        final Random random = new Random(seed);
        for (int write = 0; write < WRITES; write++) {
            final long ring = random.nextBoolean() ? 0 : FakePeer.S2C_OFFSET;
            final long descriptor = ring + 2L * MemifRing.LINE_BYTES + 16L * random.nextInt(1 << FakePeer.LOG2);
            switch (random.nextInt(write > WRITES / 2 ? 6 : 4)) {
                case 0 -> region.set(ValueLayout.JAVA_SHORT, descriptor + 2L * random.nextInt(2),
                    (short) random.nextInt(3));
                case 1 -> region.set(ValueLayout.JAVA_INT, descriptor + 4, random.nextInt() >>> random.nextInt(32));
                case 2 -> region.set(ValueLayout.JAVA_INT, descriptor + 8, random.nextInt() >>> random.nextInt(32));
                case 3 -> region.set(ValueLayout.JAVA_SHORT, ring + (random.nextBoolean() ? 6 : 64),
                    (short) (region.get(ValueLayout.JAVA_SHORT, ring + 6) + random.nextInt(2)));
                case 4 -> region.set(ValueLayout.JAVA_SHORT, ring + (random.nextBoolean() ? 6 : 64),
                    (short) random.nextInt());
                default -> region.set(ValueLayout.JAVA_BYTE, random.nextLong(region.byteSize()),
                    (byte) random.nextInt());
            }
            look.run();
        }
    }

    /** Receives and sends. */
    static void look(final MemifPort port) {
        try (Arena own = Arena.ofConfined()) {
            port.rxBurst(new PacketBurst(own, 8, 512));
            final PacketBurst out = new PacketBurst(own, 2, 512);
            MemifRig.fill(out, 300, 1);
            MemifRig.fill(out, 60, 2);
            port.txBurst(out, 0);
        }
    }
}
