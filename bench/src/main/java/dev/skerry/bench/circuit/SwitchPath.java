package dev.skerry.bench.circuit;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.ring.LinkBundle;
import org.jctools.queues.SpscArrayQueue;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A switch of 64 ports and its surroundings as the benchmark drives them: one thread sends and receives, the other
 * switches. In slot s, input i carries handle (64 s + i) mod HANDLES, and output j receives from input j - s mod 63
 * - 1. Each fork loads one implementation, so that the calls stay monomorphic.
 */
abstract class SwitchPath {
    static final int PORTS = 64;
    static final int EPOCH = PORTS - 1;
    /** Maximum number of slots in flight, the same in every implementation, so that none finds an output full. */
    static final int SLOTS = 64;
    static final int HANDLES = 1 << 16;
    /** Maximum number of slots that one call of the switch moves. */
    static final int BATCH = 16;

    /**
     * Next slots to send and to receive: one thread writes and reads them, on a cache line that the switch does not
     * use.
     */
    private final long[] next = new long[48];

    /**
     * Sends a slot if there is room and receives the slots that have arrived; returns the number of cells that arrived.
     */
    final int sendAndReceive() {
        final long sent = next[16];
        if (sent - next[17] < SLOTS) {
            send(sent);
            next[16] = sent + 1;
        }
        int cells = 0;
        while (receive(next[17])) {
            next[17]++;
            cells += PORTS;
        }
        return cells;
    }

    /** Sends a slot, for which there must be room. */
    abstract void send(long slot);

    /** Receives a slot and checks it; returns false if it has not arrived. */
    abstract boolean receive(long slot);

    /** Switches some slots and returns their number, 0 if none has arrived. Called by the switch's thread. */
    abstract int circuits();

    static int handle(final long slot, final int input) {
        return (int) (slot * PORTS + input & HANDLES - 1);
    }

    static int input(final int slotInEpoch, final int output) {
        return output - slotInEpoch - 1 & PORTS - 1;
    }

    static void check(final long slot, final int slotInEpoch, final int output, final long handle) {
        if (handle != handle(slot, input(slotInEpoch, output))) {
            throw new IllegalStateException("wrong cell: slot=" + slot + " output=" + output + " handle=" + handle);
        }
    }

    /** Our switch between link bundles of a given number of lanes. */
    static final class BundlePath extends SwitchPath {
        private final CircuitSwitch circuits;
        private final LinkBundle.Producer[] out;
        private final LinkBundle.Consumer[] in;
        private final int lanes;

        BundlePath(final Arena arena, final int lanes) {
            this.lanes = lanes;
            final LinkBundle[] up = links(arena, lanes);
            final LinkBundle[] down = links(arena, lanes);
            this.out = Arrays.stream(up).map(LinkBundle::producer).toArray(LinkBundle.Producer[]::new);
            this.in = Arrays.stream(down).map(LinkBundle::consumer).toArray(LinkBundle.Consumer[]::new);
            final List<CircuitSwitch.Inlet> inlets = IntStream.range(0, up.length)
                .mapToObj(l -> new CircuitSwitch.Inlet(up[l].consumer(), ports(l, lanes))).toList();
            final List<CircuitSwitch.Outlet> outlets = IntStream.range(0, down.length)
                .mapToObj(l -> new CircuitSwitch.Outlet(down[l].producer(), ports(l, lanes))).toList();
            this.circuits = new CircuitSwitch(
                arena, "bench", new RegisterTable(PORTS, EPOCH, SwitchPath::input), inlets, outlets);
            circuits.start(0);
        }

        @Override
        void send(final long slot) {
            for (int l = 0; l < out.length; l++) {
                final LinkBundle.Producer link = out[l];
                if (link.writableUntil(slot) <= slot) {
                    throw new IllegalStateException("no room: slot=" + slot);
                }
                for (int lane = 0; lane < lanes; lane++) {
                    link.put(slot, lane, handle(slot, l * lanes + lane));
                }
                link.publish(slot + 1);
            }
        }

        @Override
        boolean receive(final long slot) {
            // The switch publishes its outputs in this order.
            final LinkBundle.Consumer last = in[in.length - 1];
            if (last.readableUntil(slot) <= slot) {
                return false;
            }
            final int slotInEpoch = (int) (slot % EPOCH);
            for (int l = 0; l < in.length; l++) {
                final LinkBundle.Consumer link = in[l];
                link.readableUntil(slot);
                for (int lane = 0; lane < lanes; lane++) {
                    check(slot, slotInEpoch, l * lanes + lane, link.handle(slot, lane));
                }
                link.free(slot + 1);
            }
            return true;
        }

        @Override
        int circuits() {
            return circuits.doWork();
        }

        private static LinkBundle[] links(final Arena arena, final int lanes) {
            // Twice the slots in flight, because the switch forwards a slot before it frees the rows that held it.
            return IntStream.range(0, PORTS / lanes).mapToObj(l -> new LinkBundle(arena, lanes, 2 * SLOTS, 0))
                .toArray(LinkBundle[]::new);
        }

        private static int[] ports(final int link, final int lanes) {
            return IntStream.range(link * lanes, (link + 1) * lanes).toArray();
        }
    }

    /**
     * A JCTools queue for each port and direction, and the simplest switch between them, without stamps and counters.
     * The handles are boxed in advance, so that nothing is allocated and only references move.
     */
    static final class QueuesPath extends SwitchPath {
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

        /** Handles arrive port by port; if the last port has one, all have. */
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
}
