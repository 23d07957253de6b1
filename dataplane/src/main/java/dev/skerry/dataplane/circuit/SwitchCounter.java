package dev.skerry.dataplane.circuit;

/**
 * The counters of a {@link CircuitSwitch}. Two laws hold in every slot: cells received = forwarded + dropped, because a
 * switch holds no cell; and outputs = forwarded + dark by the table + dark without input.
 */
public enum SwitchCounter {
    /** Cells that came in, surplus ones included. */
    CELLS_RECEIVED,
    /** Cells that went out. */
    CELLS_FORWARDED,
    /** Drop, a schedule violation: no output selected the cell's input. */
    DROPPED_UNSELECTED,
    /** Drop, a schedule violation: the input already had a cell in this slot. */
    DROPPED_SECOND_CELL,
    /** Inputs with a word of another slot; they count as empty. */
    WRONG_STAMP,
    /** Outputs that the table leaves dark. */
    DARK_BY_TABLE,
    /** Outputs whose selected input was empty. */
    DARK_NO_INPUT,
    /** Bootstrap signals without effect. */
    SIGNALS_IGNORED
}
