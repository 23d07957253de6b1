package dev.skerry.nic.host;

import dev.skerry.schedule.check.Bounds;

import java.util.Objects;

/** Model of how hosts send their flows. */
public sealed interface HostModel {
    /** All bytes of a flow are at its adapter when it starts, so only the fabric is measured. */
    HostModel IDEAL = new Ideal();
    /** A host sends at the rate of its port. */
    HostModel PACED = new Paced();

    /** All bytes of a flow are at its adapter when it starts. */
    record Ideal() implements HostModel {
    }

    /**
     * A host sends the packets of its flows round robin, one per queue, at the rate of its port, whatever the backlog
     * of its adapter. Each pair of hosts must have a separate queue.
     */
    record Paced() implements HostModel {
    }

    /**
     * Hosts with TCP and the recovery of New Reno (RFC 5681, RFC 6582, timer of RFC 6298; docs/spec/stardust.md §10,
     * rows 12 to 14), or with another {@link Congestion} control. A segment is a packet and is acknowledged
     * individually. There is no handshake.
     *
     * @param windowPackets  maximum window in segments, 2 to {@link #MAX_WINDOW}: the buffer of the receiver.
     * @param initialPackets segments sent before the first acknowledgement, 1 to {@code windowPackets}.
     * @param queuePackets   Stardust: packets of each kind that fit into the queue of a host's port and into that of
     *                       its adapter, 2 to {@link #MAX_QUEUE}; the host drops the others.
     * @param ackBytes       size of an acknowledgement, 1 to 64.
     * @param minRtoSlots    initial and minimum retransmission timeout; 1 or more.
     * @param wireSlots      Stardust: round-trip delay of the wires between a host and its adapter; 0 to 4096.
     * @param congestion     the congestion control.
     */
    record Reno(int windowPackets, int initialPackets, int queuePackets, int ackBytes, int minRtoSlots,
        int wireSlots, Congestion congestion) implements HostModel {
        /** Initial window of RFC 6928 and of the simulator of NDP. */
        public static final int USUAL_FIRST = 10;
        /** Maximum window. */
        public static final int MAX_WINDOW = 1 << 14;
        /** Maximum queue length. */
        static final int MAX_QUEUE = 1 << 14;
        /** Maximum number of times that a timer doubles. */
        public static final int MAX_BACKOFF = 6;

        private static final int MAX_ACK_BYTES = 64;
        private static final int MAX_WIRE_SLOTS = 4096;
        private static final int MAX_RTO_SLOTS = 1 << 24;
        private static final int USUAL_PACKETS = 100;
        private static final int USUAL_ACK_BYTES = 40;
        private static final int USUAL_INITIAL = 2;

        /** Checks every bound. */
        public Reno {
            Bounds.require("windowPackets", windowPackets, 2, MAX_WINDOW);
            Bounds.require("initialPackets", initialPackets, 1, windowPackets);
            Bounds.require("queuePackets", queuePackets, 2, MAX_QUEUE);
            Bounds.require("ackBytes", ackBytes, 1, MAX_ACK_BYTES);
            Bounds.require("minRtoSlots", minRtoSlots, 1, MAX_RTO_SLOTS);
            Bounds.require("wireSlots", wireSlots, 0, MAX_WIRE_SLOTS);
            Objects.requireNonNull(congestion);
        }

        /** New Reno. */
        public Reno(final int windowPackets, final int initialPackets, final int queuePackets, final int ackBytes,
            final int minRtoSlots, final int wireSlots) {
            this(windowPackets, initialPackets, queuePackets, ackBytes, minRtoSlots, wireSlots, Congestion.NEW_RENO);
        }

        /** Windows and queues of 100 packets, initial window 2, acknowledgements of 40 bytes, wires without delay. */
        public static Reno usual(final int minRtoSlots) {
            return new Reno(USUAL_PACKETS, USUAL_INITIAL, USUAL_PACKETS, USUAL_ACK_BYTES, minRtoSlots, 0);
        }

        /** The same model with another window. */
        public Reno window(final int packets) {
            return new Reno(packets, Math.min(initialPackets, packets), queuePackets, ackBytes, minRtoSlots, wireSlots,
                congestion);
        }

        /** The same model with another initial window. */
        public Reno initial(final int packets) {
            return new Reno(windowPackets, packets, queuePackets, ackBytes, minRtoSlots, wireSlots, congestion);
        }

        /** The same model with another congestion control. */
        public Reno with(final Congestion other) {
            return new Reno(windowPackets, initialPackets, queuePackets, ackBytes, minRtoSlots, wireSlots, other);
        }

        /** Maximum retransmission timeout: the longest time for which a waiting sender does nothing. */
        public long mostWaitSlots() {
            return (long) minRtoSlots << MAX_BACKOFF;
        }
    }

    /** Congestion control of {@link Reno} hosts. */
    sealed interface Congestion {
        /** New Reno: a window that grows until a segment is lost, RFC 5681 and RFC 6582. */
        Congestion NEW_RENO = new NewReno();

        /** Whether it reads ECN marks; otherwise packets are never marked. */
        default boolean readsMarks() {
            return this instanceof Dctcp || this instanceof Dcqcn;
        }

        /** Number of connections per flow. */
        default int subflows() {
            return 1;
        }

        /** New Reno. */
        record NewReno() implements Congestion {
        }

        /** NDP (docs/spec/ndp.md): receivers pull, and switches trim. The window is constant. */
        record Ndp() implements Congestion {
        }

        /**
         * DCTCP (RFC 8257): the window shrinks by half of the fraction of marked segments and grows as in New Reno. The
         * receiver acknowledges each segment and echoes its mark.
         *
         * @param gainBits the gain of the estimate is 1 over 2 to this power, 1 to 10; 4 in the RFC.
         */
        record Dctcp(int gainBits) implements Congestion {
            /** The gain of the RFC, 1/16. */
            public static final Dctcp USUAL = new Dctcp(4);

            private static final int MOST_BITS = 10;

            /** Checks every bound. */
            public Dctcp {
                Bounds.require("gainBits", gainBits, 1, MOST_BITS);
            }
        }

        /**
         * MPTCP with linked increases (RFC 6356): a flow has several connections, whose windows together grow as fast
         * as that of one. Any connection with room in its window takes the next segment.
         *
         * @param subflows connections of a flow, 2 to 64.
         */
        record Mptcp(int subflows) implements Congestion {
            /** Eight subflows, as in the artefact of NDP. */
            public static final Mptcp USUAL = new Mptcp(8);

            private static final int MOST = 64;

            /** Checks every bound. */
            public Mptcp {
                Bounds.require("subflows", subflows, 2, MOST);
            }
        }

        /**
         * DCQCN (Zhu et al., SIGCOMM 2015, §3.1): a flow has a rate instead of a window. The receiver of marked
         * segments sends at most one congestion notification (CNP) per interval. A CNP reduces the rate by a fraction
         * of alpha / 2 and increases alpha; periods without a CNP decrease alpha. After each period of time, and after
         * a number of bytes, the rate moves half of the way to its target, which is at first the rate before the CNP
         * (fast recovery). After {@code steps} periods of either kind the target grows (additive increase), after
         * {@code steps} periods of both kinds faster (hyper increase). After a loss, the sender resumes at the first
         * missing segment (go-back-N).
         *
         * @param cnpSlots     minimum time between CNPs of a connection, 1 to 2^20.
         * @param periodSlots  periods of alpha (K) and of increase (T), 1 to 2^20.
         * @param counterBytes B: bytes that count as a period of increase, 1 to 2^40.
         * @param gainBits     g, the gain of alpha, is 1 over 2 to this power, 1 to 10.
         * @param steps        F: increases of fast recovery, 1 to 100.
         * @param addBytes     R_AI, additive increase and minimum rate, in bytes per slot; 2^-10 to 2^20.
         * @param hyperBytes   R_HAI, hyper increase in bytes per slot; {@code addBytes} to 2^20.
         */
        record Dcqcn(int cnpSlots, int periodSlots, long counterBytes, int gainBits, int steps, double addBytes,
            double hyperBytes) implements Congestion {
            private static final int MOST_SLOTS = 1 << 20;
            private static final int MOST_BITS = 10;
            private static final int MOST_STEPS = 100;
            private static final double LEAST_RATE = 0x1p-10;
            private static final double CNP_NS = 50e3;
            private static final double PERIOD_NS = 55e3;
            private static final long COUNTER_BYTES = 10_000_000;
            private static final int USUAL_BITS = 8;
            private static final int USUAL_STEPS = 5;
            /** 40 Mb/s in bytes a nanosecond. */
            private static final double ADD = 40e6 / Byte.SIZE / 1e9;

            /** Checks every bound. */
            public Dcqcn {
                Bounds.require("cnpSlots", cnpSlots, 1, MOST_SLOTS);
                Bounds.require("periodSlots", periodSlots, 1, MOST_SLOTS);
                Bounds.require("gainBits", gainBits, 1, MOST_BITS);
                Bounds.require("steps", steps, 1, MOST_STEPS);
                Bounds.refuseIf(counterBytes < 1 || counterBytes > 1L << 40,
                    "a counter counts 1 byte to 2^40: counterBytes=", counterBytes);
                Bounds.refuseIf(!(addBytes >= LEAST_RATE && hyperBytes >= addBytes && hyperBytes <= MOST_SLOTS),
                    "rate increments must be above 0, and hyperBytes at least addBytes: "
                        + "addBytes=", addBytes, " hyperBytes=", hyperBytes);
            }

            /**
             * The parameters of the paper (§5.2, Figure 14): notifications every 50 us, periods of 55 us and 10 MB, g
             * of 1/256, F of 5, R_AI of 40 Mb/s. R_HAI, which the paper does not state, is ten times R_AI, as in QCN.
             *
             * @param slotNs length of a slot, above 0.
             */
            public static Dcqcn usual(final double slotNs) {
                final double add = Math.clamp(ADD * slotNs, LEAST_RATE, MOST_SLOTS / 16.0);
                return new Dcqcn(slots(CNP_NS, slotNs), slots(PERIOD_NS, slotNs), COUNTER_BYTES, USUAL_BITS,
                    USUAL_STEPS, add, 10 * add);
            }

            private static int slots(final double ns, final double slotNs) {
                return Math.clamp(Math.round(ns / slotNs), 1, MOST_SLOTS);
            }
        }
    }
}
