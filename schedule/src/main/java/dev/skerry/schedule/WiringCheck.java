package dev.skerry.schedule;

import java.util.Arrays;

/** The checks a {@link Wiring} must pass (docs/spec/shoal.md §2.4, C1 to C3). For set-up. */
final class WiringCheck {
    private WiringCheck() {
    }

    /**
     * Checks that the parts fit: C1 and C3 of the fibres.
     *
     * @return by port: the port whose in side its out side feeds, or {@link Wiring#NONE}.
     */
    static int[] targets(final Schedule schedule, final PortNumbers ports, final int[] nodePortAt,
        final int[] feeder) {
        if (nodePortAt.length != schedule.epochSlots() || feeder.length != ports.total()) {
            throw new IllegalArgumentException("a wiring has a node port for every slot and a feeder for every port:"
                + " nodePortAt.length=" + nodePortAt.length + " epochSlots=" + schedule.epochSlots()
                + " feeder.length=" + feeder.length + " ports=" + ports.total());
        }
        for (final int port : nodePortAt) {
            if (port < 0 || port >= ports.nodePorts()) {
                throw new IllegalArgumentException(
                    "no such node port: nodePortAt=" + port + " nodePorts=" + ports.nodePorts());
            }
        }
        final int[] target = new int[feeder.length];
        Arrays.fill(target, Wiring.NONE);
        for (int port = 0; port < feeder.length; port++) {
            final int from = feeder[port];
            if (from == Wiring.NONE) {
                continue;
            }
            if (from < 0 || from >= feeder.length) {
                throw new IllegalArgumentException("no such port: feeder=" + from + " of " + ports.describe(port));
            }
            if (target[from] != Wiring.NONE) {
                throw new IllegalArgumentException("C1: an output would feed two inputs: " + ports.describe(from)
                    + " feeds " + ports.describe(target[from]) + " and " + ports.describe(port));
            }
            if (ports.channelOf(from) != ports.channelOf(port)) {
                throw new IllegalArgumentException("C3: a fibre would join two planes: " + ports.describe(from)
                    + " feeds " + ports.describe(port));
            }
            target[from] = port;
        }
        return target;
    }

    /**
     * The stage of every output: one above the highest stage of the outputs that ever feed it.
     *
     * @return by port; {@link Wiring#NONE} for the ports of nodes.
     */
    static int[] stages(final PortNumbers ports, final int epochSlots, final int[] feeder) {
        final int[] stage = new int[ports.total()];
        for (int port = 0; port < stage.length; port++) {
            stage[port] = ports.isNode(port) ? Wiring.NONE : 0;
        }
        boolean changed = true;
        for (int round = 0; changed; round++) {
            if (round > Wiring.MAX_STAGES) {
                throw new IllegalArgumentException("cells would run in a circle, or through more than "
                    + Wiring.MAX_STAGES + " stages of switches");
            }
            changed = false;
            for (int index = 0; index < ports.switches().size(); index++) {
                for (int slot = 0; slot < epochSlots; slot++) {
                    changed |= raise(ports, index, slot, feeder, stage);
                }
            }
        }
        return stage;
    }

    private static boolean raise(final PortNumbers ports, final int index, final int slot, final int[] feeder,
        final int[] stage) {
        final SwitchTable table = ports.switches().get(index).table();
        boolean changed = false;
        for (int out = 0; out < table.ports(); out++) {
            final int in = table.selected(slot, out);
            final int from = in == SwitchTable.DARK ? Wiring.NONE : feeder[ports.ofSwitch(index, in)];
            final int port = ports.ofSwitch(index, out);
            if (from != Wiring.NONE && stage[from] >= stage[port]) {
                stage[port] = stage[from] + 1;
                changed = true;
            }
        }
        return changed;
    }

    /** Checks that a fibre carries a cell exactly in the slots in which its end takes one, and others carry none. */
    static void checkFibres(final Wiring wiring) {
        final PortNumbers ports = wiring.ports();
        for (int slot = 0; slot < wiring.schedule().epochSlots(); slot++) {
            for (int port = 0; port < ports.total(); port++) {
                final int to = wiring.target(port);
                final boolean sends = wiring.sends(port, slot);
                if (sends != (to != Wiring.NONE && wiring.receives(to, slot))) {
                    throw new IllegalArgumentException((sends ? "a cell would be lost after "
                        : "nothing would come for the taker after ") + ports.describe(port) + ": slotInEpoch=" + slot);
                }
                if (wiring.feeder(port) == Wiring.NONE && wiring.receives(port, slot)) {
                    throw new IllegalArgumentException(
                        "nothing feeds " + ports.describe(port) + ", which takes a cell: slotInEpoch=" + slot);
                }
            }
        }
    }

    /** C2: every node receives from the sender that the schedule names. */
    static void checkComposition(final Wiring wiring) {
        final Schedule schedule = wiring.schedule();
        final int[] path = new int[wiring.stages() + 1];
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int length = wiring.trace(node, channel, slot, path);
                    final int sender = length == 0 ? Schedule.IDLE : wiring.ports().nodeOf(path[length - 1]);
                    if (sender != schedule.senderAt(node, channel, slot)) {
                        throw new IllegalArgumentException("C2: a node would hear " + sender + " instead of "
                            + schedule.senderAt(node, channel, slot) + ": node=" + node + " channel=" + channel
                            + " slotInEpoch=" + slot);
                    }
                }
            }
        }
    }
}
