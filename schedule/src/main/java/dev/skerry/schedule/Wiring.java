package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * A whole fabric: nodes, circuit switches with their tables, and the fibres between them. An engine, or hardware, can
 * be built from it without reference to Clos networks or phases.
 *
 * <p>A fibre leads from the out side of a port to the in side of a port, and is identified by either. In each slot a
 * node sends and receives on one of its ports ({@link #nodePortAt}); every output of a switch repeats the input that it
 * selects. Cells cross stages in order: an output's cells depend only on lower stages, so within a slot all outputs of
 * stage 0 can be served, then those of stage 1, and so on. A switch may serve several stages.
 *
 * <p>The constructor checks a wiring (docs/spec/shoal.md §2.4). C1: an output feeds one fibre and one fibre feeds an
 * input, as inside the switches. C2: tables and fibres together realise the schedule in every slot. C3: planes of
 * different channels share no port. Also, a fibre carries a cell in exactly the slots in which its receiving port
 * expects one, so every cell arrives and no input waits for a missing cell. Immutable; any thread may call. The
 * accessors do not check their arguments.
 */
public final class Wiring {
    /** No port: not connected. */
    public static final int NONE = -1;
    /** Maximum number of switch stages on a cell's path. */
    public static final int MAX_STAGES = 64;

    private final Schedule schedule;
    private final PortNumbers ports;
    private final int[] nodePortAt;
    private final int[] feeder;
    private final int[] target;
    private final int[] stage;
    private final int stages;

    /**
     * Creates and checks a wiring.
     *
     * @param schedule   the schedule to realise.
     * @param ports      the ports of its nodes and switches.
     * @param nodePortAt by slot of the epoch: the port on which every node sends and receives, on every channel.
     * @param feeder     by port: the port whose out side feeds its in side, or {@link #NONE}.
     * @throws IllegalArgumentException if a check fails; the message names the port or slot.
     */
    public Wiring(final Schedule schedule, final PortNumbers ports, final int[] nodePortAt, final int[] feeder) {
        this.schedule = schedule;
        this.ports = ports;
        this.nodePortAt = nodePortAt.clone();
        this.feeder = feeder.clone();
        this.target = targets();
        this.stage = outputStages();
        this.stages = Arrays.stream(stage).max().orElse(NONE) + 1;
        checkFibres();
        checkComposition();
    }

    /** The schedule that this wiring realises. */
    public Schedule schedule() {
        return schedule;
    }

    /** The ports and switches. */
    public PortNumbers ports() {
        return ports;
    }

    /** Number of circuit switches in all planes. */
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

    /** Number of switch stages. */
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

    /** Whether the in side of a port expects a cell in a slot of the epoch. */
    public boolean receives(final int port, final int slotInEpoch) {
        if (ports.isNode(port)) {
            return ports.localPort(port) == nodePortAt[slotInEpoch] && schedule.senderAt(ports.nodeOf(port),
                ports.channelOf(port), slotInEpoch) != Schedule.IDLE;
        }
        return table(ports.switchOf(port)).reached(slotInEpoch, ports.localPort(port)) != SwitchTable.DARK;
    }

    /**
     * Traces a received cell back to its sender.
     *
     * @param node        the receiver.
     * @param channel     the channel.
     * @param slotInEpoch the slot of the epoch.
     * @param path        receives the fibres crossed, the last one first, each as the port that sends into it; has at
     *                    least {@code stages() + 1} entries.
     * @return number of fibres, including the sender's; 0 if the path ends at an empty output.
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

    /**
     * The ordered pairs of nodes whose cells cross a switch in some slot of the epoch. Walks the whole epoch.
     *
     * @param index the switch, 0 to {@code switches() - 1}.
     * @return the sender's id in the upper 32 bits and the receiver's in the lower 32, each pair once, ascending.
     */
    public long[] pairsThrough(final int index) {
        final int[] path = new int[stages + 1];
        final LongStream.Builder pairs = LongStream.builder();
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int length = trace(node, channel, slot, path);
                    if (Arrays.stream(path, 0, Math.max(0, length - 1)).anyMatch(at -> ports.switchOf(at) == index)) {
                        pairs.add((long) ports.nodeOf(path[length - 1]) << Integer.SIZE | node);
                    }
                }
            }
        }
        return pairs.build().sorted().distinct().toArray();
    }

    /** An array with {@link #NONE} as the feeder of every port. */
    static int[] unconnected(final PortNumbers ports) {
        final int[] feeder = new int[ports.total()];
        Arrays.fill(feeder, NONE);
        return feeder;
    }

    /** Connects two ports in both directions. */
    static void connect(final int[] feeder, final int one, final int other) {
        feeder[one] = other;
        feeder[other] = one;
    }

    /**
     * Checks C1 and C3 of the fibres.
     *
     * @return by port: the port whose in side its out side feeds, or {@link #NONE}.
     */
    private int[] targets() {
        Bounds.refuseIf(nodePortAt.length != schedule.epochSlots() || feeder.length != ports.total(),
            "a wiring has a node port for every slot and a feeder for every port: nodePortAt.length=",
            nodePortAt.length, " epochSlots=", schedule.epochSlots(), " feeder.length=", feeder.length, " ports=",
            ports.total());
        for (final int port : nodePortAt) {
            Bounds.refuseIf(port < 0 || port >= ports.nodePorts(), "no such node port: nodePortAt=", port,
                " nodePorts=", ports.nodePorts());
        }
        final int[] targets = unconnected(ports);
        for (int port = 0; port < feeder.length; port++) {
            final int from = feeder[port];
            if (from == NONE) {
                continue;
            }
            if (from < 0 || from >= feeder.length) {
                throw new IllegalArgumentException("no such port: feeder=" + from + " of " + ports.describe(port));
            }
            if (targets[from] != NONE) {
                throw new IllegalArgumentException("C1: an output would feed two inputs: " + ports.describe(from)
                    + " feeds " + ports.describe(targets[from]) + " and " + ports.describe(port));
            }
            if (ports.channelOf(from) != ports.channelOf(port)) {
                throw new IllegalArgumentException("C3: a fibre would join two planes: " + ports.describe(from)
                    + " feeds " + ports.describe(port));
            }
            targets[from] = port;
        }
        return targets;
    }

    /**
     * Computes the stage of every output: one above the highest stage of the outputs that ever feed it.
     *
     * @return by port; {@link #NONE} for the ports of nodes.
     */
    private int[] outputStages() {
        final int[] found = new int[ports.total()];
        Arrays.setAll(found, port -> ports.isNode(port) ? NONE : 0);
        boolean changed = true;
        for (int round = 0; changed; round++) {
            Bounds.refuseIf(round > MAX_STAGES, "cells would loop, or cross more than ", MAX_STAGES,
                " stages of switches");
            changed = false;
            for (int index = 0; index < switches(); index++) {
                for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                    changed |= raise(index, slot, found);
                }
            }
        }
        return found;
    }

    private boolean raise(final int index, final int slot, final int[] found) {
        boolean changed = false;
        for (int out = 0; out < table(index).ports(); out++) {
            final int in = table(index).selected(slot, out);
            final int from = in == SwitchTable.DARK ? NONE : feeder[ports.ofSwitch(index, in)];
            final int port = ports.ofSwitch(index, out);
            if (from != NONE && found[from] >= found[port]) {
                found[port] = found[from] + 1;
                changed = true;
            }
        }
        return changed;
    }

    /**
     * Checks that a fibre carries a cell in exactly the slots in which its receiving port expects one, and that no
     * other port expects any.
     */
    private void checkFibres() {
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int port = 0; port < ports.total(); port++) {
                final boolean sends = sends(port, slot);
                if (sends != (target[port] != NONE && receives(target[port], slot))) {
                    throw new IllegalArgumentException((sends ? "a cell would be lost after "
                        : "nothing would arrive for the receiver after ") + ports.describe(port) + ": slotInEpoch="
                        + slot);
                }
                if (feeder[port] == NONE && receives(port, slot)) {
                    throw new IllegalArgumentException(
                        "nothing feeds " + ports.describe(port) + ", which expects a cell: slotInEpoch=" + slot);
                }
            }
        }
    }

    /** C2: every node receives from the sender that the schedule names. */
    private void checkComposition() {
        final int[] path = new int[stages + 1];
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int length = trace(node, channel, slot, path);
                    final int sender = length == 0 ? Schedule.IDLE : ports.nodeOf(path[length - 1]);
                    if (sender != schedule.senderAt(node, channel, slot)) {
                        throw new IllegalArgumentException("C2: a node would receive from " + sender + " instead of "
                            + schedule.senderAt(node, channel, slot) + ": node=" + node + " channel=" + channel
                            + " slotInEpoch=" + slot);
                    }
                }
            }
        }
    }
}
