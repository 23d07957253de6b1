package dev.skerry.tools.trace;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.tools.run.FabricKind;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The cells that all nodes of a run send and receive, a line each, as a recorded trace of hardware. A source numbers
 * its cells to a destination in the order in which it sends them, as in a header. One thread.
 */
public final class FabricCells implements AutoCloseable {
    private static final int NUMBER_MASK = (1 << 14) - 1;
    /** In place of a dummy: a message between nodes that tell each other of failures. */
    private static final int MESSAGE = 3;

    private final CircuitFabric fabric;
    private final FlowSet flows;
    private final SlotRange range;
    private final CellNames names;
    private final FabricModel model;
    private final NodeCells cells;
    /** With faults: the nodes alone, null where one is absent, as the fabric keeps only what is left on the way. */
    private final NodeModel[] alone;
    private final NodeCells[] ofNode;
    /** By source and destination, the cells that were sent; and the number of each one on its way. */
    private final Map<Integer, Integer> sent = new HashMap<>();
    private final Map<Long, Integer> numbers = new HashMap<>();
    private long lines;

    /** @throws IllegalArgumentException if the fabric is neither Shale nor Shoal, or has traffic classes. */
    public FabricCells(final CircuitFabric fabric, final FlowSet flows, final Faults faults, final SlotRange range) {
        if (!(fabric instanceof Shale || fabric instanceof Shoal) || flows.classes() > 1) {
            throw new IllegalArgumentException("only cells of Shale and Shoal without traffic classes have such lines");
        }
        if (!faults.isEmpty() && !(fabric instanceof Shale)) {
            throw new IllegalArgumentException("nodes of Shoal that tell each other of failures send more than cells");
        }
        this.fabric = fabric;
        this.flows = flows;
        this.range = range;
        this.names = CellNames.of(flows, fabric.population());
        this.model = new FabricModel(FabricKind.partsOf(fabric), flows, faults);
        this.cells = new NodeCells(fabric.channels());
        this.alone = faults.isEmpty() ? null : new NodeModel[fabric.nodes()];
        this.ofNode = new NodeCells[fabric.nodes()];
        Arrays.setAll(ofNode, node -> new NodeCells(fabric.channels()));
        for (int node = 0; alone != null && node < alone.length; node++) {
            alone[node] = fabric.population().present(node)
                ? new NodeModel(FabricKind.partsOf(fabric), flows, faults, node) : null;
            ofNode[node].setNothing(0);
        }
    }

    /**
     * Writes all lines.
     *
     * @param goOn polled each slot; false ends the file early.
     * @return lines written.
     */
    public long write(final Path file, final BooleanSupplier goOn) throws IOException {
        try (BufferedWriter to = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            to.write(fabric instanceof Shale
                ? "kind,slot,node,dst_mac,src,dst,seq,sprays,tok1_kind,tok1_dst,tok1_n,tok2_kind,"
                + "tok2_dst,tok2_n,dummy\n"
                : "kind,slot,node,channel,dst_mac,src,dst,seq,report,dummy\n");
            // What is sent before the range has numbers, too.
            while (goOn.getAsBoolean() && range.advance(model, flows, this::step)) {
                for (int node = 0; node < fabric.nodes(); node++) {
                    cells.set(ofNode[node]);
                    writeAll(to, 'T', node);
                }
                for (int node = 0; node < fabric.nodes(); node++) {
                    model.received(node, cells);
                    writeAll(to, 'R', node);
                }
            }
        }
        return lines;
    }

    private void step() {
        model.step();
        for (int node = 0; node < fabric.nodes(); node++) {
            send(node);
            for (int channel = 0; channel < cells.channels(); channel++) {
                final long cell = ofNode[node].cell(channel);
                if (ofNode[node].state(channel) == SlotState.CELL && names.source(cell) == node) {
                    // After a failure a cell may come back to its source.
                    final int pair = node * fabric.nodes() + names.destination(cell);
                    numbers.computeIfAbsent(cell, of -> sent.merge(pair, 1, Integer::sum) - 1);
                }
            }
        }
    }

    /** What a node sent in the last slot, whatever becomes of it. */
    private void send(final int node) {
        if (alone == null) {
            model.sent(node, ofNode[node]);
        } else if (alone[node] != null) {
            model.received(node, cells);
            ofNode[node].set(alone[node].step(model.slot() - 1, cells));
        }
    }

    private void writeAll(final BufferedWriter to, final char kind, final int node) throws IOException {
        final boolean isSent = kind == 'T';
        final long slot = model.slot() - 1;
        final int then = fabric.schedule().slotInEpoch(isSent ? slot : slot - fabric.propagationSlots());
        for (int channel = 0; channel < cells.channels(); channel++) {
            if (cells.state(channel) == SlotState.NOTHING) {
                continue;
            }
            final int sender = isSent ? node : fabric.schedule().senderAt(node, channel, then);
            final int receiver = isSent ? fabric.schedule().peerAt(node, channel, then) : node;
            to.write(kind + "," + slot + "," + node + ",");
            to.write(fabric instanceof Shale ? receiver + "," + shale(channel, sender)
                : channel + "," + receiver + "," + shoal(channel, sender));
            to.write('\n');
            lines++;
            if (!isSent && cells.state(channel) == SlotState.CELL && names.destination(cells.cell(channel)) == node) {
                numbers.remove(cells.cell(channel));
            }
        }
    }

    private boolean isCell(final int channel) {
        return cells.state(channel) == SlotState.CELL;
    }

    /** Source, destination and number; a dummy is from its sender to its sender. */
    private String ends(final int channel, final int sender) {
        final long cell = cells.cell(channel);
        return isCell(channel) ? names.source(cell) + "," + names.destination(cell) + ","
            + (numbers.get(cell) & NUMBER_MASK) : sender + "," + sender + ",0";
    }

    private String shale(final int channel, final int sender) {
        final long feedback = cells.feedback(channel);
        return ends(channel, sender) + "," + (isCell(channel) ? Route.sprays(cells.route(channel)) : 0) + ","
            + token((int) feedback) + "," + token((int) (feedback >>> Integer.SIZE)) + "," + dummy(channel);
    }

    /** Kind, destination and number of sprays; what tells of failures has its kind in it. */
    private static String token(final int word) {
        final int token = word < 0 ? ShaleToken.NONE : FailureNotices.isToken(word)
            ? ShaleToken.of(Route.bucketDestination(word), Route.sprays(word)) : word;
        return token == ShaleToken.NONE ? "1,-1,-1"
            : ShaleToken.kind(token) + "," + ShaleToken.destination(token) + "," + ShaleToken.index(token);
    }

    private String shoal(final int channel, final int sender) {
        final long report = cells.feedback(channel);
        return ends(channel, sender) + "," + (report == InFlightCells.NO_FEEDBACK ? 0 : report) + "," + dummy(channel);
    }

    private int dummy(final int channel) {
        return isCell(channel) ? 0 : cells.route(channel) == InFlightCells.CONTROL ? MESSAGE : 1;
    }

    @Override
    public void close() {
        model.close();
        for (int node = 0; alone != null && node < alone.length; node++) {
            if (alone[node] != null) {
                alone[node].close();
            }
        }
    }
}
