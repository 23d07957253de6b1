package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.Workload.PoissonArrivals;
import picocli.CommandLine.Option;

import java.util.Map;

/** The options that select the flows that are measured, and whether the run waits for them. */
public final class ArrivalOptions {
    /** Default number of slots of a run whose flows do not arrive at random. */
    public static final long USUAL_SLOTS = 100_000;
    /**
     * Default number of slots for random arrivals: the longest flows of the short workload take 100,000 slots, and
     * flows that start in the second half are measured.
     */
    private static final long ARRIVAL_SLOTS = 200_000;

    private static final String SLOWDOWN = "--slowdown";
    private static final String ALL = "all";

    @Option(names = "--warm-up", paramLabel = "T",
        description = "Exclude flows that start before slot T from completion times. Throughput and load are then "
            + "measured from slot T until arrivals end (default: half of the arrival period of short, heavy, web and "
            + "file:PATH; otherwise 0).")
    Long warmUp;

    @Option(names = "--drain",
        description = "With --slots: stop arrivals at T, then run until all flows are done. Flows of a trace that "
            + "start later are left out (default: on if --slots is not given and the flows are finite).")
    boolean drain;

    @Option(names = SLOWDOWN, paramLabel = "K|all",
        description = "Measure the slowdown of K random flows of each size, or of all flows. Each of these flows runs "
            + "a second time, alone in the same fabric and from the same slot. The slowdown is the "
            + "completion time in the run divided by the completion time alone (default: off).")
    String slowdown;

    /** Arrivals set by the caller; null if they follow from the options. */
    private Arrivals given;

    /** Creates options for picocli, which then sets them. */
    public ArrivalOptions() {
    }

    /** Requests that some flows of each size also run alone. */
    public void measureAlone(final int alone) {
        slowdown = Integer.toString(alone);
    }

    /**
     * Returns the number of slots in which flows arrive; 0 if a trace defines them.
     *
     * @param slots    typed number of slots; null if there is none.
     * @param workload workload that generates the flows; null for a trace.
     */
    public static long until(final Long slots, final Workload workload) {
        return slots != null && slots > 0 ? slots : workload == null ? 0
            : workload instanceof PoissonArrivals ? ARRIVAL_SLOTS : USUAL_SLOTS;
    }

    /** Sets the arrivals of flows that the caller generates; the options are then ignored. */
    public void give(final Arrivals arrivals) {
        given = arrivals;
    }

    /**
     * Returns the arrivals of the flows of a run.
     *
     * @param slots    typed number of slots; null if there is none.
     * @param workload workload that generates the flows; null for a trace.
     * @param flows    flows of the run.
     */
    public Arrivals of(final Long slots, final Workload workload, final FlowSet flows) {
        if (given != null) {
            return given;
        }
        final boolean endless = isEndless(flows);
        Choices.refuseIf(drain && endless, "--drain", null, "endless flows are never done", "leave it out");
        final boolean cut = workload == null && drainedAfter(slots) < Long.MAX_VALUE;
        final boolean drained = cut || workload != null && !endless && (drain || slots == null || slots == 0);
        final long until = until(slots, workload);
        final boolean random = workload instanceof PoissonArrivals;
        final long from = warmUp != null ? warmUp : random ? until / 2 : 0;
        Choices.refuseIf(from < 0 || from > 0 && until > 0 && from >= until, "--warm-up", from, until == 0
            ? "there is no such slot" : "flows arrive in slots 0 to " + (until - 1),
            "give 0 or the first slot that counts");
        return new Arrivals(random || cut ? until : 0, random, from, drained, alone(endless));
    }

    /**
     * Returns the slot after which flows of a trace do not start although the run continues; {@link Long#MAX_VALUE} if
     * there is none.
     *
     * @param slots typed number of slots; null if there is none.
     */
    public long drainedAfter(final Long slots) {
        return drain && slots != null && slots > 0 ? slots : Long.MAX_VALUE;
    }

    private int alone(final boolean endless) {
        if (slowdown == null) {
            return 0;
        }
        Choices.refuseIf(endless, SLOWDOWN, slowdown, "endless flows are never done", "leave it out");
        if (slowdown.equals(ALL)) {
            return Integer.MAX_VALUE;
        }
        try {
            return Choices.inRange(SLOWDOWN, Integer.parseInt(slowdown), 1, Integer.MAX_VALUE);
        } catch (final NumberFormatException e) {
            throw new InputException(SLOWDOWN, slowdown, "not a number of flows", "give one, for example 20, or all");
        }
    }

    /** Returns the typed number of flows of each size that run alone; null if there is none. */
    public String slowdown() {
        return slowdown;
    }

    /** Returns the typed slot from which flows count; null if there is none. */
    public Long warmUp() {
        return warmUp;
    }

    /** Adds the options as they would be typed. */
    public void describe(final Map<String, String> settings, final Arrivals arrivals) {
        settings.put("warm-up", arrivals.warmUpSlots() == 0 && arrivals.slots() == 0 ? ""
            : Long.toString(arrivals.warmUpSlots()));
        Choices.put(settings, "slowdown", slowdown);
        settings.put("drain", Boolean.toString(given == null && arrivals.isDrained()));
    }

    /** Tells whether one of the flows is endless. */
    public static boolean isEndless(final FlowSet flows) {
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flows.cells(flow) == FlowSet.ENDLESS) {
                return true;
            }
        }
        return false;
    }

    /**
     * The arrivals of the flows of a run, and the flows that count.
     *
     * @param slots       slots in which flows may start; 0 for no limit.
     * @param isRandom    whether flows start at random in these slots.
     * @param warmUpSlots flows that start before this slot are excluded from the percentiles.
     * @param isDrained   whether the run continues until all flows are complete.
     * @param alone       number of flows of each size that also run alone; 0 for none.
     */
    public record Arrivals(long slots, boolean isRandom, long warmUpSlots, boolean isDrained, int alone) {
        /** Value for flows that all start at once and all count. */
        public static final Arrivals AT_ONCE = new Arrivals(0, false, 0, false, 0);
    }
}
