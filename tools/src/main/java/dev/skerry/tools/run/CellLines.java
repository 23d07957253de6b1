package dev.skerry.tools.run;

import dev.skerry.nic.model.NodeCells;

/** What a node sends or receives as a line of a recorded trace (docs/rtl.md). One thread. */
public interface CellLines {
    /** A line of any fabric of circuits: the channel, the receiver, and which cell it is. */
    CellLines PLAIN = new CellLines() {
        @Override
        public String columns() {
            return "channel,dst_mac,src,dst,seq,dummy";
        }

        @Override
        public String line(final NodeCells cells, final int channel, final int receiver, final String ends) {
            return channel + "," + receiver + "," + ends + "," + (cells.isCell(channel) ? 0 : 1);
        }
    };

    /** Names of the columns behind kind, slot and node. */
    String columns();

    /**
     * Their values.
     *
     * @param channel  that something is sent or received on.
     * @param receiver id of the node that receives it.
     * @param ends     its source, destination and number; a dummy is from its sender to its sender.
     */
    String line(NodeCells cells, int channel, int receiver, String ends);

    /** Whether a line also holds what nodes tell each other of failures. */
    default boolean takesFaults() {
        return false;
    }
}
