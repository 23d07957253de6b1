package dev.skerry.nic.stardust.fabric;

import dev.skerry.dataplane.check.Bounds;

/** What decides how much a host that speaks TCP ({@link Reno}) has under way. */
public sealed interface Congestion {
    /** New Reno: a window that grows until a segment is lost, RFC 5681 and RFC 6582. */
    Congestion NEW_RENO = new NewReno();

    /** Whether it reads the marks of packets; else packets are never marked. */
    default boolean readsMarks() {
        return false;
    }

    /** Connections of a flow. */
    default int subflows() {
        return 1;
    }

    /** New Reno. */
    record NewReno() implements Congestion {
    }

    /**
     * DCTCP (RFC 8257): a window shrinks by half of the share of marked segments, and grows as New Reno's. The receiver
     * acknowledges each segment and echoes its mark.
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

        @Override
        public boolean readsMarks() {
            return true;
        }
    }

    /**
     * MPTCP with linked increases (RFC 6356): a flow has several connections, whose windows grow together as fast as
     * one alone would. Whichever has room in its window takes the next segment.
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
}
