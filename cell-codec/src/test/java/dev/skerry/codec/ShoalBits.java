package dev.skerry.codec;

/** Model of a Shoal cell: a string of bits with the widths of docs/spec/shoal.md §3.1. */
final class ShoalBits {
    /** Widths of destination, source, number (class and sequence), feedback, sop, eop and lcd. */
    private static final int[] WIDTHS = {10, 10, 22, 11, 1, 1, 1};
    private static final int DESTINATION = 0;
    private static final int SOURCE = 10;
    private static final int SOP = 53;

    private ShoalBits() {
    }

    static byte[] cell(final byte[] payload, final int... fields) {
        final byte[] bytes = HeaderBits.framed(payload, 8, 0, (byte) 0);
        HeaderBits.put(bytes, WIDTHS, fields);
        repairCrc(bytes);
        return bytes;
    }

    static void repairCrc(final byte[] cell) {
        final int covered = kind(cell) == Kind.DUMMY ? 7 : cell.length - 1;
        final byte[] bytes = new byte[covered];
        System.arraycopy(cell, 0, bytes, 0, 7);
        System.arraycopy(cell, 8, bytes, 7, covered - 7);
        cell[7] = (byte) HeaderBits.crc(Crc8.SHOAL, bytes, covered * 8);
    }

    static Kind kind(final byte[] cell) {
        for (int bit = 0; bit < SOURCE - DESTINATION; bit++) {
            if (HeaderBits.get(cell, DESTINATION + bit) != HeaderBits.get(cell, SOURCE + bit)) {
                return Kind.DATA;
            }
        }
        return HeaderBits.get(cell, SOP) ? Kind.CONTROL : Kind.DUMMY;
    }

    enum Kind { DATA, DUMMY, CONTROL }
}
