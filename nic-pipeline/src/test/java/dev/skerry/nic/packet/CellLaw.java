package dev.skerry.nic.packet;

import dev.skerry.nic.packet.PacketCounter.PacketCounts;

/** The law of conservation of a receiver's cells. */
final class CellLaw {
    private CellLaw() {
    }

    /**
     * Checks that cells received = cells delivered + cells held + drops.
     *
     * @param held cells held by the {@link ReorderWindow} and the {@link PacketReassembler} together.
     * @throws IllegalStateException if the law is broken.
     */
    static void verify(final PacketCounts counts, final long held) {
        final long received = counts.get(PacketCounter.CELLS_RECEIVED);
        final long delivered = counts.get(PacketCounter.CELLS_DELIVERED);
        if (received != delivered + held + counts.dropped()) {
            throw new IllegalStateException("cells are not conserved: received=" + received + " delivered="
                + delivered + " held=" + held + " dropped=" + counts.dropped());
        }
    }
}
