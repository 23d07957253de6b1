package dev.skerry.nic.edge;

/** Is told now and then that counters have moved on, by the thread that writes them: some times a second. */
public interface EdgeWatch {
    /** Nobody looks. */
    EdgeWatch NONE = new EdgeWatch() {
        @Override
        public void onPort(final int port) {
        }

        @Override
        public void onBank(final int bank, final long slot) {
        }
    };

    /**
     * The counters of a port may be read; the thread of its node calls.
     *
     * @param port its number, in the order given to {@link PacketEdges}.
     */
    void onPort(int port);

    /**
     * A bank has done some slots; its thread calls.
     *
     * @param bank the bank.
     * @param slot the next slot.
     */
    void onBank(int bank, long slot);
}
