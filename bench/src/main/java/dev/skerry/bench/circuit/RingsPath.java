package dev.skerry.bench.circuit;

import dev.skerry.dataplane.ring.SpscRing;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

/** A ring of handles for each port and direction, and the plainest switch between them: no stamps, no counters. */
final class RingsPath extends SwitchPath {
    private final SpscRing[] up;
    private final SpscRing[] down;
    private final int[] table = new int[EPOCH * PORTS];
    private final int[] latch = new int[PORTS];
    private int row;

    RingsPath(final Arena arena) {
        this.up = rings(arena);
        this.down = rings(arena);
        for (int i = 0; i < table.length; i++) {
            table[i] = input(i / PORTS, i % PORTS);
        }
    }

    @Override
    void send(final long slot) {
        for (int input = 0; input < PORTS; input++) {
            if (!up[input].producer().offer(handle(slot, input))) {
                throw new IllegalStateException("no room: slot=" + slot);
            }
        }
    }

    /** Words come port by port; so if the last port has one, all have. */
    @Override
    boolean receive(final long slot) {
        final int last = down[PORTS - 1].consumer().poll();
        if (last == SpscRing.NONE) {
            return false;
        }
        final int slotInEpoch = (int) (slot % EPOCH);
        check(slot, slotInEpoch, PORTS - 1, last);
        for (int output = 0; output < PORTS - 1; output++) {
            check(slot, slotInEpoch, output, down[output].consumer().poll());
        }
        return true;
    }

    @Override
    int circuits() {
        int slots = 0;
        for (; slots < BATCH; slots++) {
            latch[PORTS - 1] = up[PORTS - 1].consumer().poll();
            if (latch[PORTS - 1] == SpscRing.NONE) {
                break;
            }
            for (int input = 0; input < PORTS - 1; input++) {
                latch[input] = up[input].consumer().poll();
            }
            for (int output = 0; output < PORTS; output++) {
                down[output].producer().offer(latch[table[row * PORTS + output]]);
            }
            row = row + 1 < EPOCH ? row + 1 : 0;
        }
        return slots;
    }

    private static SpscRing[] rings(final Arena arena) {
        return IntStream.range(0, PORTS).mapToObj(port -> new SpscRing(arena, SLOTS)).toArray(SpscRing[]::new);
    }
}
