package dev.skerry.codec.header;

/** What a slot of a link holds. */
public enum SlotState {
    /** A cell of a flow. */
    CELL,
    /** A header without a cell: only tokens and reports ride. */
    DUMMY,
    /** Neither: the sender was silent. */
    NOTHING
}
