package dev.skerry.bench.circuit;

import org.jctools.queues.SpscArrayQueue;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A JCTools queue for each port and direction, and the plainest switch between them: no stamps, no counters. The
 * handles are boxed once, ahead, so that nothing allocates and only references move.
 */
final class QueuesPath extends SwitchPath {
    private final List<SpscArrayQueue<Integer>> up = queues();
    private final List<SpscArrayQueue<Integer>> down = queues();
    private final Integer[] boxed = IntStream.range(0, HANDLES).boxed().toArray(Integer[]::new);
    private final int[] table = new int[EPOCH * PORTS];
    private final Integer[] latch = new Integer[PORTS];
    private int row;

    QueuesPath() {
        for (int i = 0; i < table.length; i++) {
            table[i] = input(i / PORTS, i % PORTS);
        }
    }

    @Override
    void send(final long slot) {
        for (int input = 0; input < PORTS; input++) {
            if (!up.get(input).offer(boxed[handle(slot, input)])) {
                throw new IllegalStateException("no room: slot=" + slot);
            }
        }
    }

    /** Handles come port by port; so if the last port has one, all have. */
    @Override
    boolean receive(final long slot) {
        final Integer last = down.get(PORTS - 1).poll();
        if (last == null) {
            return false;
        }
        final int slotInEpoch = (int) (slot % EPOCH);
        check(slot, slotInEpoch, PORTS - 1, last);
        for (int output = 0; output < PORTS - 1; output++) {
            check(slot, slotInEpoch, output, down.get(output).poll());
        }
        return true;
    }

    @Override
    int circuits() {
        int slots = 0;
        for (; slots < BATCH; slots++) {
            latch[PORTS - 1] = up.get(PORTS - 1).poll();
            if (latch[PORTS - 1] == null) {
                break;
            }
            for (int input = 0; input < PORTS - 1; input++) {
                latch[input] = up.get(input).poll();
            }
            for (int output = 0; output < PORTS; output++) {
                down.get(output).offer(latch[table[row * PORTS + output]]);
            }
            row = row + 1 < EPOCH ? row + 1 : 0;
        }
        return slots;
    }

    private static List<SpscArrayQueue<Integer>> queues() {
        return IntStream.range(0, PORTS).mapToObj(port -> new SpscArrayQueue<Integer>(SLOTS)).toList();
    }
}
