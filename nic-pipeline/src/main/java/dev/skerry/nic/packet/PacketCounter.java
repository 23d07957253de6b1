package dev.skerry.nic.packet;

/** Counters of the path between packets and cells. Invariant: cells received = cells delivered + cells held + drops. */
public enum PacketCounter {
    /** Packets whose last cell was cut. */
    PACKETS_CUT("packets cut into cells"),
    /** Cells cut from packets. */
    CELLS_CUT("cells cut from packets"),
    /** Back-pressure at the source: no cell was free. The same cell is cut later. */
    REFUSED_NO_CELL("times no free cell was available for a packet"),

    /** Cells that reached their destination, plus those of {@link #DROPPED_BY_FABRIC}. */
    CELLS_RECEIVED("cells that reached their destination or were dropped by the fabric"),
    /** Cells of delivered packets. */
    CELLS_DELIVERED("cells of delivered packets"),
    /** Packets delivered completely. */
    PACKETS_DELIVERED("packets delivered completely"),
    /** Cells that had not arrived when their time-out passed. */
    CELLS_LOST("cells that timed out"),
    /** Runs of consecutive cells that timed out. */
    GAPS("gaps of consecutive cells that timed out"),

    /** Drop: the cell precedes the expected one, so it is a duplicate or too late. */
    DROPPED_BEHIND("cells dropped because they were duplicates or arrived after their time-out"),
    /** Drop: a cell with this number is already waiting. */
    DROPPED_DUPLICATE("cells dropped because a cell with the same number was already waiting"),
    /** Drop: the cell is beyond the window. */
    DROPPED_FAR_AHEAD("cells dropped because they were too far ahead of the next expected cell"),
    /** Drop: part of a packet that lost another cell. */
    DROPPED_AFTER_GAP("cells dropped because another cell of their packet was lost"),
    /** Drop: part of a packet without a start flag. */
    DROPPED_NO_START("cells dropped because the start of their packet was missing"),
    /** Drop: part of a packet that was interrupted by the start of another one. */
    DROPPED_INTERRUPTED("cells dropped because another packet started before theirs ended"),
    /** Drop: part of a packet that does not end where its length says. */
    DROPPED_WRONG_LENGTH("cells dropped because their packet did not end where its length said"),
    /** Drop: part of a packet whose length exceeds the MTU. */
    DROPPED_TOO_LONG("cells dropped because their packet was longer than the MTU"),
    /** Drop: part of a packet for which no buffer was free. */
    DROPPED_NO_BUFFER("cells dropped because no buffer was free for their packet"),
    /** Drop: the fabric lost the cell or could not send it. */
    DROPPED_BY_FABRIC("cells of packets that the fabric lost or could not send"),

    /** Packets lost together with cells that timed out; a lower bound. */
    PACKETS_AFTER_GAP("packets known to be lost because one of their cells was lost"),
    /** Packets lost because they had no start flag. */
    PACKETS_NO_START("packets lost because their start was missing"),
    /** Packets lost because another packet started before their end. */
    PACKETS_INTERRUPTED("packets lost because another packet started before they ended"),
    /** Packets lost because their length and their cells disagree. */
    PACKETS_WRONG_LENGTH("packets lost because their length and their cells disagree"),
    /** Packets lost because their length exceeds the MTU. */
    PACKETS_TOO_LONG("packets lost because they were longer than the MTU"),
    /** Packets lost because no buffer was free. */
    PACKETS_NO_BUFFER("packets lost because no buffer was free"),
    /** Packets lost because the fabric lost cells of them; reported by a fabric that cuts packets itself. */
    PACKETS_WITH_CELLS("packets lost because the fabric lost one of their cells or could not send it"),
    /** Packets refused because the queue of their adapter was full. */
    PACKETS_NO_ROOM("packets dropped because the queue of their adapter was full"),
    /** Packets dropped because the low-latency class had no tokens for them. */
    PACKETS_POLICED("low-latency packets dropped at their source because they exceeded their share");

    private final String sentence;

    PacketCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** Description of the counter, used in messages. */
    public String sentence() {
        return sentence;
    }

    /** Whether this counts cells that were received and are neither delivered nor held. */
    public boolean isDrop() {
        return compareTo(DROPPED_BEHIND) >= 0 && compareTo(DROPPED_BY_FABRIC) <= 0;
    }

    /** Whether this counts packets that were lost between their ports. */
    public boolean isLoss() {
        return compareTo(PACKETS_AFTER_GAP) >= 0;
    }

    /** The values of the counters of one sender or receiver. One thread. */
    public static final class PacketCounts {
        private static final PacketCounter[] COUNTERS = PacketCounter.values();

        private final long[] values = new long[COUNTERS.length];

        /** Creates counters that are all 0. */
        public PacketCounts() {
        }

        public long get(final PacketCounter counter) {
            return values[counter.ordinal()];
        }

        /** Cells dropped, over all drop counters. */
        public long dropped() {
            long sum = 0;
            for (final PacketCounter counter : COUNTERS) {
                sum += counter.isDrop() ? get(counter) : 0;
            }
            return sum;
        }

        /** Adds one to a counter. */
        public void increment(final PacketCounter counter) {
            values[counter.ordinal()]++;
        }

        void add(final PacketCounter counter, final long number) {
            values[counter.ordinal()] += number;
        }

        void addTo(final int ordinal, final long number) {
            values[ordinal] += number;
        }
    }
}
