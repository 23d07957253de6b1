package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;
import java.util.List;

/**
 * One number for every port of a fabric: the nodes' ports first, then switch by switch. A port is duplex: its out side
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
 * A node has {@code nodePorts} ports on each channel and uses one of them in a slot. Immutable; any thread may call.
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
     * @param name  for messages and reports.
     * @param plane the channel it serves.
     * @param table its connections by slot.
     */
    public record Switch(String name, int plane, SwitchTable table) {
    }

    /**
     * The ports of a fabric.
     *
     * @param schedule  gives nodes and channels.
     * @param nodePorts ports of a node on each channel, at least 1.
     * @param switches  the switches; a switch's number is its place in the list.
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

    /** Number of all ports. */
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

    /** A port of a node. */
    public int ofNode(final int node, final int channel, final int port) {
        return (node * channels + channel) * nodePorts + port;
    }

    /** A port of a switch. */
    public int ofSwitch(final int index, final int port) {
        return firstPort[index] + port;
    }

    /** Whether a port is a node's, not a switch's. */
    public boolean isNode(final int port) {
        return port < firstPort[0];
    }

    /** The node that has a port. */
    public int nodeOf(final int port) {
        return port / nodePorts / channels;
    }

    /** The switch that has a port. */
    public int switchOf(final int port) {
        return switchOfPort[port - firstPort[0]];
    }

    /** The number of a port on its own node and channel, or on its own switch. */
    public int localPort(final int port) {
        return isNode(port) ? port % nodePorts : port - firstPort[switchOf(port)];
    }

    /** The channel a port serves. */
    public int channelOf(final int port) {
        return isNode(port) ? port / nodePorts % channels : switches.get(switchOf(port)).plane();
    }

    /** The port in words, for messages. */
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
