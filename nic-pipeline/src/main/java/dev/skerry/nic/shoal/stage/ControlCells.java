package dev.skerry.nic.shoal.stage;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.dataplane.memory.SlabLayout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The payloads of Shoal's control cells, real messages of {@link ShoalControl}, one place for each place of the
 * {@link InFlightCells}: written by the sender's thread with the cell, read with it by the receiver's. All banks share
 * it.
 */
final class ControlCells {
    private final Slab slab;
    private final InFlightCells link;
    private final ShoalControl control;

    /**
     * No messages.
     *
     * @param arena  owner of the memory.
     * @param nodes  nodes of the fabric.
     * @param places places of the link.
     * @param link   the link.
     */
    ControlCells(final Arena arena, final int nodes, final int places, final InFlightCells link) {
        this.slab = new Slab(arena, places, ShoalControl.BYTES);
        this.link = link;
        this.control = new ShoalControl(nodes);
    }

    /** Memory in bytes. */
    static long bytes(final int places) {
        return SlabLayout.slabBytes(places, ShoalControl.BYTES);
    }

    /** The bytes of all messages. */
    MemorySegment bytes() {
        return slab.segment();
    }

    /** Where the message of the cell at a place of the link lies. */
    long offset(final long at) {
        return slab.offset(link.handle(at));
    }

    /** The message of the cell at a place of the link. */
    MemorySegment message(final long at) {
        return slab.segment().asSlice(offset(at), ShoalControl.BYTES);
    }

    /** Whether the message of a cell that arrived is one. */
    boolean isValid(final long at) {
        return control.check(slab.segment(), offset(at), ShoalControl.BYTES) == ControlFault.NONE;
    }

    /** Writes a probe. */
    void probe(final long at, final boolean hears, final int incarnation) {
        control.encodeProbe(slab.segment(), offset(at), hears, incarnation);
    }
}
