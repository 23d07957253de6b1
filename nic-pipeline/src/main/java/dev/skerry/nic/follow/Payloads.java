package dev.skerry.nic.follow;

import java.util.HashMap;
import java.util.Map;

/** Payloads of cells in flight, or digests of them, as they were seen last: a cell keeps its payload. One thread. */
public final class Payloads {
    private final Map<Long, Seen> of = new HashMap<>();

    private record Seen(long payload, int node, long slot) {
    }

    /** A change of a payload, as a finding shows it. */
    public record Change(String expected, String seen) {
    }

    /** No payload is known. */
    public Payloads() {
    }

    /** Compares a cell with what was seen of it last, and keeps it; null if it is unchanged or was not known. */
    public Change see(final CellNames names, final long cell, final long payload, final int node, final long slot) {
        final Seen before = of.put(cell, new Seen(payload, node, slot));
        return before == null || before.payload == payload ? null
            : new Change(String.format("%s with payload 0x%x, as at node %d in slot %d", names.text(cell),
            before.payload, before.node, before.slot), String.format("0x%x", payload));
    }

    /** A cell of the name begins or ends. */
    public void forget(final long cell) {
        of.remove(cell);
    }
}
