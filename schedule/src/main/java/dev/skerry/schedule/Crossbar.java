package dev.skerry.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The simplest fabrics of any schedule: one switch a channel, or one a lane, with a port for every node
 * (docs/spec/shale.md §2.6). Port i belongs to node i. Any thread may call.
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
        return wiring(schedule, 1, "plane ");
    }

    /**
     * Shale's fabric of lanes: one switch for every lane of the nodes, which serves the slots of its lane and is dark
     * in all others.
     *
     * <pre>
     *   switch l     serves slots l, l + L, l + 2 L, ..; its table repeats after lcm(E, L) slots, lcm(E, L)/L of them
     *                lit
     *   node port l  used in the slots of lane l
     * </pre>
     *
     * A lane carries a cell of a slot until its next slot begins, so cells of L slots are on their way out of a node at
     * once.
     *
     * @throws IllegalArgumentException if the schedule has more nodes than a switch has ports, or too long an epoch.
     */
    public static Wiring lanes(final LanedSchedule schedule) {
        return wiring(schedule, schedule.lanes(), "lane ");
    }

    private static Wiring wiring(final Schedule schedule, final int lanes, final String name) {
        final List<PortNumbers.Switch> switches = new ArrayList<>();
        for (int index = 0; index < schedule.channels() * lanes; index++) {
            switches.add(new PortNumbers.Switch(name + index, index / lanes,
                table(schedule, index / lanes, index % lanes, lanes)));
        }
        final PortNumbers ports = new PortNumbers(schedule, lanes, switches);
        final int[] feeder = Wiring.unconnected(ports);
        for (int index = 0; index < switches.size(); index++) {
            for (int node = 0; node < schedule.nodes(); node++) {
                Wiring.connect(feeder, ports.ofNode(node, index / lanes, index % lanes), ports.ofSwitch(index, node));
            }
        }
        return new Wiring(schedule, ports, IntStream.range(0, schedule.epochSlots()).map(slot -> slot % lanes)
            .toArray(), feeder);
    }

    /** What a switch with a port for each node does in some slots of a channel, from the first on, a step apart. */
    private static SwitchTable table(final Schedule schedule, final int channel, final int first, final int step) {
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
