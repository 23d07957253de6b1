package dev.skerry.tools.run;

import dev.skerry.tools.input.Choices;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * An option that not every fabric has. One check refuses what was typed for another fabric.
 *
 * @param option  its name.
 * @param value   what was typed; null if nothing was.
 * @param foreign fabrics that do not have it, by their names as options, and how the refusal calls each.
 */
record OptionScope(String option, Function<RunOptions, Object> value, Map<String, String> foreign) {
    private static final Map<String, String> TO_SHALE = Map.of("shale", "Shale");
    private static final Map<String, String> TO_STARDUST = Map.of("stardust", "Stardust");
    private static final Map<String, String> TO_ALL_BUT_SHALE = Map.of("shoal", "Shoal", "stardust", "Stardust");
    private static final Map<String, String> TO_ALL_BUT_SHOAL = Map.of("shale", "Shale", "stardust", "Stardust");
    private static final Map<String, String> TO_ALL_BUT_STARDUST = Map.of("shale", "Shale", "shoal", "Shoal");

    /** Options that RunOptions declares itself; an option of a group belongs to the fabric of that group. */
    private static final List<OptionScope> ALL = List.of(
        new OptionScope("--topology", run -> run.topology, TO_ALL_BUT_STARDUST),
        new OptionScope("--speed-up", run -> run.speedUp, TO_ALL_BUT_STARDUST),
        new OptionScope("--packet-bytes", run -> run.packetBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--weights", run -> run.weights, TO_ALL_BUT_STARDUST),
        new OptionScope("--guard-ns", run -> run.guardNs, TO_STARDUST),
        new OptionScope("--fill", run -> run.fill ? true : null, TO_ALL_BUT_SHALE),
        new OptionScope("--channels", run -> run.channels, TO_SHALE),
        new OptionScope("--class-bytes", run -> run.classBytes, TO_SHALE),
        new OptionScope("--lower-class-cells", run -> run.lowerClassCells, TO_ALL_BUT_SHOAL),
        new OptionScope("--failed-nodes", run -> run.failedNodes == 0 ? null : run.failedNodes,
            Map.of("stardust", "Stardust: use --faults")),
        new OptionScope(FailedOptions.IDS, run -> run.failed.ids, TO_ALL_BUT_SHALE),
        new OptionScope(FailedOptions.EXCHANGE, run -> run.failed.exchange ? true : null, TO_ALL_BUT_SHALE),
        new OptionScope("--miss-limit", run -> run.missLimit, TO_STARDUST),
        new OptionScope("--respray-last-hop", run -> run.resprayLastHop ? true : null, TO_ALL_BUT_SHALE));

    /**
     * Refuses what was typed although not supported by the fabric, or nothing to a run without faults.
     *
     * @throws dev.skerry.tools.input.InputException for the first such option.
     */
    static void refuseForeign(final RunOptions options) {
        for (final OptionScope scope : ALL) {
            final String fabric = scope.foreign.get(options.fabric);
            if (fabric != null) {
                Choices.refuse(scope.option, scope.value.apply(options), "not supported by " + fabric, "leave it out");
            }
        }
        refuseForeign(options, "Shale", options.shale);
        refuseForeign(options, "Shoal", options.shoal);
        refuseForeign(options, "Stardust", options.stardust, options.stardustEnds, options.stardustLinks);
        if (options.faults == null) {
            final String why = "nothing fails in this run";
            final String advice = "leave it out or add --faults";
            Choices.refuse("--miss-limit", options.missLimit, why, advice);
            Choices.refuse("--respray-last-hop", options.resprayLastHop ? true : null, why, advice);
        }
    }

    private static void refuseForeign(final RunOptions options, final String owner, final Object... itsOptions) {
        if (owner.equalsIgnoreCase(options.fabric)) {
            return;
        }
        final String fabric = options.fabric.substring(0, 1).toUpperCase(Locale.ROOT) + options.fabric.substring(1);
        for (final Object group : itsOptions) {
            for (final OptionSpec option : CommandSpec.forAnnotatedObject(group).options()) {
                final Object value = option.getValue();
                Choices.refuse(option.longestName(), Boolean.FALSE.equals(value) ? null : value,
                    "not supported by " + fabric, "leave it out");
            }
        }
    }
}
