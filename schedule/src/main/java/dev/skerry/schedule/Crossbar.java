package dev.skerry.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * The simplest fabric of any schedule: one switch a channel with a port for every node (docs/spec/shale.md §2.6). Port
 * i belongs to node i. Any thread may call.
 */
public final class Crossbar {
    private Crossbar() {
    }

    /**
     * The fabric of a schedule.
     *
     * @throws IllegalArgumentException if the schedule has more nodes than a switch has ports, or too long an epoch.
     */
    public static Wiring wiring(final Schedule schedule) {
        final int nodes = schedule.nodes();
        final List<PortNumbers.Switch> switches = new ArrayList<>();
        for (int channel = 0; channel < schedule.channels(); channel++) {
            switches.add(new PortNumbers.Switch("plane " + channel, channel, table(schedule, channel, 0, 1)));
        }
        final PortNumbers ports = new PortNumbers(schedule, 1, switches);
        final int[] feeder = Wiring.unconnected(ports);
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int node = 0; node < nodes; node++) {
                Wiring.connect(feeder, ports.ofNode(node, channel, 0), ports.ofSwitch(channel, node));
            }
        }
        return new Wiring(schedule, ports, new int[schedule.epochSlots()], feeder);
    }

    /** What a switch with a port for each node does in some slots of a channel, from the first on, a step apart. */
    static SwitchTable table(final Schedule schedule, final int channel, final int first, final int step) {
        final SwitchTable.Builder table = new SwitchTable.Builder(schedule.nodes(), schedule.epochSlots());
        for (int slot = first; slot < schedule.epochSlots(); slot += step) {
            for (int node = 0; node < schedule.nodes(); node++) {
                final int peer = schedule.peerAt(node, channel, slot);
                if (peer != Schedule.IDLE) {
                    table.connect(slot, node, peer);
                }
            }
        }
        return table.build();
    }
}
