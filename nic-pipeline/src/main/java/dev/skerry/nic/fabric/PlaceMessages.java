package dev.skerry.nic.fabric;

/**
 * Messages of two words that travel beside the cells of the link, one for each place of the {@code InFlightCells} and
 * at the same offsets. Sender and receiver are ordered by what orders the cells.
 */
public interface PlaceMessages {
    /** In place of the first word: no message. */
    long NONE = -1;

    /** Whether all that the first word of a message names exists; asked for words from other processes. */
    boolean isMessage(long word);

    /** Consecutive places have no message. */
    void clear(long at, int count);

    /** Sends a message. */
    void send(long at, long word, long cell);

    /** The first word of a message, or {@link #NONE}. */
    long word(long at);

    /** The second word of a message: the flow, and the cell, that it is about. */
    long cell(long at);
}
