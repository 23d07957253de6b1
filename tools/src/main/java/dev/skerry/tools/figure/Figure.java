package dev.skerry.tools.figure;

/**
 * A figure, table or result of a paper that can be measured again: it sets up what the paper did, runs it, and lays
 * what was measured beside what was expected. Stateless: measuring twice gives the same values. It is entered into
 * {@code FigureCatalogue#ALL}.
 */
public interface Figure {
    /** Its entry in the catalogue. */
    About about();

    /** Whether all its runs have the same slots, and {@link Effort#slots()} replaces them. */
    default boolean takesSlots() {
        return false;
    }

    /**
     * Measures it, on the calling thread and the workers of its engines.
     *
     * @param effort   how much it is worth.
     * @param progress hears how far it is, and may stop it by an exception.
     * @return what was found; the caller's.
     */
    Findings measure(Effort effort, FigureProgress progress);
}
