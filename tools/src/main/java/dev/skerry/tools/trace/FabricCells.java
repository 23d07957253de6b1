package dev.skerry.tools.trace;

import dev.skerry.codec.header.SlotState;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.trace.VectorSource.SlotRange;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * The cells that all nodes of a run send and receive, one line each, like a recorded trace of hardware. A source
 * numbers its cells to a destination in the order in which it sends them, as in a header. Not thread-safe.
 */
public final class FabricCells implements AutoCloseable {
    private static final int NUMBER_MASK = (1 << 14) - 1;

    private final CircuitFabric fabric;
    private final LinkWords words;
    private final FlowSet flows;
    private final SlotRange range;
    private final CellNames names;
    private final FabricModel model;
    private final NodeCells cells;
    /**
     * With faults, the nodes without the fabric, because the fabric keeps only cells that survive on the link; null for
     * an absent node.
     */
    private final NodeModel[] alone;
    private final NodeCells[] ofNode;
    /** Cells sent by source and destination, and the number of each cell in flight. */
    private final Map<Integer, Integer> sent = new HashMap<>();
    private final Map<Long, Integer> numbers = new HashMap<>();
    private long written;

    /** @throws IllegalArgumentException if the fabric has no such format, or not with these flows and faults. */
    public FabricCells(final FabricChoice choice, final FlowSet flows, final Faults faults, final SlotRange range) {
        this.fabric = choice.circuits();
        this.words = choice.words();
        if (words.columns() == null || flows.classes() > 1) {
            throw new IllegalArgumentException("cells of several schedules or with traffic classes cannot be written "
                + "as lines");
        }
        if (!faults.isEmpty() && !words.takesFaults()) {
            throw new IllegalArgumentException("nodes of this fabric that report failures to each other send more "
                + "than cells");
        }
        this.flows = flows;
        this.range = range;
        this.names = CellNames.of(flows, fabric.population());
        this.model = new FabricModel(FabricKind.partsOf(fabric), flows, faults);
        this.cells = new NodeCells(fabric.channels());
        this.alone = new NodeModel[faults.isEmpty() ? 0 : fabric.nodes()];
        Arrays.setAll(alone, node -> fabric.population().present(node)
            ? new NodeModel(FabricKind.partsOf(fabric), flows, faults, node) : null);
        this.ofNode = new NodeCells[fabric.nodes()];
        Arrays.setAll(ofNode, node -> new NodeCells(fabric.channels()));
        Arrays.stream(ofNode).forEach(each -> each.setNothing(0));
    }

    /**
     * Writes all words.
     *
     * @param goOn polled in each slot; false ends the file early.
     * @return number of lines written.
     */
    public long write(final Path file, final BooleanSupplier goOn) throws IOException {
        try (BufferedWriter to = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            to.write("kind,slot,node," + words.columns() + "\n");
            // Cells sent before the range have numbers too.
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
        return written;
    }

    private void step() {
        model.step();
        for (int node = 0; node < fabric.nodes(); node++) {
            send(node);
            for (int channel = 0; channel < cells.channels(); channel++) {
                final long cell = ofNode[node].cell(channel);
                if (ofNode[node].isCell(channel) && names.source(cell) == node) {
                    // After a failure a cell may return to its source.
                    final int pair = node * fabric.nodes() + names.destination(cell);
                    numbers.computeIfAbsent(cell, of -> sent.merge(pair, 1, Integer::sum) - 1);
                }
            }
        }
    }

    /** Writes the cells that a node sent in the last slot, whether or not they arrive. */
    private void send(final int node) {
        if (alone.length == 0) {
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
            to.write(words.line(cells, channel, receiver, ends(channel, sender)));
            to.write('\n');
            written++;
            if (!isSent && cells.isCell(channel) && names.destination(cells.cell(channel)) == node) {
                numbers.remove(cells.cell(channel));
            }
        }
    }

    /** Returns source, destination and number; a dummy is from its sender to its sender. */
    private String ends(final int channel, final int sender) {
        final long cell = cells.cell(channel);
        return cells.isCell(channel) ? names.source(cell) + "," + names.destination(cell) + ","
            + (numbers.get(cell) & NUMBER_MASK) : sender + "," + sender + ",0";
    }

    @Override
    public void close() {
        model.close();
        Arrays.stream(alone).filter(Objects::nonNull).forEach(NodeModel::close);
    }
}
