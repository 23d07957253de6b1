package dev.skerry.tools.figure;

import java.util.List;
import java.util.Map;

/**
 * A figure, table or result of a paper that can be measured again: it sets up what the paper did, runs it, and lays
 * what was measured beside what was expected. Stateless: measuring twice gives the same values. It is entered into
 * {@code FigureCatalogue#ALL}.
 */
public interface Figure {
    /** Its entry in the catalogue. */
    About about();

    /** What its user may choose of its {@link Extent}, each with the words to choose from; without any: a number. */
    default Map<Extent.Choice, List<String>> choices() {
        return Map.of();
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
