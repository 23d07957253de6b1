package dev.skerry.nic.follow;

import java.util.HashMap;
import java.util.Map;

/** Payloads of in-flight cells, or digests of them, as last seen. A cell must keep its payload. Not thread-safe. */
public final class Payloads {
    private final Map<Long, Seen> of = new HashMap<>();

    private record Seen(long payload, int node, long slot) {
    }

    /** Change of a payload, as shown in a finding. */
    public record Change(String expected, String seen) {
    }

    /** Creates an empty table. */
    public Payloads() {
    }

    /**
     * Compares the payload of a cell with the one last seen, and stores it. Returns null if the payload is unchanged or
     * none was stored.
     */
    public Change see(final CellNames names, final long cell, final long payload, final int node, final long slot) {
        final Seen before = of.put(cell, new Seen(payload, node, slot));
        return before == null || before.payload == payload ? null
            : new Change(String.format("%s with payload 0x%x, as at node %d in slot %d", names.text(cell),
            before.payload, before.node, before.slot), String.format("0x%x", payload));
    }

    /** Forgets the payload of a cell, because a later cell may have the same name. */
    public void forget(final long cell) {
        of.remove(cell);
    }
}
