package dev.skerry.tools.run.shale;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.SlotShares;
import dev.skerry.spi.RunOptions;
import dev.skerry.spi.TrafficClasses;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The schedules that share the slots of a run, and the flows that go by each (docs/spec/shale.md §2.4).
 *
 * @param phases of each schedule, the most first.
 * @param shares of the slots, in this order.
 */
record InterleaveChoice(List<Integer> phases, SlotShares shares) {
    private static final String OPTION = "--interleave";
    private static final String CUTOFF = "--cutoff-bytes";
    private static final String ADVICE = "give phases and their parts of the slots, for example 4:1/2,2:1/2";
    private static final String CUTOFF_ADVICE = "give an ascending number of bytes for each schedule but the last, for "
        + "example 80000000";

    /** Phases, and a number or a fraction. */
    private static final Pattern PART = Pattern.compile("(\\d{1,9}):(\\d{0,4}\\.?\\d{1,5})(?:/(\\d{1,9}))?");

    /** A part of the slots. */
    private record Part(int phases, long over, long under) {
    }

    /**
     * Reads what was typed.
     *
     * @throws InputException if it is no list of phases and parts with a sum of 1.
     */
    static InterleaveChoice of(final String text) {
        final List<Part> parts = new ArrayList<>();
        for (final String each : text.split(",", -1)) {
            parts.add(part(text, each.strip()));
        }
        parts.sort(Comparator.comparingInt(Part::phases).reversed());
        long common = 1;
        for (int i = 0; i < parts.size(); i++) {
            Choices.refuseIf(i > 0 && parts.get(i).phases == parts.get(i - 1).phases, OPTION, text, "phases "
                + parts.get(i).phases + " stand twice", ADVICE);
            common = common / divisor(common, parts.get(i).under) * parts.get(i).under;
            Choices.refuseIf(common > SlotShares.MAX_PERIOD, OPTION, text, "the slots are shared in a period of at "
                + "most " + SlotShares.MAX_PERIOD, "give parts with a smaller common denominator");
        }
        final long period = common;
        final long[] slots = parts.stream().mapToLong(part -> part.over * (period / part.under)).toArray();
        final long sum = Arrays.stream(slots).sum();
        Choices.refuseIf(sum != period, OPTION, text, "the parts make " + sum + "/" + period + " of the slots",
            "give parts with a sum of 1");
        try {
            return new InterleaveChoice(parts.stream().map(Part::phases).toList(), new SlotShares(
                Arrays.stream(slots).mapToInt(Math::toIntExact).toArray()));
        } catch (final IllegalArgumentException e) {
            throw new InputException(OPTION, text, e.getMessage(), ADVICE);
        }
    }

    private static Part part(final String text, final String each) {
        final Matcher part = PART.matcher(each);
        final int phases = part.matches() ? Integer.parseInt(part.group(1)) : 0;
        final BigDecimal over = part.matches() ? new BigDecimal(part.group(2)) : BigDecimal.ZERO;
        final long under = !part.matches() || part.group(3) == null ? 1 : Integer.parseInt(part.group(3));
        final long digits = BigDecimal.TEN.pow(over.scale()).longValueExact();
        final long whole = over.unscaledValue().longValueExact();
        Choices.refuseIf(phases < 1 || phases > Phased.MAX_PHASES || whole < 1 || under < 1, OPTION, text, "'" + each
            + "' is no number of phases, 1 to " + Phased.MAX_PHASES + ", with a part of the slots", ADVICE);
        final long divisor = divisor(whole, under * digits);
        return new Part(phases, whole / divisor, under * digits / divisor);
    }

    private static long divisor(final long a, final long b) {
        return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).longValueExact();
    }

    /**
     * The flows, each in the class of its schedule: by size, or as the application says in the trace. Flows of unknown
     * length go by the schedule with the most phases.
     *
     * @throws InputException if the cut-offs do not fit the schedules.
     */
    static FlowSet classed(final RunOptions options, final ShaleOptions own, final Interleaved fabric,
        final FlowSet flows) {
        final int schedules = fabric.fabrics().size();
        final String text = own.cutoffBytes;
        if (flows.classes() > 1 || flows.isOnDemand() && text == null) {
            Choices.refuseIf(text != null, CUTOFF, text, "the trace says the class of each flow itself",
                "leave it out, or the sixth field of the trace");
            Choices.refuseIf(flows.classes() > schedules, "--flows", options.flows, "its sixth field puts flows into "
                + flows.classes() + " classes and there are " + schedules + " schedules",
                "number them from 0, the schedule with the most phases");
            return flows;
        }
        Choices.refuseIf(text == null, OPTION, own.interleave, "nothing says which flows go by which "
            + "schedule", "add " + CUTOFF);
        final long[] limits = TrafficClasses.sizes(CUTOFF, text, CUTOFF_ADVICE);
        Choices.refuseIf(limits.length != schedules - 1, CUTOFF, text, schedules + " schedules take " + (schedules - 1)
            + " cut-offs", CUTOFF_ADVICE);
        for (int i = 0; i < limits.length; i++) {
            // A class has its limit in it, a schedule has not.
            limits[i]--;
        }
        return flows.classedBySize(limits);
    }
}
