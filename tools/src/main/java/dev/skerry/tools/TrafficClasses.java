package dev.skerry.tools;

import dev.skerry.nic.FlowSet;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.shoal.ReleaseRule;
import dev.skerry.nic.fabric.shoal.Shoal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The traffic classes of a run's flows (spec/shoal §6.1): by size if {@code --class-bytes} says so, else those of the
 * trace.
 */
final class TrafficClasses {
    private static final String OPTION = "--class-bytes";
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
        if (flows.classes() > 1) {
            refuseClassesOfTrace(options, fabric);
        }
        final FlowSet classed = options.classBytes == null ? flows : flows.classedBySize(limits(options.classBytes));
        if (options.lowerClassCells != null && classed.classes() == 1) {
            throw new InputException("--lower-class-cells", options.lowerClassCells.toString(),
                "all flows are of one traffic class", "leave it out or add " + OPTION);
        }
        return classed;
    }

    private static void refuseClassesOfTrace(final RunOptions options, final Fabric fabric) {
        final String trace = options.flows.toString();
        if (!(fabric instanceof Shoal shoal)) {
            throw new InputException("--flows", trace, "its sixth field puts flows into traffic classes and only Shoal "
                + "has these", "use --fabric shoal or leave the field out");
        }
        if (shoal.rule() == ReleaseRule.AUTHORS_SIMULATOR) {
            throw new InputException("--flows", trace, "its sixth field puts flows into traffic classes and the "
                + "authors' simulator has none", "use --shoal-rule exact or leave the field out");
        }
        if (options.classBytes != null) {
            throw new InputException(OPTION, options.classBytes, "the trace says the class of each flow itself",
                "leave it out, or the sixth field of the trace");
        }
    }

    private static long[] limits(final String text) {
        final String[] parts = text.split(",", -1);
        if (parts.length >= FlowSet.MAX_CLASSES) {
            throw new InputException(OPTION, text, parts.length + " sizes would make " + (parts.length + 1)
                + " classes", ADVICE);
        }
        final long[] limits = new long[parts.length];
        for (int i = 0; i < parts.length; i++) {
            limits[i] = size(text, parts[i].strip());
            if (limits[i] < 1 || i > 0 && limits[i] <= limits[i - 1]) {
                throw new InputException(OPTION, text, "sizes start at 1 and ascend", ADVICE);
            }
        }
        return limits;
    }

    private static long size(final String text, final String part) {
        try {
            return Long.parseLong(part);
        } catch (final NumberFormatException e) {
            throw new InputException(OPTION, text, "'" + part + "' is no size in bytes", ADVICE);
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
