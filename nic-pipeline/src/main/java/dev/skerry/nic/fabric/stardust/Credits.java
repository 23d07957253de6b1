package dev.skerry.nic.fabric.stardust;

/**
 * How an egress scheduler hands out the right to send (spec/stardust §3.3 and §5.1).
 *
 * @param bytes        C, what a credit is worth, 256 to 16384.
 * @param bytesPerSlot pace of a port: the bytes of credits it hands out in a slot, R (1 + epsilon); over 0.
 * @param capBytes     what a queue keeps of its credits when it runs empty, 0 or C.
 * @param adjustBytes  what a packet takes of a credit beyond its own bytes, for preamble and gap; 0 to 64.
 * @param kappa        all ports of an adapter together hand out at most this many times what its links carry;
 *                     infinite for no such bound.
 * @param reaction     whether congestion marks slow an adapter's credits down.
 */
public record Credits(int bytes, double bytesPerSlot, int capBytes, int adjustBytes, double kappa, boolean reaction) {
    /** C of the paper. */
    public static final int USUAL_BYTES = 4096;

    private static final int MIN_BYTES = 256;
    private static final int MAX_BYTES = 1 << 14;
    private static final int MAX_ADJUST = 64;

    /** Checks every bound. */
    public Credits {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("a credit is worth 256 to 16384 bytes: bytes=" + bytes);
        }
        if (!(bytesPerSlot > 0 && bytesPerSlot < 1 << 24)) {
            throw new IllegalArgumentException("the pace must be over 0: bytesPerSlot=" + bytesPerSlot);
        }
        if (capBytes != 0 && capBytes != bytes) {
            throw new IllegalArgumentException("what is kept is 0 or one credit: capBytes=" + capBytes);
        }
        if (adjustBytes < 0 || adjustBytes > MAX_ADJUST) {
            throw new IllegalArgumentException("adjustBytes must be 0 to 64: adjustBytes=" + adjustBytes);
        }
        if (!(kappa > 0)) {
            throw new IllegalArgumentException("kappa must be over 0: kappa=" + kappa);
        }
    }

    /** Credits of 4096 bytes at some pace, of which nothing is kept, without adjustment, bound or reaction. */
    public static Credits paced(final double bytesPerSlot) {
        return new Credits(USUAL_BYTES, bytesPerSlot, 0, 0, Double.POSITIVE_INFINITY, false);
    }

    /** The same with a bound and a reaction to congestion. */
    public Credits regulated(final double bound) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, bound, true);
    }

    /** The same with credits of another size. */
    public Credits of(final int otherBytes) {
        return new Credits(otherBytes, bytesPerSlot, capBytes == 0 ? 0 : otherBytes, adjustBytes, kappa, reaction);
    }
}
