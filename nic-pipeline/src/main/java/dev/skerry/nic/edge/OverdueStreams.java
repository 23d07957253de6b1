package dev.skerry.nic.edge;

import dev.skerry.nic.packet.ReorderWindow;

/**
 * Notices cells that were lost without a word, where cells travel by name: a stream in which nothing is handed on for
 * longer than any cell is under way, although cells are missing, has lost what was sent before that. One thread.
 */
final class OverdueStreams {
    private final ReorderWindow window;
    private final NamedCells names;
    /** By stream: its flow. */
    private final int[] flowOf;
    private final long patienceSlots;
    /** By stream: when it was last seen to go on, what it then expected, and what had been sent. */
    private final long[] sinceSlot;
    private final long[] expected;
    private final long[] sent;

    OverdueStreams(final ReorderWindow window, final NamedCells names, final int[] flowOf, final long patienceSlots) {
        this.window = window;
        this.names = names;
        this.flowOf = flowOf;
        this.patienceSlots = patienceSlots;
        this.sinceSlot = new long[flowOf.length];
        this.expected = new long[flowOf.length];
        this.sent = new long[flowOf.length];
    }

    /** Looks at all streams when all cells that have come are in the window. */
    void look(final long slot) {
        for (int stream = 0; stream < flowOf.length; stream++) {
            if (flowOf[stream] != PortFlows.NO_FLOW) {
                look(stream, names.sent(flowOf[stream]), slot);
            }
        }
    }

    private void look(final int stream, final long now, final long slot) {
        final boolean goesOn = window.expected(stream) != expected[stream] || now == expected[stream];
        if (goesOn || slot - sinceSlot[stream] >= patienceSlots) {
            if (!goesOn) {
                window.giveUp(stream, sent[stream], slot);
            }
            sinceSlot[stream] = slot;
            expected[stream] = window.expected(stream);
            sent[stream] = now;
        }
    }

    /** Cells of all streams that were sent and not handed on. */
    long missing() {
        long missing = 0;
        for (int stream = 0; stream < flowOf.length; stream++) {
            missing += flowOf[stream] == PortFlows.NO_FLOW ? 0
                : names.sent(flowOf[stream]) - window.expected(stream);
        }
        return missing;
    }
}
