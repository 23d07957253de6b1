package dev.skerry.schedule;

import java.util.Arrays;

/** Whose cells cross a circuit switch. Pure functions of the wiring; any thread. */
public final class SwitchWays {
    private SwitchWays() {
    }

    /**
     * The ordered pairs of nodes whose cells cross a switch in some slot of the epoch. Walks the whole epoch.
     *
     * @param wiring of the fabric.
     * @param index  the switch, 0 to {@code wiring.switches() - 1}.
     * @return the sender's id in the upper 32 bits and the receiver's in the lower ones, each pair once, ascending.
     */
    public static long[] through(final Wiring wiring, final int index) {
        final Schedule schedule = wiring.schedule();
        final PortNumbers ports = wiring.ports();
        final int[] path = new int[wiring.stages() + 1];
        long[] ways = new long[schedule.nodes()];
        int count = 0;
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int length = wiring.trace(node, channel, slot, path);
                    if (crosses(ports, path, length, index)) {
                        ways = count < ways.length ? ways : Arrays.copyOf(ways, 2 * count);
                        ways[count++] = (long) ports.nodeOf(path[length - 1]) << Integer.SIZE | node;
                    }
                }
            }
        }
        return Arrays.stream(ways, 0, count).sorted().distinct().toArray();
    }

    private static boolean crosses(final PortNumbers ports, final int[] path, final int length, final int index) {
        for (int i = 0; i < length - 1; i++) {
            if (ports.switchOf(path[i]) == index) {
                return true;
            }
        }
        return false;
    }
}
