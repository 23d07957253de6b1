package dev.skerry.codec.header;

/** What a link carries in a slot. */
public enum SlotState {
    /** A cell of a flow. */
    CELL,
    /** A header without a cell: it carries only tokens and reports. */
    DUMMY,
    /** Nothing: the sender was silent. */
    NOTHING
}
