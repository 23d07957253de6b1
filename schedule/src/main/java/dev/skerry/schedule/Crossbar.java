package dev.skerry.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The simplest wiring of a schedule: one switch per channel, or per lane, with a port for every node
 * (docs/spec/shale.md §2.6). Port i belongs to node i. Any thread may call.
 */
public final class Crossbar {
    private Crossbar() {
    }

    /**
     * Builds the wiring of a schedule with one switch per channel.
     *
     * @throws IllegalArgumentException if the schedule has more nodes than a switch has ports, or its epoch is too
     *                                  long.
     */
    public static Wiring wiring(final Schedule schedule) {
        return wiring(schedule, 1, "plane ");
    }

    /**
     * Builds Shale's wiring with lanes: one switch per lane, which serves the slots of its lane and is empty in all
     * others.
     *
     * <pre>
     *   switch l     serves slots l, l + L, l + 2 L, ..; its table repeats after lcm(E, L) slots, lcm(E, L)/L of them
     *                lit
     *   node port l  used in the slots of lane l
     * </pre>
     *
     * A lane carries a cell from its slot until the next slot of the lane begins, so a node sends the cells of L slots
     * at the same time.
     *
     * @throws IllegalArgumentException if the schedule has more nodes than a switch has ports, or its epoch is too
     *                                  long.
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

    /**
     * Table of a switch with a port per node that serves every {@code step}-th slot of a channel, starting with
     * {@code first}.
     */
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
