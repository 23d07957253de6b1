package dev.skerry.nic.shale.stage;

import dev.skerry.codec.Crc32c;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleToken;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Population;

import java.lang.foreign.MemorySegment;

/**
 * What damage does to the bytes of a transmission, and which of the receiver's checks finds it (docs/spec/shale.md
 * §8.5): the header is written by its codec, the payload is that of the cell where the run keeps payloads, and a burst
 * of up to 32 bits is changed anywhere in the {@value #CELL_BYTES} bytes. The CRC of the header sees the header alone,
 * and misses one long burst of 256; the CRC-32C of the frame sees every burst. One bank, one thread.
 */
final class ByteDamage {
    /** Bytes of a cell, header and payload. */
    static final int CELL_BYTES = 256;
    private static final int PLACES = CELL_BYTES - Integer.BYTES + 1;

    private final ShaleHeader header;
    private final Population population;
    private final FlowSet flows;
    private final PayloadStore store;
    private final byte[] bytes = new byte[CELL_BYTES];
    private final MemorySegment frame = MemorySegment.ofArray(bytes);
    private final MemorySegment payload;

    /**
     * Nothing damaged.
     *
     * @param shale the fabric.
     * @param flows tell the source of a cell.
     * @param store has its payload.
     */
    ByteDamage(final Shale shale, final FlowSet flows, final PayloadStore store) {
        this.header = ShaleHeader.forFabric(shale.nodes(), shale.schedule().phases(), true);
        this.population = shale.population();
        this.flows = flows;
        this.store = store;
        this.payload = frame.asSlice(header.layout().headerBytes());
    }

    /**
     * Damages what a node sends.
     *
     * @param id       the node.
     * @param route    the route word: a cell, an idle one or a probe.
     * @param cell     the cell word.
     * @param feedback what rides along.
     * @param noise    64 random bits: where the burst is, and which bits it changes.
     * @return what is wrong with the header; {@link HeaderFault#NONE} if only the frame's check finds the damage.
     * @throws IllegalStateException if no check finds it.
     */
    HeaderFault damage(final int id, final long route, final long cell, final long feedback, final long noise) {
        write(id, route, cell, feedback);
        final int intact = Crc32c.of(frame, 0, CELL_BYTES);
        final int burst = (int) noise == 0 ? 1 : (int) noise;
        final int place = (int) Long.remainderUnsigned(noise >>> Integer.SIZE, PLACES);
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[place + i] ^= (byte) (burst >>> i * Byte.SIZE);
        }
        final HeaderFault found = header.check(frame, 0);
        if (found == HeaderFault.NONE && Crc32c.of(frame, 0, CELL_BYTES) == intact) {
            throw new IllegalStateException("damage that no check finds: node=" + id + " byte=" + place + " burst="
                + Integer.toHexString(burst));
        }
        return found;
    }

    private void write(final int id, final long route, final long cell, final long feedback) {
        final int first = token((int) feedback);
        final int second = token((int) (feedback >>> Integer.SIZE));
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

    /** The token of a notice; a missing cell is told as a token of the peer itself, of which there are no others. */
    private static int token(final int notice) {
        if (notice == (int) InFlightCells.NO_FEEDBACK) {
            return ShaleToken.NONE;
        }
        return FailureNotices.isToken(notice) ? ShaleToken.of(Route.bucketDestination(notice),
            notice & Route.MAX_SPRAYS) : notice;
    }
}
