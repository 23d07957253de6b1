package dev.skerry.tools.trace;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.tools.run.CircuitParts;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The cells that all nodes of a run send and receive, a line each, as a recorded trace of hardware. A source numbers
 * its cells to a destination in the order in which it sends them, as in a header. One thread.
 */
public final class FabricCells implements AutoCloseable {
    private static final int NUMBER_MASK = (1 << 14) - 1;

    private final CircuitFabric fabric;
    private final FlowSet flows;
    private final SlotRange range;
    private final CellNames names;
    private final FabricModel model;
    private final NodeCells cells;
    /** By source and destination, the cells that were sent; and the number of each one on its way. */
    private final Map<Integer, Integer> sent = new HashMap<>();
    private final Map<Long, Integer> numbers = new HashMap<>();
    private long lines;

    /** @throws IllegalArgumentException if the fabric is neither Shale nor Shoal, or has traffic classes. */
    public FabricCells(final CircuitFabric fabric, final FlowSet flows, final SlotRange range) {
        if (!(fabric instanceof Shale || fabric instanceof Shoal) || flows.classes() > 1) {
            throw new IllegalArgumentException("only cells of Shale and Shoal without traffic classes have such lines");
        }
        this.fabric = fabric;
        this.flows = flows;
        this.range = range;
        this.names = CellNames.of(flows, fabric.population());
        this.model = new FabricModel(CircuitParts.of(fabric), flows);
        this.cells = new NodeCells(fabric.channels());
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
                ? "kind,slot,node,dst_mac,src,dst,seq,sprays,tok1_dst,tok1_n,tok2_dst,tok2_n,dummy\n"
                : "kind,slot,node,channel,dst_mac,src,dst,seq,report,dummy\n");
            // What is sent before the range has numbers, too.
            while (goOn.getAsBoolean() && range.advance(model, flows, this::step)) {
                for (int node = 0; node < fabric.nodes(); node++) {
                    model.sent(node, cells);
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
            model.sent(node, cells);
            for (int channel = 0; channel < cells.channels(); channel++) {
                final long cell = cells.cell(channel);
                if (cells.state(channel) == SlotState.CELL && names.source(cell) == node) {
                    numbers.put(cell, sent.merge(node * fabric.nodes() + names.destination(cell), 1, Integer::sum) - 1);
                }
            }
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

    private static String token(final int bucket) {
        return bucket < 0 ? "-1,-1" : Route.bucketDestination(bucket) + "," + Route.sprays(bucket);
    }

    private String shoal(final int channel, final int sender) {
        final long report = cells.feedback(channel);
        return ends(channel, sender) + "," + (report == InFlightCells.NO_FEEDBACK ? 0 : report) + "," + dummy(channel);
    }

    private int dummy(final int channel) {
        return isCell(channel) ? 0 : 1;
    }

    @Override
    public void close() {
        model.close();
    }
}
