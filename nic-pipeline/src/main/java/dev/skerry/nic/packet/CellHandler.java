package dev.skerry.nic.packet;

/**
 * Receives the cells of each stream from a {@link ReorderWindow}, in order. The receiver's thread calls. A handler must
 * not call the window.
 */
public interface CellHandler {
    /**
     * The next cell of a stream.
     *
     * @param stream the stream.
     * @param cell   index in the slab; the handler now has to free it.
     * @param flags  the flags given with the cell, for packets {@link PacketFormat#SOP} and {@link PacketFormat#EOP}.
     */
    void onCell(int stream, int cell, int flags);

    /**
     * The next cells of a stream are lost: they did not come before their time-out.
     *
     * @param stream the stream.
     * @param cells  how many, at least 1.
     */
    void onGap(int stream, long cells);

    /**
     * The stream was reset. Cells before and after this call are unrelated.
     *
     * @param stream the stream.
     */
    void onReset(int stream);
}
