package dev.skerry.nic.packet;

/**
 * Everything that is counted between packets and cells; the law of conservation is over the cells received, the cells
 * delivered and the drops.
 */
public enum PacketCounter {
    /** Packets of which the last cell was cut. */
    PACKETS_CUT("packets cut into cells"),
    /** Cells cut from packets. */
    CELLS_CUT("cells cut from packets"),
    /** Refused at the source: the packet exceeds the MTU. */
    REFUSED_TOO_LONG("packets refused as they are longer than the MTU"),
    /** Back-pressure at the source: no free cell, the same cell is cut later. */
    REFUSED_NO_CELL("cells not cut yet as none was free"),

    /** Cells taken off the fabric. */
    CELLS_RECEIVED("cells that reached their destination"),
    /** Cells in packets handed out. */
    CELLS_DELIVERED("cells in packets that were handed out"),
    /** Packets handed out. */
    PACKETS_DELIVERED("packets handed out whole"),
    /** Sequence numbers given up: the cell had not come when its time was over. */
    CELLS_LOST("cells given up after their time was over"),
    /** Runs of cells given up. */
    GAPS("runs of cells given up"),

    /** Drop: before the cell that is expected next. */
    DROPPED_BEHIND("cells dropped as duplicates, or as later than they were waited for"),
    /** Drop: a cell with this number is waiting already. */
    DROPPED_DUPLICATE("cells dropped as one with their number was waiting"),
    /** Drop: beyond the window. */
    DROPPED_FAR_AHEAD("cells dropped as too far ahead of the one expected"),
    /** Drop: the windows' memory is used up. */
    DROPPED_NO_WINDOW("cells dropped as the window had no memory to grow"),
    /** Drop: waiting or in an open packet when the stream was started anew. */
    DROPPED_RESET("cells dropped as their stream was started anew"),
    /** Drop: of a packet that lost another cell. */
    DROPPED_AFTER_GAP("cells dropped as another cell of their packet was lost"),
    /** Drop: of a packet whose first cell did not say that it is. */
    DROPPED_NO_START("cells dropped as their packet had no start"),
    /** Drop: of a packet in the midst of which another one started. */
    DROPPED_INTERRUPTED("cells dropped as another packet started before theirs ended"),
    /** Drop: of a packet that does not end where its length says. */
    DROPPED_WRONG_LENGTH("cells dropped as the end of their packet was not where its length said"),
    /** Drop: of a packet whose length exceeds the MTU. */
    DROPPED_TOO_LONG("cells dropped as their packet said it was longer than the MTU"),
    /** Drop: of a packet for which no buffer was free. */
    DROPPED_NO_BUFFER("cells dropped as no buffer was free for their packet"),

    /** Packets lost, at the least, as their stream was started anew. */
    PACKETS_RESET("packets lost as their stream was started anew"),
    /** Packets lost, at the least, with cells that were given up. */
    PACKETS_AFTER_GAP("packets known to be lost with a cell of theirs"),
    /** Packets lost as they had no start. */
    PACKETS_NO_START("packets lost as they had no start"),
    /** Packets lost as another started in their midst. */
    PACKETS_INTERRUPTED("packets lost as another started in their midst"),
    /** Packets lost as their length and their cells disagree. */
    PACKETS_WRONG_LENGTH("packets lost as their length and their cells disagree"),
    /** Packets lost as they exceed the MTU. */
    PACKETS_TOO_LONG("packets lost as they said they were longer than the MTU"),
    /** Packets lost as no buffer was free. */
    PACKETS_NO_BUFFER("packets lost as no buffer was free");

    private final String sentence;

    PacketCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** What it counts, in words. */
    public String sentence() {
        return sentence;
    }

    /** Whether it counts cells received that are neither delivered nor held. */
    public boolean isDrop() {
        return compareTo(DROPPED_BEHIND) >= 0 && compareTo(DROPPED_NO_BUFFER) <= 0;
    }
}
