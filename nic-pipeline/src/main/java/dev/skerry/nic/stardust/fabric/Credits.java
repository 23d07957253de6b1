package dev.skerry.nic.stardust.fabric;

import dev.skerry.schedule.check.Bounds;

import java.util.List;

/**
 * Rules by which an egress scheduler grants the right to send (docs/spec/stardust.md §3.3 and §5.1), and by which
 * queues request it.
 *
 * @param bytes        C: worth of a credit, 256 to 16384.
 * @param bytesPerSlot pace of a port, R (1 + epsilon): the bytes of credits that it grants in a slot; above 0.
 * @param capBytes     credits that a queue keeps when it runs empty: 0, C, or more with a low-delay profile.
 * @param adjustBytes  bytes of a credit that a packet uses beyond its own bytes, for preamble and gap; 0 to 64.
 * @param kappa        bound on what all ports of an adapter together grant, as a multiple of what its links carry;
 *                     infinite for no bound.
 * @param reaction     whether congestion marks slow an adapter's credits down.
 * @param voqs         when queues ask, and how much they hold.
 * @param classes      rules for traffic classes.
 */
public record Credits(int bytes, double bytesPerSlot, int capBytes, int adjustBytes, double kappa, boolean reaction,
    VoqRules voqs, ClassRules classes) {
    /** C of the paper. */
    public static final int USUAL_BYTES = 4096;
    /** Largest worth of a credit in bytes. */
    static final int MAX_BYTES = 1 << 14;

    private static final int MIN_BYTES = 256;
    private static final int MAX_CAP = 1 << 24;
    private static final int MAX_ADJUST = 64;
    private static final double PERCENT = 100;

    /** Checks every bound. */
    public Credits {
        Bounds.require("bytes", bytes, MIN_BYTES, MAX_BYTES);
        Bounds.refuseIf(!(bytesPerSlot > 0 && bytesPerSlot < 1 << 24), "the pace must be above 0: bytesPerSlot=",
            bytesPerSlot);
        Bounds.require("capBytes", capBytes, 0, MAX_CAP);
        Bounds.require("adjustBytes", adjustBytes, 0, MAX_ADJUST);
        Bounds.refuseIf(!(kappa > 0), "kappa must be above 0: kappa=", kappa);
    }

    /** Creates credits for queues as in the paper, and classes of strict priority. */
    public Credits(final int bytes, final double bytesPerSlot, final int capBytes, final int adjustBytes,
        final double kappa, final boolean reaction) {
        this(bytes, bytesPerSlot, capBytes, adjustBytes, kappa, reaction, VoqRules.usual(Math.max(1, bytes)),
            ClassRules.STRICT);
    }

    /** Returns credits of 4096 bytes at some pace, of which nothing is kept, without adjustment, bound or reaction. */
    public static Credits paced(final double bytesPerSlot) {
        return new Credits(USUAL_BYTES, bytesPerSlot, 0, 0, Double.POSITIVE_INFINITY, false);
    }

    /** Returns the same rules with a bound and a reaction to congestion. */
    public Credits regulated(final double bound) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, bound, true, voqs, classes);
    }

    /** Returns the same rules with credits of another size, for queues as in the paper. */
    public Credits of(final int otherBytes) {
        return new Credits(otherBytes, bytesPerSlot, capBytes == 0 ? 0 : otherBytes, adjustBytes, kappa, reaction,
            VoqRules.usual(Math.max(1, otherBytes)), classes);
    }

    /** Returns the same rules with another number of bytes kept by a queue that runs empty. */
    public Credits keeping(final int otherCap) {
        return new Credits(bytes, bytesPerSlot, otherCap, adjustBytes, kappa, reaction, voqs, classes);
    }

    /** Returns the slots between two credits of a queue that requests the slowest rate; 0 if none asks slowly. */
    public int slowestSlots() {
        return voqs.isSlow() ? (int) Math.ceil(PERCENT * bytes / (VoqRules.LEAST_PERCENT * bytesPerSlot)) : 0;
    }

    /** Returns the same rules with other rules for queues. */
    public Credits with(final VoqRules rules) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, kappa, reaction, rules, classes);
    }

    /** Returns the same rules with other rules for classes. */
    public Credits with(final ClassRules rules) {
        return new Credits(bytes, bytesPerSlot, capBytes, adjustBytes, kappa, reaction, voqs, rules);
    }

    /**
     * Rules of adapters for the traffic classes of their ports (docs/spec/stardust.md §3.7 and §5.1).
     *
     * @param weights       by class: 0 for a class whose credits precede those of all classes after it, else its share
     *                      of the remaining credits, 1 to {@link #MAX_WEIGHT}; strict classes come first. Empty: all
     *                      are strict.
     * @param lowLatency    whether the highest class is sent at once, without request and credit, and precedes all
     *                      other cells at every link. Two buckets bound what a source may send that way; a packet that
     *                      finds one of them empty is dropped at its ingress.
     * @param adapterShare  share of its links' rate that an adapter may send that way: above 0, up to 1.
     * @param portShare     share of a port's rate that an adapter may send to it that way: above 0, up to 1.
     * @param burstBytes    capacity of a bucket, at least a longest packet.
     */
    public record ClassRules(List<Integer> weights, boolean lowLatency, double adapterShare, double portShare,
        int burstBytes) {
        /** Largest weight. */
        public static final int MAX_WEIGHT = 127;
        /** A twentieth of an adapter's links (docs/spec/stardust.md §3.7). */
        static final double USUAL_SHARE = 0.05;
        /** Capacity of a bucket: one longest packet and some short ones. */
        static final int USUAL_BURST_BYTES = 16_384;
        /** Strict priorities; every class waits for credits. */
        public static final ClassRules STRICT = new ClassRules(List.of(), false, USUAL_SHARE, 1, USUAL_BURST_BYTES);

        private static final int LONGEST_PACKET = 9216;

        /** Checks every bound. */
        public ClassRules {
            weights = List.copyOf(weights);
            boolean weighted = false;
            for (final int weight : weights) {
                Bounds.refuseIf(weight < 0 || weight > MAX_WEIGHT, "a weight is 0 to ", MAX_WEIGHT, ": weights=",
                    weights);
                Bounds.refuseIf(weight == 0 && weighted, "strict classes, of weight 0, come first: weights=", weights);
                weighted |= weight > 0;
            }
            Bounds.refuseIf(lowLatency && !weights.isEmpty() && weights.getFirst() != 0,
                "the low-latency class uses no credits, so its weight must be 0: weights=", weights);
            Bounds.refuseIf(!(adapterShare > 0 && adapterShare <= 1 && portShare > 0 && portShare <= 1),
                "a share must be above 0 and at most 1: adapterShare=", adapterShare, " portShare=", portShare);
            Bounds.refuseIf(burstBytes < LONGEST_PACKET, "a bucket must hold a packet of ", LONGEST_PACKET,
                " bytes: burstBytes=", burstBytes);
        }

        /** Returns classes with these weights. */
        public static ClassRules weighted(final List<Integer> weights) {
            return new ClassRules(weights, false, USUAL_SHARE, 1, USUAL_BURST_BYTES);
        }

        /** Returns the same rules with a highest class that is sent at once, up to a share of an adapter's links. */
        public ClassRules withLowLatency(final double share) {
            return new ClassRules(weights, true, share, portShare, burstBytes);
        }

        /** Returns how many of some classes, the first ones, have strict priority. */
        public int strict(final int classes) {
            int strict = 0;
            while (strict < classes && (weights.isEmpty() || weights.get(strict) == 0)) {
                strict++;
            }
            return strict;
        }

        /** Returns the number of highest classes that need no credit. */
        public int withoutCredit() {
            return lowLatency ? 1 : 0;
        }
    }

    /**
     * Rules of queues for requests and bounds (docs/spec/stardust.md §3.1 and §3.2).
     *
     * @param onBytes      T_on: a queue asks when it holds more than this beyond its credits; below 0 to keep credits
     *                     in reserve.
     * @param offBytes     T_off: it requests no more when its credits exceed what it holds by this.
     * @param byBacklog    whether a request contains the backlog, and a credit is worth no more than that; else each is
     *                     worth C, as in the paper.
     * @param queueBytes   largest number of bytes of a queue; a packet that finds no room is dropped.
     * @param adapterBytes largest number of bytes of all queues of an adapter.
     * @param slowBytes    a queue that needs no more than this requests a slow rate, according to its need; 0: all ask
     *                     for the full pace.
     * @param waitSlots    slots without a credit after which what a queue holds is abandoned; {@link Long#MAX_VALUE}
     *                     for never.
     */
    public record VoqRules(int onBytes, int offBytes, boolean byBacklog, long queueBytes, long adapterBytes,
        int slowBytes, long waitSlots) {
        /** Slowest rate for which a queue asks, in percent of the pace of its port. */
        public static final int LEAST_PERCENT = 3;

        /** Largest threshold and cap. */
        private static final int MOST = 1 << 24;
        private static final int LONGEST_PACKET = 9216;

        /** Checks every bound. */
        public VoqRules {
            Bounds.refuseIf(slowBytes < 0 || slowBytes > MOST || slowBytes > 0 && (byBacklog || onBytes != 0),
                "a queue with slow requests must neither report its backlog nor request credits in advance: "
                    + "slowBytes=", slowBytes);
            Bounds.refuseIf(waitSlots < 1, "a queue must wait for at least one slot: waitSlots=", waitSlots);
            Bounds.refuseIf(onBytes > 0 || onBytes < -MOST || offBytes < 1 || offBytes > MOST,
                "the request thresholds must satisfy onBytes <= 0 < offBytes: "
                    + "onBytes=", onBytes, " offBytes=", offBytes);
            Bounds.refuseIf(byBacklog && onBytes != 0,
                "a queue that reports its backlog must not request credits in advance: onBytes=", onBytes);
            Bounds.refuseIf(queueBytes < LONGEST_PACKET || adapterBytes < queueBytes, "a queue must hold a packet of ",
                LONGEST_PACKET, " bytes, and an adapter must hold a queue: queueBytes=", queueBytes, " adapterBytes=",
                adapterBytes);
        }

        /**
         * Returns the rules of the paper: a queue asks when it has something, up to one credit ahead, and has no bound.
         */
        public static VoqRules usual(final int creditBytes) {
            return new VoqRules(0, creditBytes, false, Long.MAX_VALUE, Long.MAX_VALUE, 0, Long.MAX_VALUE);
        }

        /**
         * Returns rules for queues that keep credits in reserve before anything comes, as long as they do not run empty
         * (§3.2).
         */
        public static VoqRules ahead(final int creditBytes, final int inHand) {
            final int threshold = creditBytes * (inHand + 1);
            return new VoqRules(-threshold, threshold, false, Long.MAX_VALUE, Long.MAX_VALUE, 0, Long.MAX_VALUE);
        }

        /**
         * Returns the credits that such a queue keeps in reserve: what its port sends while a cell crosses the fabric,
         * at least 2.
         *
         * @param portBytes   bytes that a port sends in a slot.
         * @param fabricSlots slots from one adapter to another, without queues.
         */
        public static int inHand(final double portBytes, final int fabricSlots, final int creditBytes) {
            return (int) Math.max(2, Math.ceil(portBytes * fabricSlots / creditBytes));
        }

        /** Returns the same rules with bounds. */
        public VoqRules capped(final long queue, final long adapter) {
            return new VoqRules(onBytes, offBytes, byBacklog, queue, adapter, slowBytes, waitSlots);
        }

        /** Returns the same rules with credits of the size of the backlog. */
        public VoqRules sizedByBacklog() {
            return new VoqRules(onBytes, offBytes, true, queueBytes, adapterBytes, slowBytes, waitSlots);
        }

        /** Returns the same rules for queues that request slow rates up to some bytes. */
        public VoqRules slowUpTo(final int bytes) {
            return new VoqRules(onBytes, offBytes, byBacklog, queueBytes, adapterBytes, bytes, waitSlots);
        }

        /** Returns the same rules for queues that are abandoned after some slots without a credit. */
        public VoqRules givenUpAfter(final long slots) {
            return new VoqRules(onBytes, offBytes, byBacklog, queueBytes, adapterBytes, slowBytes, slots);
        }

        /** Tells whether queues that hold little request slow rates. */
        public boolean isSlow() {
            return slowBytes > 0;
        }

        /** Tells whether queues are ever abandoned. */
        public boolean givesUp() {
            return waitSlots != Long.MAX_VALUE;
        }

        /** Tells whether anything is ever dropped. */
        public boolean isCapped() {
            return adapterBytes != Long.MAX_VALUE || queueBytes != Long.MAX_VALUE;
        }
    }
}
