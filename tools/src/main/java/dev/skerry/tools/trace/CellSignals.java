package dev.skerry.tools.trace;

import dev.skerry.codec.ShoalControl;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.model.NodeCells;

import java.util.List;

/**
 * A cell on a channel as signals of a vector. One thread.
 *
 * @param messageWords words of a message between nodes, 0 where other words hold it.
 */
record CellSignals(int messageWords) implements ChannelSignals {
    private static final String[] WORDS = {"route", "cell", "feedback"};
    /** Where nodes of Shoal tell each other of failures. */
    static final int OF_SHOAL = ShoalControl.BYTES / Long.BYTES;

    @Override
    public void name(final String channel, final List<Signal> signals) {
        for (final String word : WORDS) {
            signals.add(new Signal(channel + "_" + word, Long.SIZE));
        }
        for (int word = 0; word < messageWords; word++) {
            signals.add(new Signal(channel + "_message" + word, Long.SIZE));
        }
    }

    @Override
    public int put(final Way way, final int channel, final NodeCells cells, final long[] values, final int from) {
        values[from] = cells.route(channel);
        values[from + 1] = cells.cell(channel);
        values[from + 2] = cells.feedback(channel);
        final long[] message = messageWords == 0 ? null : cells.message(channel);
        for (int word = 0; word < messageWords; word++) {
            values[from + WORDS.length + word] = message == null ? 0 : message[word];
        }
        return from + WORDS.length + messageWords;
    }
}
