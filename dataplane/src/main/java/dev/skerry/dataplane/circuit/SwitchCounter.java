package dev.skerry.dataplane.circuit;

/**
 * The counters of a {@link CircuitSwitch}. Two laws hold in every slot: cells received = forwarded + dropped, because a
 * switch holds no cell; and outputs = forwarded + dark by the table + dark without input.
 */
public enum SwitchCounter {
    /** Cells that came in, surplus ones included. */
    CELLS_RECEIVED("cells that came in at an input"),
    /** Cells that went out. */
    CELLS_FORWARDED("cells moved from an input to an output"),
    /** Drop, a schedule violation: no output selected the cell's input. */
    DROPPED_UNSELECTED("cells dropped because no output had selected their input"),
    /** Drop, a schedule violation: the input already had a cell in this slot. */
    DROPPED_SECOND_CELL("cells dropped because their input had one in the same slot already"),
    /** Inputs with a word of another slot; they count as empty. */
    WRONG_STAMP("inputs whose word was not of the slot, taken as empty"),
    /** Outputs that the table leaves dark. */
    DARK_BY_TABLE("outputs that selected no input"),
    /** Outputs whose selected input was empty. */
    DARK_NO_INPUT("outputs whose selected input had no cell"),
    /** Bootstrap signals without effect. */
    SIGNALS_IGNORED("bootstrap signals ignored: a start was agreed already, or the agreed slot had gone by");

    private final String sentence;

    SwitchCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** Its meaning in words. */
    public String sentence() {
        return sentence;
    }
}
