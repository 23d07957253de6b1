package dev.skerry.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * Shale's fabric of lanes: one switch of N ports for every lane of the nodes, which serves the slots of its lane and is
 * dark in all others (docs/spec/shale.md §2.6).
 *
 * <pre>
 *   switch l     serves slots l, l + L, l + 2 L, ..; its table repeats after lcm(E, L) slots, lcm(E, L)/L of them lit
 *   its port i   node i
 *   node port l  used in the slots of lane l
 * </pre>
 *
 * A lane carries a cell of a slot until its next slot begins, so cells of L slots are on their way out of a node at
 * once. Any thread may call.
 */
public final class LanePlanes {
    private LanePlanes() {
    }

    /**
     * The fabric of a schedule with lanes.
     *
     * @throws IllegalArgumentException if the schedule has more nodes than a switch has ports, or too long an epoch.
     */
    public static Wiring wiring(final LanedSchedule schedule) {
        final int nodes = schedule.nodes();
        final int lanes = schedule.lanes();
        final List<PortNumbers.Switch> switches = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
            switches.add(new PortNumbers.Switch("lane " + lane, 0, Crossbar.table(schedule, 0, lane, lanes)));
        }
        final PortNumbers ports = new PortNumbers(schedule, lanes, switches);
        final int[] feeder = Wiring.unconnected(ports);
        for (int lane = 0; lane < lanes; lane++) {
            for (int node = 0; node < nodes; node++) {
                Wiring.connect(feeder, ports.ofNode(node, 0, lane), ports.ofSwitch(lane, node));
            }
        }
        final int[] nodePortAt = new int[schedule.epochSlots()];
        for (int slot = 0; slot < nodePortAt.length; slot++) {
            nodePortAt[slot] = schedule.laneAt(slot);
        }
        return new Wiring(schedule, ports, nodePortAt, feeder);
    }
}
