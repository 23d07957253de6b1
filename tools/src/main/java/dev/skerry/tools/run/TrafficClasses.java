package dev.skerry.tools.run;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.fabric.ClassRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The traffic classes of a run's flows (docs/spec/shoal.md §6.1, docs/spec/stardust.md §5.1): by size if {@code
 * --class-bytes} says so, else those of the trace.
 */
final class TrafficClasses {
    private static final String OPTION = "--class-bytes";
    private static final String WEIGHTS = "--weights";
    private static final String WEIGHT_ADVICE = "give one for each class, for example 0,3,1";
    private static final String ADVICE = "give one to " + (FlowSet.MAX_CLASSES - 1) + " ascending sizes in bytes, "
        + "for example 10000,1000000";

    private TrafficClasses() {
    }

    /**
     * The flows in their classes.
     *
     * @throws InputException if the sizes are none, or the fabric does not know of classes.
     */
    static FlowSet of(final RunOptions options, final Fabric fabric, final FlowSet flows) {
        if (fabric instanceof final Interleaved interleaved) {
            return InterleaveChoice.classed(options, interleaved, flows);
        }
        if (flows.classes() > 1) {
            refuseClassesOfTrace(options, fabric, flows.classes());
        }
        final FlowSet classed = options.classBytes == null ? flows : flows.classedBySize(limits(options));
        Choices.refuseIf(options.lowerClassCells != null && classed.classes() == 1, "--lower-class-cells",
            options.lowerClassCells, "all flows are of one traffic class", "leave it out or add " + OPTION);
        return classed;
    }

    /** How many classes the sizes make, 1 without any. */
    static int number(final RunOptions options) {
        return options.classBytes == null ? 1 : limits(options).length + 1;
    }

    /** Weights of classes as they were typed. */
    static List<Integer> weights(final String text) {
        final List<Integer> weights = new ArrayList<>();
        for (final String part : text.split(",", -1)) {
            final long weight = number(WEIGHTS, text, part.strip(), "weight", WEIGHT_ADVICE);
            Choices.refuseIf(weight < 0 || weight > ClassRules.MAX_WEIGHT || weights.size() == FlowSet.MAX_CLASSES,
                WEIGHTS, text, "up to " + FlowSet.MAX_CLASSES + " classes have weights of 0 to "
                + ClassRules.MAX_WEIGHT, WEIGHT_ADVICE);
            Choices.refuseIf(weight == 0 && !weights.isEmpty() && weights.getLast() > 0, WEIGHTS, text,
                "classes that go first, of weight 0, come first", WEIGHT_ADVICE);
            weights.add((int) weight);
        }
        return weights;
    }

    private static void refuseClassesOfTrace(final RunOptions options, final Fabric fabric, final int classes) {
        final String trace = options.flows.toString();
        if (fabric instanceof final Stardust stardust) {
            Choices.refuseIf(stardust.hosts().classes() < classes, "--flows", trace, "its sixth field puts flows into "
                + "traffic classes and they are " + classes + " of which " + stardust.hosts().classes() + " are known",
                "say by --weights what they are worth, for example 0,0, or leave the field out");
        } else if (!(fabric instanceof Shoal)) {
            throw new InputException("--flows", trace, "its sixth field puts flows into traffic classes and only Shoal "
                + "and Stardust have these", "use one of them or leave the field out");
        }
        if (fabric instanceof final Shoal shoal && !shoal.rule().isGuarded()) {
            throw new InputException("--flows", trace, "its sixth field puts flows into traffic classes and the "
                + (shoal.rule() == ReleaseRule.AUTHORS_SIMULATOR ? "authors' simulator" : "rule "
                + shoal.rule().label()) + " has none", "use --shoal-rule exact or leave the field out");
        }
        Choices.refuseIf(options.classBytes != null, OPTION, options.classBytes, "the trace says the class of each "
            + "flow itself", "leave it out, or the sixth field of the trace");
    }

    private static long[] limits(final RunOptions options) {
        return sizes(OPTION, options.classBytes, ADVICE);
    }

    /**
     * Ascending sizes in bytes.
     *
     * @throws InputException if that is not what was typed, or there are more than classes allow.
     */
    static long[] sizes(final String option, final String text, final String advice) {
        final String[] parts = text.split(",", -1);
        Choices.refuseIf(parts.length >= FlowSet.MAX_CLASSES, option, text, parts.length + " sizes would make "
            + (parts.length + 1) + " classes", advice);
        final long[] limits = new long[parts.length];
        for (int i = 0; i < parts.length; i++) {
            limits[i] = number(option, text, parts[i].strip(), "size in bytes", advice);
            Choices.refuseIf(limits[i] < 1 || i > 0 && limits[i] <= limits[i - 1], option, text,
                "sizes start at 1 and ascend", advice);
        }
        return limits;
    }

    private static long number(final String option, final String text, final String part, final String what,
        final String advice) {
        try {
            return Long.parseLong(part);
        } catch (final NumberFormatException e) {
            throw new InputException(option, text, "'" + part + "' is no " + what, advice);
        }
    }

    /** What was chosen, as it would be typed. */
    static Map<String, String> settings(final RunOptions options, final Fabric fabric, final FlowSet flows) {
        final Map<String, String> settings = new LinkedHashMap<>();
        if (options.classBytes != null) {
            settings.put("class-bytes", options.classBytes);
        }
        if (flows.classes() > 1 && fabric instanceof Shoal shoal) {
            final int room = shoal.resilience().lowerClassCells();
            settings.put("lower-class-cells", Integer.toString(room == 0 ? shoal.nodes() : room));
        }
        return settings;
    }
}
