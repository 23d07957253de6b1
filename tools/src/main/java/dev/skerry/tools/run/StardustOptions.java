package dev.skerry.tools.run;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.tools.input.Choices;
import picocli.CommandLine.Option;

/**
 * The options of Stardust that say the same wherever a fabric is chosen; {@link StardustChoice} makes sense of them.
 */
public final class StardustOptions {
    @Option(names = "--ports", paramLabel = "D",
        description = "Stardust: hosts of an adapter, each an end node of its own: node i is port i mod D of adapter "
            + "i / D (default: 1; 6 for n432, 40 for n612).")
    Integer ports;

    @Option(names = "--credit-bytes", paramLabel = "C",
        description = "Stardust: bytes that a credit lets go (default: 4096).")
    Integer creditBytes;

    @Option(names = "--packing", paramLabel = "NAME", completionCandidates = Choices.Packings.class,
        description = "Stardust: how the packets of a credit share cells: ${COMPLETION-CANDIDATES}; that is freely, "
            + "two in a cell at most, or not at all (default: continuous).")
    String packing;

    /** How packets share cells. */
    Packing packing() {
        return Choices.of("--packing", packing, Packing.CONTINUOUS, Packing.values());
    }
}
