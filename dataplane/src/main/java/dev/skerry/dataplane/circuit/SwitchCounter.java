package dev.skerry.dataplane.circuit;

/**
 * Counters of a {@link CircuitSwitch}. Two invariants hold in every slot: cells received = forwarded + dropped, because
 * a switch holds no cells; and outputs = forwarded + empty by the table + empty without input.
 */
public enum SwitchCounter {
    /** Cells received, including surplus ones. */
    CELLS_RECEIVED,
    /** Cells forwarded. */
    CELLS_FORWARDED,
    /** Drop, a schedule violation: no output selected the cell's input. */
    DROPPED_UNSELECTED,
    /** Drop, a schedule violation: the input already had a cell in this slot. */
    DROPPED_SECOND_CELL,
    /** Inputs that hold a word of another slot; they count as empty. */
    WRONG_STAMP,
    /** Outputs that the table leaves empty. */
    DARK_BY_TABLE,
    /** Outputs whose selected input was empty. */
    DARK_NO_INPUT,
    /** Bootstrap signals without effect. */
    SIGNALS_IGNORED
}
