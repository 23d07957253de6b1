package dev.skerry.nic.stardust.fabric;

import dev.skerry.dataplane.check.Bounds;

/**
 * How an egress scheduler hands out the right to send (docs/spec/stardust.md §3.3 and §5.1), and what queues do about
 * it.
 *
 * @param bytes        C, what a credit is worth, 256 to 16384.
 * @param bytesPerSlot pace of a port: the bytes of credits it hands out in a slot, R (1 + epsilon); over 0.
 * @param capBytes     what a queue keeps of its credits when it runs empty: 0, C, or more with a low-delay profile.
 * @param adjustBytes  what a packet takes of a credit beyond its own bytes, for preamble and gap; 0 to 64.
 * @param kappa        all ports of an adapter together hand out at most this many times what its links carry;
 *                     infinite for no such bound.
 * @param reaction     whether congestion marks slow an adapter's credits down.
 * @param voqs         when queues ask, and how much they hold.
 * @param classes      what is done for traffic classes.
 */
public record Credits(int bytes, double bytesPerSlot, int capBytes, int adjustBytes, double kappa, boolean reaction,
    VoqRules voqs, ClassRules classes) {
    /** C of the paper. */
    public static final int USUAL_BYTES = 4096;
    /** Most bytes of a credit. */
    static final int MAX_BYTES = 1 << 14;

    private static final int MIN_BYTES = 256;
    private static final int MAX_CAP = 1 << 24;
    private static final int MAX_ADJUST = 64;
    private static final double PERCENT = 100;

    /** Checks every bound. */
    public Credits {
        Bounds.require("bytes", bytes, MIN_BYTES, MAX_BYTES);
        if (!(bytesPerSlot > 0 && bytesPerSlot < 1 << 24)) {
            throw new IllegalArgumentException("the pace must be over 0: bytesPerSlot=" + bytesPerSlot);
        }
        Bounds.require("capBytes", capBytes, 0, MAX_CAP);
        Bounds.require("adjustBytes", adjustBytes, 0, MAX_ADJUST);
        if (!(kappa > 0)) {
            throw new IllegalArgumentException("kappa must be over 0: kappa=" + kappa);
        }
    }

    /** Credits for queues as in the paper, and classes of strict priority. */
    public Credits(final int bytes, final double bytesPerSlot, final int capBytes, final int adjustBytes,
        final double kappa, final boolean reaction) {
        this(bytes, bytesPerSlot, capBytes, adjustBytes, kappa, reaction, VoqRules.usual(Math.max(1, bytes)),
            ClassRules.STRICT);
    }

    /** Credits of 4096 bytes at some pace, of which nothing is kept, without adjustment, bound or reaction. */
    public static Credits paced(final double bytesPerSlot) {
        return new Credits(USUAL_BYTES, bytesPerSlot, 0, 0, Double.POSITIVE_INFINITY, false);
    }

    /** The same with a bound and a reaction to congestion. */
    public Credits regulated(final double bound) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, bound, true, voqs, classes);
    }

    /** The same with credits of another size, for queues as in the paper. */
    public Credits of(final int otherBytes) {
        return new Credits(otherBytes, bytesPerSlot, capBytes == 0 ? 0 : otherBytes, adjustBytes, kappa, reaction,
            VoqRules.usual(Math.max(1, otherBytes)), classes);
    }

    /** The same of which a queue that runs empty keeps other bytes. */
    public Credits keeping(final int otherCap) {
        return new Credits(bytes, bytesPerSlot, otherCap, adjustBytes, kappa, reaction, voqs, classes);
    }

    /** Slots between two credits of a queue that asks for the slowest rate; 0 if none asks slowly. */
    public int slowestSlots() {
        return voqs.isSlow() ? (int) Math.ceil(PERCENT * bytes / (VoqRules.LEAST_PERCENT * bytesPerSlot)) : 0;
    }

    /** The same for queues with other rules. */
    public Credits with(final VoqRules rules) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, kappa, reaction, rules, classes);
    }

    /** The same with other rules for classes. */
    public Credits with(final ClassRules rules) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, kappa, reaction, voqs, rules);
    }
}
