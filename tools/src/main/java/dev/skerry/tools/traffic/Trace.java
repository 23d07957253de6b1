package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;

import java.util.List;

/**
 * What a trace file came to.
 *
 * @param flows        the flows to send, in order of start slot; those of one slot in the order of the file.
 * @param localFlows   flows whose source is their destination: they need no fabric and are not in {@code flows}.
 * @param skippedFlows flows of zero or negative size, not in {@code flows}.
 * @param warnings     one-line messages for standard error, complete with their {@code skerry: warning: } prefix, at
 *                     most one of a kind.
 */
public record Trace(FlowSet flows, long localFlows, long skippedFlows, List<String> warnings) {
    /** Keeps an unmodifiable copy of the warnings. */
    public Trace {
        warnings = List.copyOf(warnings);
    }
}
