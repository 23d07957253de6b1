package dev.skerry.nic.shale.stage;

import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleToken;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Population;

import java.lang.foreign.MemorySegment;

/**
 * A transmission of Shale as bytes (docs/spec/shale.md §8.5): the header is written by its codec, the payload is that
 * of the cell where the run keeps payloads. One bank, one thread.
 */
final class ShaleFrame implements ByteDamage.Frame {
    /** Bytes of a cell, header and payload. */
    static final int CELL_BYTES = 256;

    private final ShaleHeader header;
    private final Population population;
    private final FlowSet flows;
    private final PayloadStore store;
    private int id;
    private long route;
    private long cell;
    private long feedback;

    /**
     * Nothing sent.
     *
     * @param shale the fabric.
     * @param flows tell the source of a cell.
     * @param store has its payload.
     */
    ShaleFrame(final Shale shale, final FlowSet flows, final PayloadStore store) {
        this.header = ShaleHeader.forFabric(shale.nodes(), shale.schedule().phases(), true);
        this.population = shale.population();
        this.flows = flows;
        this.store = store;
    }

    /**
     * What a node sends.
     *
     * @param from         the node.
     * @param routeWord    a cell, an idle one or a probe.
     * @param cellWord     the cell word.
     * @param feedbackWord what rides along.
     */
    void sent(final int from, final long routeWord, final long cellWord, final long feedbackWord) {
        id = from;
        route = routeWord;
        cell = cellWord;
        feedback = feedbackWord;
    }

    @Override
    public int cellBytes() {
        return CELL_BYTES;
    }

    @Override
    public void writeTo(final MemorySegment frame) {
        final int first = token((int) feedback);
        final int second = token((int) (feedback >>> Integer.SIZE));
        final MemorySegment payload = frame.asSlice(header.layout().headerBytes());
        payload.fill((byte) 0);
        if (!Route.isCell(route)) {
            header.encodeDummy(frame, 0, id, first, second);
            return;
        }
        final long identity = store.identify(cell);
        store.copy(cell, payload);
        header.encode(frame, 0, population.nodeOf(flows.source(Cell.flow(identity))), Route.destination(route),
            Route.sprays(route), Cell.sequence(identity), first, second);
    }

    @Override
    public HeaderFault check(final MemorySegment frame) {
        return header.check(frame, 0);
    }

    /** The token of a notice; a missing cell is told as a token of the peer itself, of which there are no others. */
    private static int token(final int notice) {
        if (notice == (int) InFlightCells.NO_FEEDBACK) {
            return ShaleToken.NONE;
        }
        return FailureNotices.isToken(notice) ? ShaleToken.of(Route.bucketDestination(notice),
            notice & Route.MAX_SPRAYS) : notice;
    }
}
