package dev.skerry.tools.traffic;

import static dev.skerry.tools.input.Choices.atLeast;
import static dev.skerry.tools.input.Choices.put;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.TraceReader.TraceFilter;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.Map;

/** The options that select part of a trace or scale it, as in the simulator of Shale's authors. */
public final class TraceOptions {
    @Option(names = "--size-factor", paramLabel = "X",
        description = "With --flows: multiply flow sizes by X (default: 1).")
    Double sizeFactor;

    @Option(names = "--load-factor", paramLabel = "L",
        description = "With --flows: divide start times by L, which multiplies the load by L (default: 1).")
    Double loadFactor;

    @Option(names = "--min-flow-bytes", paramLabel = "M",
        description = "With --flows: skip flows smaller than M bytes, before --size-factor (default: 0).")
    Long minFlowBytes;

    @Option(names = "--max-flow-bytes", paramLabel = "M",
        description = "With --flows: skip flows larger than M bytes, before --size-factor (default: no limit).")
    Long maxFlowBytes;

    @Option(names = "--read-flows", paramLabel = "K",
        description = "With --flows: read only the first K flows that are not skipped (default: all).")
    Long readFlows;

    @Option(names = "--from-first-start",
        description = "With --flows: subtract the start time of the first flow from all start times. Use this for "
            + "traces that do not begin at 0, such as those of HPCC, which begin at 2 s.")
    boolean fromFirst;

    /** Creates options with no values set. */
    public TraceOptions() {
    }

    /**
     * Returns the selected part of the trace.
     *
     * @param endSlot flows that start in this slot or later are left out.
     * @throws InputException if an option is out of range.
     */
    public TraceFilter filter(final long endSlot) {
        return new TraceFilter(atLeast("--min-flow-bytes", minFlowBytes, 0, 0),
            atLeast("--max-flow-bytes", maxFlowBytes, 1, Long.MAX_VALUE), factor("--size-factor", sizeFactor),
            factor("--load-factor", loadFactor), atLeast("--read-flows", readFlows, 1, Long.MAX_VALUE),
            endSlot, fromFirst);
    }

    /** Refuses the options for runs without a trace. */
    public void refuse() {
        settings().forEach((option, value) -> {
            throw new InputException("--" + option, value.equals("true") ? null : value, "there is no trace",
                "leave it out or add --flows");
        });
    }

    /** Returns the typed options by their names without dashes. */
    public Map<String, String> settings() {
        final Map<String, String> settings = new LinkedHashMap<>();
        put(settings, "size-factor", sizeFactor);
        put(settings, "load-factor", loadFactor);
        put(settings, "min-flow-bytes", minFlowBytes);
        put(settings, "max-flow-bytes", maxFlowBytes);
        put(settings, "read-flows", readFlows);
        put(settings, "from-first-start", fromFirst ? Boolean.TRUE : null);
        return settings;
    }

    private static double factor(final String option, final Double value) {
        Choices.refuseIf(value != null && !(value > 0 && value < Double.POSITIVE_INFINITY), option, value,
            "must be more than 0", "give for example 0.5");
        return value == null ? 1 : value;
    }
}
