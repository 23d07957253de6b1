package dev.skerry.nic.stardust.fabric;

/** Which of the links that lead to an adapter a cell takes (docs/spec/stardust.md §3.6). */
public enum Spraying {
    /** In turn by a random order that is renewed every four rounds, one for all adapters with the same links. */
    RENEWED,
    /** The same with one order for ever: what renewing it is good for. */
    FIXED_ORDER,
    /** The same with an order of its own for each adapter. */
    PER_DESTINATION,
    /** All cells of a stream take the same links, by a hash: what switches do with flows. */
    HASHED
}
