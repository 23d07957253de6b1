package dev.skerry.schedule;

import java.util.Arrays;

/**
 * A whole fabric: nodes, circuit switches with their tables, and the fibres between them. An engine, or hardware, can
 * be built from it without knowing Clos or phases.
 *
 * <p>A fibre leads from the out side of a port to the in side of a port, and is named by either. In a slot a node sends
 * and receives on one of its ports ({@link #nodePortAt}); every output of a switch repeats the input it selects. Cells
 * cross stages in order: an output's cells depend only on lower stages, so within a slot all outputs of stage 0 can be
 * served, then those of stage 1, and so on. A switch may serve several stages.
 *
 * <p>The constructor checks a wiring (docs/spec/shoal.md §2.4). C1: an output feeds one fibre and one fibre feeds an
 * input, as inside the switches. C2: tables and fibres together realise the schedule in every slot. C3: planes of
 * different channels share no port. Also, a fibre carries a cell exactly in the slots in which its end takes one, so
 * every cell arrives and no input waits for a missing cell. Immutable; any thread may call. The accessors do not check
 * their arguments.
 */
public final class Wiring {
    /** No port: nothing is connected. */
    public static final int NONE = -1;
    /** The most stages of switches on a cell's path. */
    public static final int MAX_STAGES = 64;

    private final Schedule schedule;
    private final PortNumbers ports;
    private final int[] nodePortAt;
    private final int[] feeder;
    private final int[] target;
    private final int[] stage;
    private final int stages;

    /**
     * A fabric of switches and fibres.
     *
     * @param schedule   what the fabric does.
     * @param ports      its nodes' and switches' ports.
     * @param nodePortAt by slot of the epoch: the port on which every node sends and receives, on every channel.
     * @param feeder     by port: the port whose out side feeds its in side, or {@link #NONE}.
     * @throws IllegalArgumentException if a check fails; the message names the place.
     */
    public Wiring(final Schedule schedule, final PortNumbers ports, final int[] nodePortAt, final int[] feeder) {
        this.schedule = schedule;
        this.ports = ports;
        this.nodePortAt = nodePortAt.clone();
        this.feeder = feeder.clone();
        this.target = WiringCheck.targets(schedule, ports, nodePortAt, feeder);
        this.stage = WiringCheck.stages(ports, schedule.epochSlots(), feeder);
        this.stages = Arrays.stream(stage).max().orElse(NONE) + 1;
        WiringCheck.checkFibres(this);
        WiringCheck.checkComposition(this);
    }

    /** The schedule that the fabric realises. */
    public Schedule schedule() {
        return schedule;
    }

    /** The numbers of its ports, and its switches. */
    public PortNumbers ports() {
        return ports;
    }

    /** Number of circuit switches, on all planes. */
    public int switches() {
        return ports.switches().size();
    }

    /** The table of a switch. */
    public SwitchTable table(final int index) {
        return ports.switches().get(index).table();
    }

    /** The port, 0 to {@code ports().nodePorts() - 1}, on which every node sends and receives in a slot. */
    public int nodePortAt(final int slotInEpoch) {
        return nodePortAt[slotInEpoch];
    }

    /** The port whose out side feeds the in side of {@code port}, or {@link #NONE}. */
    public int feeder(final int port) {
        return feeder[port];
    }

    /** The port whose in side the out side of {@code port} feeds, or {@link #NONE}. */
    public int target(final int port) {
        return target[port];
    }

    /** Stages of switches. */
    public int stages() {
        return stages;
    }

    /** The stage of a switch port's output, 0 to {@code stages() - 1}; {@link #NONE} for a port of a node. */
    public int stageOf(final int port) {
        return stage[port];
    }

    /** Whether a cell leaves the out side of a port in a slot of the epoch. */
    public boolean sends(final int port, final int slotInEpoch) {
        if (ports.isNode(port)) {
            return ports.localPort(port) == nodePortAt[slotInEpoch] && schedule.peerAt(ports.nodeOf(port),
                ports.channelOf(port), slotInEpoch) != Schedule.IDLE;
        }
        return table(ports.switchOf(port)).selected(slotInEpoch, ports.localPort(port)) != SwitchTable.DARK;
    }

    /** Whether a cell is due at the in side of a port in a slot of the epoch. */
    public boolean receives(final int port, final int slotInEpoch) {
        if (ports.isNode(port)) {
            return ports.localPort(port) == nodePortAt[slotInEpoch] && schedule.senderAt(ports.nodeOf(port),
                ports.channelOf(port), slotInEpoch) != Schedule.IDLE;
        }
        return table(ports.switchOf(port)).reached(slotInEpoch, ports.localPort(port)) != SwitchTable.DARK;
    }

    /**
     * Follows a received cell back to its sender.
     *
     * @param node        the receiver.
     * @param channel     the channel.
     * @param slotInEpoch the slot of the epoch.
     * @param path        receives the fibres crossed, the last one first, each as the port that sends into it; of at
     *                    least {@code stages() + 1} entries.
     * @return number of fibres, the sender's last; 0 if the path ends at a dark output.
     */
    public int trace(final int node, final int channel, final int slotInEpoch, final int[] path) {
        int length = 0;
        int at = feeder[ports.ofNode(node, channel, nodePortAt[slotInEpoch])];
        while (at != NONE) {
            path[length++] = at;
            if (ports.isNode(at)) {
                return sends(at, slotInEpoch) ? length : 0;
            }
            final int index = ports.switchOf(at);
            final int in = table(index).selected(slotInEpoch, ports.localPort(at));
            at = in == SwitchTable.DARK ? NONE : feeder[ports.ofSwitch(index, in)];
        }
        return 0;
    }

    /** A feeder for every port, all {@link #NONE}. */
    static int[] unconnected(final PortNumbers ports) {
        final int[] feeder = new int[ports.total()];
        Arrays.fill(feeder, NONE);
        return feeder;
    }

    /** Connects two ports both ways. */
    static void connect(final int[] feeder, final int one, final int other) {
        feeder[one] = other;
        feeder[other] = one;
    }
}
