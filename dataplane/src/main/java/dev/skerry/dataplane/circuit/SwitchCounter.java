package dev.skerry.dataplane.circuit;

/**
 * Everything a {@link CircuitSwitch} counts. Two laws hold in every slot: cells received = forwarded + dropped, as a
 * switch holds none; and outputs = forwarded + dark by the table + dark without input.
 */
public enum SwitchCounter {
    /** Cells that came in, the surplus ones too. */
    CELLS_RECEIVED("cells that came in at an input"),
    /** Cells that went out. */
    CELLS_FORWARDED("cells moved from an input to an output"),
    /** Drop, a schedule violation: no output selected the cell's input. */
    DROPPED_UNSELECTED("cells dropped because no output had selected their input"),
    /** Drop, a schedule violation: the input had a cell in this slot already. */
    DROPPED_SECOND_CELL("cells dropped because their input had one in the same slot already"),
    /** Inputs with a word of another slot in place of this one's; they count as empty. */
    WRONG_STAMP("inputs whose word was not of the slot, taken as empty"),
    /** Outputs that the table leaves dark. */
    DARK_BY_TABLE("outputs that selected no input"),
    /** Outputs whose selected input was empty. */
    DARK_NO_INPUT("outputs whose selected input had no cell"),
    /** Bootstrap signals that changed nothing. */
    SIGNALS_IGNORED("bootstrap signals ignored: a start was agreed already, or the agreed slot had gone by");

    private final String sentence;

    SwitchCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** What it counts, in words. */
    public String sentence() {
        return sentence;
    }
}
