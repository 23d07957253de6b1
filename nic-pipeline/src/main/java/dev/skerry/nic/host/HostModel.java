package dev.skerry.nic.host;

import dev.skerry.schedule.check.Bounds;

import java.util.Objects;

/** How the hosts of a Stardust fabric send the flows they are given. */
public sealed interface HostModel {
    /** The bytes of a flow are at its adapter as soon as it starts: nothing but the fabric is measured. */
    HostModel IDEAL = new Ideal();
    /** A host sends at the rate of its port. */
    HostModel PACED = new Paced();

    /** The bytes of a flow are at its adapter as soon as it starts. */
    record Ideal() implements HostModel {
    }

    /**
     * Packets of a host's flows, one of each queue in turn, come to its adapter at the rate of its port, however long
     * they then wait there. Each pair of hosts must have a queue of its own.
     */
    record Paced() implements HostModel {
    }

    /**
     * Hosts that speak TCP with New Reno's recovery (RFC 5681, RFC 6582, timer of RFC 6298; docs/spec/stardust.md §10,
     * rows 12 to 14), a segment a packet and an acknowledgement a segment. They go at the rate of the host's port,
     * acknowledgements before segments as in the artefact of NDP, cross the fabric as packets and are taken in when
     * their last byte is there. A connection is there when its flow starts. What the window does is {@link Congestion}.
     *
     * @param windowPackets  most segments from the first that is not acknowledged on, 2 to {@link #MAX_WINDOW}: what
     *                       the receiver has room for.
     * @param initialPackets segments that are sent before anything is acknowledged, 1 to {@code windowPackets}.
     * @param queuePackets   packets of each kind that wait at a host's port, and in a queue of its adapter, 2 to
     *                       {@link #MAX_QUEUE}; one more is dropped, by the host itself in both cases.
     * @param ackBytes       length of an acknowledgement, 1 to 64.
     * @param minRtoSlots    the retransmission timer before anything is measured, and its least value; 1 or more.
     * @param wireSlots      the delay of the wires between a host and its adapter, there and back together; 0 to 4096.
     * @param congestion     what the window does.
     */
    record Reno(int windowPackets, int initialPackets, int queuePackets, int ackBytes, int minRtoSlots,
        int wireSlots, Congestion congestion) implements HostModel {
        /** Segments before anything is acknowledged: RFC 6928, and the artefact of NDP. */
        public static final int USUAL_FIRST = 10;
        /** Largest window. */
        public static final int MAX_WINDOW = 1 << 14;
        /** Longest queue. */
        static final int MAX_QUEUE = 1 << 14;
        /** How often a timer doubles at most. */
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

        /** Windows and queues of 100 packets, two segments to begin with, acknowledgements of 40 bytes, no wires. */
        public static Reno usual(final int minRtoSlots) {
            return new Reno(USUAL_PACKETS, USUAL_INITIAL, USUAL_PACKETS, USUAL_ACK_BYTES, minRtoSlots, 0);
        }

        /** The same with another window. */
        public Reno window(final int packets) {
            return new Reno(packets, Math.min(initialPackets, packets), queuePackets, ackBytes, minRtoSlots, wireSlots,
                congestion);
        }

        /** The same with other segments that are sent before anything is acknowledged. */
        public Reno initial(final int packets) {
            return new Reno(windowPackets, packets, queuePackets, ackBytes, minRtoSlots, wireSlots, congestion);
        }

        /** The same with another congestion control. */
        public Reno with(final Congestion other) {
            return new Reno(windowPackets, initialPackets, queuePackets, ackBytes, minRtoSlots, wireSlots, other);
        }

        /** The longest time for which a sender that is waiting for an acknowledgement does nothing. */
        public long mostWaitSlots() {
            return (long) minRtoSlots << MAX_BACKOFF;
        }
    }

    /** What decides how much a host that speaks TCP ({@link Reno}) has under way. */
    sealed interface Congestion {
        /** New Reno: a window that grows until a segment is lost, RFC 5681 and RFC 6582. */
        Congestion NEW_RENO = new NewReno();

        /** Whether it reads the marks of packets; else packets are never marked. */
        default boolean readsMarks() {
            return this instanceof Dctcp || this instanceof Dcqcn;
        }

        /** Connections of a flow. */
        default int subflows() {
            return 1;
        }

        /** New Reno. */
        record NewReno() implements Congestion {
        }

        /** NDP (docs/spec/ndp.md): receivers pull, and switches cut what they have no room for. No window changes. */
        record Ndp() implements Congestion {
        }

        /**
         * DCTCP (RFC 8257): a window shrinks by half of the share of marked segments, and grows as New Reno's. The
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
         * MPTCP with linked increases (RFC 6356): a flow has several connections, whose windows grow together as
         * fast as one alone would. Whichever has room in its window takes the next segment.
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
         * DCQCN (Zhu et al., SIGCOMM 2015, §3.1): a flow has a rate, not a window. The receiver of marked segments
         * sends a congestion notification (CNP) at most once an interval; one cuts the rate by half of alpha and
         * raises alpha, and periods without one lower alpha. After each period, and after some bytes, the rate goes
         * half of the way to where it was (fast recovery); after some of either that grows (additive increase),
         * after some of both faster (hyper increase). What is lost is sent again from the first missing segment on
         * (go-back-N).
         *
         * @param cnpSlots     least time between notifications of a connection, 1 to 2^20.
         * @param periodSlots  of alpha (K) and of increase (T), 1 to 2^20.
         * @param counterBytes B: bytes that count as a period of increase, 1 to 2^40.
         * @param gainBits     g, the gain of alpha, is 1 over 2 to this power, 1 to 10.
         * @param steps        F: increases of fast recovery, 1 to 100.
         * @param addBytes     R_AI, additive increase in bytes a slot, and the least rate; 2^-10 to 2^20.
         * @param hyperBytes   R_HAI, that of hyper increase; {@code addBytes} to 2^20.
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
                    "rates grow, and faster in the end: addBytes=", addBytes, " hyperBytes=", hyperBytes);
            }

            /**
             * The parameters of the paper (§5.2, Figure 14): notifications once 50 us, periods of 55 us and 10 MB,
             * g of 1/256, F of 5, R_AI of 40 Mb/s. R_HAI, which it does not print, is ten times that, as in QCN.
             *
             * @param slotNs over 0.
             */
            public static Dcqcn usual(final double slotNs) {
                final double add = Math.max(LEAST_RATE, ADD * slotNs);
                return new Dcqcn(slots(CNP_NS, slotNs), slots(PERIOD_NS, slotNs), COUNTER_BYTES, USUAL_BITS,
                    USUAL_STEPS, add, 10 * add);
            }

            private static int slots(final double ns, final double slotNs) {
                return Math.clamp(Math.round(ns / slotNs), 1, MOST_SLOTS);
            }
        }
    }
}
