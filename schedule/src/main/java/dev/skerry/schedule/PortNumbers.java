package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;
import java.util.List;

/**
 * Numbers all ports of a fabric: the nodes' ports first, then those of the switches. A port is duplex: its out side
 * sends into one fibre, its in side receives from another.
 *
 * <pre>
 *   0                               (node * channels + channel) * nodePorts + port
 *   ...
 *   nodes * channels * nodePorts    port 0 of switch 0
 *                                   port 1 of switch 0
 *   ...                             port 0 of switch 1
 *   total()
 * </pre>
 *
 * A node has {@code nodePorts} ports on each channel and uses one of them in each slot. Immutable; any thread may call.
 * The accessors do not check their arguments.
 */
public final class PortNumbers {
    private final int channels;
    private final int nodePorts;
    private final List<Switch> switches;
    private final int[] firstPort;
    private final int[] switchOfPort;

    /**
     * A circuit switch.
     *
     * @param name  name used in messages and reports.
     * @param plane the channel it serves.
     * @param table its connections by slot.
     */
    public record Switch(String name, int plane, SwitchTable table) {
    }

    /**
     * Numbers the ports of a fabric.
     *
     * @param schedule  gives nodes and channels.
     * @param nodePorts ports of a node on each channel, at least 1.
     * @param switches  the switches, in the order of their numbers.
     * @throws IllegalArgumentException if a number is out of range, or a switch does not fit the schedule.
     */
    public PortNumbers(final Schedule schedule, final int nodePorts, final List<Switch> switches) {
        Bounds.atLeast("nodePorts", nodePorts, 1);
        final int nodes = schedule.nodes();
        this.channels = schedule.channels();
        this.nodePorts = nodePorts;
        this.switches = List.copyOf(switches);
        this.firstPort = new int[switches.size() + 1];
        long total = (long) nodes * channels * nodePorts;
        for (int index = 0; index < firstPort.length; index++) {
            Bounds.refuseIf(total > Integer.MAX_VALUE >> 1, "too many ports for one fabric: nodes=", nodes,
                " channels=", channels, " nodePorts=", nodePorts, " switches=", switches.size());
            firstPort[index] = (int) total;
            if (index < switches.size()) {
                total += checked(schedule, switches.get(index)).table().ports();
            }
        }
        this.switchOfPort = new int[total() - firstPort[0]];
        for (int index = 0; index < switches.size(); index++) {
            Arrays.fill(switchOfPort, firstPort[index] - firstPort[0], firstPort[index + 1] - firstPort[0], index);
        }
    }

    /** Total number of ports. */
    public int total() {
        return firstPort[switches.size()];
    }

    /** Number of ports of a node on each channel. */
    public int nodePorts() {
        return nodePorts;
    }

    /** The switches in the order of their numbers. */
    public List<Switch> switches() {
        return switches;
    }

    /** The number of a node's port. */
    public int ofNode(final int node, final int channel, final int port) {
        return (node * channels + channel) * nodePorts + port;
    }

    /** The number of a switch's port. */
    public int ofSwitch(final int index, final int port) {
        return firstPort[index] + port;
    }

    /** Whether a port belongs to a node; otherwise it belongs to a switch. */
    public boolean isNode(final int port) {
        return port < firstPort[0];
    }

    /** The node to which a port belongs. */
    public int nodeOf(final int port) {
        return port / nodePorts / channels;
    }

    /** The switch to which a port belongs. */
    public int switchOf(final int port) {
        return switchOfPort[port - firstPort[0]];
    }

    /** The index of a port among those of its node and channel, or of its switch. */
    public int localPort(final int port) {
        return isNode(port) ? port % nodePorts : port - firstPort[switchOf(port)];
    }

    /** The channel a port serves. */
    public int channelOf(final int port) {
        return isNode(port) ? port / nodePorts % channels : switches.get(switchOf(port)).plane();
    }

    /** Describes a port in messages. */
    public String describe(final int port) {
        return isNode(port)
            ? "node " + nodeOf(port) + " channel " + channelOf(port) + " port " + localPort(port)
            : switches.get(switchOf(port)).name() + " port " + localPort(port);
    }

    private static Switch checked(final Schedule schedule, final Switch one) {
        Bounds.refuseIf(one.plane() < 0 || one.plane() >= schedule.channels(),
            "a switch serves one of the schedule's channels: ", one.name(), " plane=", one.plane(), " channels=",
            schedule.channels());
        Bounds.refuseIf(one.table().epochSlots() != schedule.epochSlots(), "a switch table has the schedule's epoch: ",
            one.name(), " epochSlots=", one.table().epochSlots(), " of ", schedule.epochSlots());
        return one;
    }
}
