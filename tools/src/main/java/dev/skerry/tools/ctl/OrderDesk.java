package dev.skerry.tools.ctl;

import java.nio.ByteBuffer;

/** Carries out orders. One order is begun when the one before has been carried out. */
public interface OrderDesk {
    /**
     * Carries out an order.
     *
     * @return the answer: lines, each ended by a line feed; may be empty.
     * @throws dev.skerry.tools.input.InputException if it cannot be carried out as it is; then nothing has changed.
     */
    String carryOut(Order order) throws InterruptedException;

    /**
     * Begins to copy packets.
     *
     * @throws dev.skerry.tools.input.InputException if it cannot.
     */
    Capture capture(Order.Tap tap) throws InterruptedException;

    /** Packets that are copied. The thread of the connection calls. */
    interface Capture extends AutoCloseable {
        /**
         * Writes what there is of the capture.
         *
         * @return false if it has come to its end, and nothing was written.
         */
        boolean fill(ByteBuffer into);

        /** What was left out, one line; empty if all was copied. */
        String leftOut();

        @Override
        void close();
    }
}
