package dev.skerry.spi;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

/**
 * Assigns flows to traffic classes (docs/spec/shoal.md §6.1, docs/spec/stardust.md §5.1): by size with {@code
 * --class-bytes}, otherwise as in the trace.
 */
public final class TrafficClasses {
    private static final String OPTION = "--class-bytes";
    private static final String ADVICE = "give one to " + (FlowSet.MAX_CLASSES - 1) + " ascending sizes in bytes, "
        + "for example 10000,1000000";

    private TrafficClasses() {
    }

    /**
     * Returns the flows in their classes.
     *
     * @throws InputException if the sizes are invalid, or the fabric does not support traffic classes.
     */
    static FlowSet of(final RunOptions options, final FabricChoice fabric, final FlowSet flows) {
        if (flows.classes() > 1) {
            fabric.refuseClasses(flows.classes());
            Choices.refuseIf(options.classBytes != null, OPTION, options.classBytes, "the trace gives the class of "
                + "each flow", "leave it out, or the sixth field of the trace");
        }
        return options.classBytes == null ? flows : flows.classedBySize(limits(options));
    }

    /** Returns the number of classes that the sizes define; 1 if no sizes are given. */
    public static int number(final RunOptions options) {
        return options.classBytes == null ? 1 : limits(options).length + 1;
    }

    private static long[] limits(final RunOptions options) {
        return sizes(OPTION, options.classBytes, ADVICE);
    }

    /**
     * Parses ascending sizes in bytes.
     *
     * @throws InputException if the text is not a list of ascending sizes, or defines too many classes.
     */
    public static long[] sizes(final String option, final String text, final String advice) {
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

    public static long number(final String option, final String text, final String part, final String what,
        final String advice) {
        try {
            return Long.parseLong(part);
        } catch (final NumberFormatException e) {
            throw new InputException(option, text, "'" + part + "' is not a " + what, advice);
        }
    }
}
