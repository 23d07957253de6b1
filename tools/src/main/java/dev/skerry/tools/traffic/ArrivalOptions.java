package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Map;

/** The options that say which flows are measured and whether they are waited for. */
public final class ArrivalOptions {
    /** Slots in which flows arrive where nobody says it. */
    public static final long USUAL_SLOTS = 100_000;

    @Option(names = "--warm-up", paramLabel = "T",
        description = "Flows that start before slot T are in no percentile (default: 0).")
    Long warmUp;

    @Option(names = "--drain",
        description = "With --slots T: flows arrive for T slots, and the run goes on until all of them are done "
            + "(default: where --slots is not given and flows are not endless).")
    boolean drain;

    /** Whether a workload is waited for although {@code --slots} is set and {@code --drain} is not. */
    private boolean waits;

    /** Creates options for picocli, which then sets them. */
    public ArrivalOptions() {
    }

    /** Measures the flows from a slot on, and waits for all of them. */
    public void measure(final long fromSlot) {
        warmUp = fromSlot;
        waits = true;
    }

    /**
     * When flows of a workload arrive.
     *
     * @param slots    as typed; null if nothing was.
     * @param workload that makes the flows; null where a trace or the caller has them.
     * @param flows    of the run.
     */
    public Arrivals of(final Long slots, final Workload workload, final FlowSet flows) {
        final boolean endless = isEndless(flows);
        if (drain && (workload == null || endless)) {
            throw new InputException("--drain", "true", endless ? "endless flows are never done"
                : "a trace ends when its flows are done unless --slots says otherwise", "leave it out");
        }
        final boolean drained = workload != null && !endless && (drain || waits || slots == null || slots == 0);
        final long until = slots == null || slots == 0 ? USUAL_SLOTS : slots;
        final long from = warmUp == null ? 0 : warmUp;
        if (from < 0 || from > 0 && workload != null && from >= until) {
            throw new InputException("--warm-up", Long.toString(from), "flows arrive in slots 0 to " + (until - 1),
                "give 0 or the slot from which on they count");
        }
        return new Arrivals(workload instanceof PoissonArrivals ? until : 0, from, drained);
    }

    /** What the user would type for it. */
    public void describe(final Map<String, String> settings, final Arrivals arrivals) {
        settings.put("warm-up", arrivals.warmUpSlots() == 0 ? "" : Long.toString(arrivals.warmUpSlots()));
        settings.put("drain", Boolean.toString(arrivals.isDrained()));
    }

    /** Whether a flow of them has no end. */
    public static boolean isEndless(final FlowSet flows) {
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flows.cells(flow) == FlowSet.ENDLESS) {
                return true;
            }
        }
        return false;
    }
}
