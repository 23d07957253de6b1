package dev.skerry.tools.score;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shoal.ShoalCell;

/** How a line's cell becomes the words of a fabric's links. Any thread. */
enum TraceWords {
    /** Route with destination and sprays; two tokens. */
    SHALE {
        @Override
        long route(final DescribedCell cell) {
            return Route.first(cell.destination(), cell.sprays(), 0);
        }

        @Override
        long feedback(final DescribedCell cell, final int report) {
            return bucket(cell.token1()) & 0xFFFF_FFFFL | (long) bucket(cell.token2()) << Integer.SIZE;
        }
    },
    /** Source and destination; a report. */
    SHOAL {
        @Override
        long route(final DescribedCell cell) {
            return ShoalCell.of(cell.source(), cell.destination());
        }

        @Override
        long feedback(final DescribedCell cell, final int report) {
            return report;
        }
    };

    abstract long route(DescribedCell cell);

    abstract long feedback(DescribedCell cell, int report);

    /**
     * Puts the words of a cell or dummy into a channel that holds nothing.
     *
     * @param columns have read the cell.
     * @param nodes   of the fabric.
     * @return what a dummy carries and ought not to, null for nothing.
     */
    String put(final CellColumns columns, final DescribedCell cell, final int nodes, final NodeCells into,
        final int channel) {
        if (cell.state() == SlotState.NOTHING) {
            return null;
        }
        final int source = cell.source();
        final int destination = cell.destination();
        if (cell.state() == SlotState.DUMMY) {
            into.set(channel, columns.isMessage() ? InFlightCells.CONTROL : InFlightCells.NO_CELL, 0,
                feedback(cell, columns.report()));
            return source == destination && cell.sequence() == 0 ? null
                : "one with cell " + source + ">" + destination + " seq " + cell.sequence();
        }
        final int flow = source < nodes && destination < nodes ? source * nodes + destination : -1;
        into.set(channel, route(cell), Cell.of(flow, cell.sequence()), feedback(cell, columns.report()));
        return null;
    }

    /** The bucket of a token, -1 for none; what tells of failures as it is, which is no bucket. */
    private static int bucket(final int token) {
        if (token == ShaleToken.NONE) {
            return -1;
        }
        return ShaleToken.kind(token) == ShaleToken.KIND_TOKEN
            ? Route.bucket(ShaleToken.destination(token), ShaleToken.index(token)) : token;
    }
}
