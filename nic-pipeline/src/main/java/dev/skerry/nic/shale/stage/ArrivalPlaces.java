package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;

/** Where on the link stands what the nodes of a block receive in a slot. One thread. */
final class ArrivalPlaces {
    /** Offset on the link of the cell that each node of the block receives. */
    final long[] arrived;
    /** Nodes of the block that are flagged. Spare entries absorb the last branchless writes. */
    final int[] some;

    private final NodeRange range;
    private final Phased schedule;
    private final SlotMath numbers;
    private final InFlightCells link;
    private final Flight flight;
    private final ArrivalFlags flags;
    private final ArrivalMap circuits;
    /** By entry of the list: at which position of its row it stands, see {@link ArrivalFlags}. */
    private final int[] position;
    private int inEpoch;
    private int row;
    private int flagged;
    private int sent;

    ArrivalPlaces(final NodeRange range, final Shale shale, final Flight flight, final ArrivalMap circuits,
        final int block) {
        this.range = range;
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.link = flight.link();
        this.flight = flight;
        this.flags = flight.flags();
        this.circuits = circuits;
        this.arrived = new long[block];
        this.some = new int[block + QueueBits.SPARE];
        this.position = new int[block];
    }

    /** Turns to a row of the link; returns what has been sent in it, as far as senders tell. */
    int turnTo(final int toInEpoch, final int toRow) {
        inEpoch = toInEpoch;
        row = toRow;
        sent = flight.isTold() ? flags.sent(row) : ArrivalFlags.FULL;
        return sent;
    }

    /** Lists the flagged nodes of a block; returns how many. */
    int list(final int first, final int nodes) {
        flagged = flight.isTold() ? flags.take(row, range.first() + first, nodes, some, position) : 0;
        return flagged;
    }

    /** Finds what all nodes of the block that was listed receive. */
    void findAll(final long slot, final int first, final int nodes) {
        circuits.arrivals(slot, 0, range.first() + first, nodes, arrived);
        if (!flight.packs() || sent == ArrivalFlags.FULL) {
            return;
        }
        // What banks have sent side by side is for the flagged nodes alone.
        final long rowAt = link.offset(row);
        for (int i = 0; i < nodes; i++) {
            final int sender = (int) ((arrived[i] - rowAt) / InFlightCells.PLACE_BYTES);
            arrived[i] = rowAt + Region.offset(flags.unflagged(row, sender), InFlightCells.PLACE_BYTES);
        }
        findFlagged(first);
    }

    /** Finds what the flagged nodes of the block that was listed receive. */
    void findFlagged(final int first) {
        final long rowAt = link.offset(row);
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = schedule.reverseLink(numbers.link(inEpoch));
        final int firstId = range.first() + first;
        for (int k = 0; k < flagged; k++) {
            final int i = some[k];
            arrived[i] = rowAt + Region.offset(flags.place(schedule.peerOf(firstId + i, phase, phaseLink),
                position[k]), InFlightCells.PLACE_BYTES);
        }
    }
}
