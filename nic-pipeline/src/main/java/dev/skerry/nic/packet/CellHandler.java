package dev.skerry.nic.packet;

/**
 * What a {@link ReorderWindow} hands the cells of its streams to, in order. The receiver's thread calls; a handler does
 * not call the window.
 */
public interface CellHandler {
    /**
     * The next cell of a stream.
     *
     * @param stream the stream.
     * @param cell   index in the slab; now the handler's to free.
     * @param flags  those it came with, for packets {@link PacketFormat#SOP} and {@link PacketFormat#EOP}.
     */
    void onCell(int stream, int cell, int flags);

    /**
     * The next cells of a stream did not come and will not be waited for.
     *
     * @param stream the stream.
     * @param cells  how many, at least 1.
     */
    void onGap(int stream, long cells);

    /**
     * The stream starts anew; what came before has nothing to do with what comes.
     *
     * @param stream the stream.
     */
    void onReset(int stream);
}
