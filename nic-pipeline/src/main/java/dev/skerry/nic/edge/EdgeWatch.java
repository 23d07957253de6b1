package dev.skerry.nic.edge;

/** Is told several times a second that counters have changed, by the thread that writes them. */
public interface EdgeWatch {
    /** A watch that does nothing. */
    EdgeWatch NONE = new EdgeWatch() {
        @Override
        public void onPort(final int port) {
        }

        @Override
        public void onBank(final int bank, final long slot) {
        }
    };

    /**
     * The counters of a port have changed. Called by the thread of its node.
     *
     * @param port its number, in the order given to {@link PacketEdges}.
     */
    void onPort(int port);

    /**
     * A bank has done some slots. Called by its thread.
     *
     * @param bank number of the bank.
     * @param slot the next slot.
     */
    void onBank(int bank, long slot);
}
