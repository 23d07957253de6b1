package dev.skerry.tools.run;

import picocli.CommandLine.Option;

/** The options of Shale that say what carries its cells; {@link LaneChoice} makes sense of them. */
public final class LaneOptions {
    static final String LANES = "--lanes";
    static final String SERIALISATION = "--serialisation-slots";

    @Option(names = LANES, paramLabel = "L",
        description = "Shale: lanes that a node's cells take in turn, 1 to 64; the paper has 8. Each carries a cell "
            + "for L slots; in mode threads each has a circuit switch of its own (default: 1, on small switches of the "
            + "phase groups).")
    public Integer lanes;

    @Option(names = SERIALISATION, paramLabel = "S",
        description = "Shale: slots that a cell takes to leave its lane, at most L; it is handled so much later. The "
            + "paper's lanes take 8 and its simulator counts none (default: 0).")
    public Integer serialisationSlots;

    /** Slots that a cell takes to leave its lane. */
    int slotsOnLane() {
        return serialisationSlots == null ? 0 : serialisationSlots;
    }
}
