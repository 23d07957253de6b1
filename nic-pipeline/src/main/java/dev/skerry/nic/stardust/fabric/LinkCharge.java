package dev.skerry.nic.stardust.fabric;

/**
 * What a cell takes of a link: its bytes, where a short one is worth less than a whole slot (docs/spec/stardust.md §3.4
 * and §10, row 6). A slot is then shorter than the longest cell; a link sends a cell in the slot by whose end all its
 * bytes have gone out.
 *
 * @param bytesPerSlot bytes that a link sends in a slot, no more than the shortest cell of interest takes: a link sends
 *                     one cell a slot at most; over 0.
 * @param cellBytes    what a cell takes beyond its payload, 0 to 1024.
 * @param packetBytes  what the last cell of a packet takes beyond that, 0 to 1024, for packets that do not share cells.
 */
public record LinkCharge(double bytesPerSlot, int cellBytes, int packetBytes) {
    private static final int FRACTION_BITS = 16;
    private static final int MOST = 1024;

    /** Checks every bound. */
    public LinkCharge {
        if (!(bytesPerSlot > 0 && bytesPerSlot <= MOST)) {
            throw new IllegalArgumentException("a link sends up to 1024 bytes a slot: bytesPerSlot=" + bytesPerSlot);
        }
        if (cellBytes < 0 || cellBytes > MOST || packetBytes < 0 || packetBytes > MOST) {
            throw new IllegalArgumentException("what a cell takes more is 0 to 1024 bytes: cellBytes=" + cellBytes
                + " packetBytes=" + packetBytes);
        }
    }

    /** Bytes of a slot in 1/65536. */
    public long perSlot() {
        return Math.round(bytesPerSlot * (1 << FRACTION_BITS));
    }

    /** What a cell takes in 1/65536 bytes. */
    public long of(final long first) {
        return (long) (StardustCell.bytes(first) + cellBytes + (StardustCell.isEnd(first) ? packetBytes : 0))
            << FRACTION_BITS;
    }
}
