package dev.skerry.tools.run;

import dev.skerry.tools.input.Choices;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * An option that not every fabric has. All of them are declared here, and one check refuses what was typed for another
 * fabric.
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

    private static final List<OptionScope> ALL = List.of(
        new OptionScope("--topology", run -> run.topology, TO_ALL_BUT_STARDUST),
        new OptionScope("--ports", run -> run.stardust.ports, TO_ALL_BUT_STARDUST),
        new OptionScope("--speed-up", run -> run.speedUp, TO_ALL_BUT_STARDUST),
        new OptionScope("--packet-bytes", run -> run.packetBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--credit-bytes", run -> run.stardust.creditBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--packing", run -> run.stardust.packing, TO_ALL_BUT_STARDUST),
        new OptionScope("--requests", run -> run.stardustRun.requests, TO_ALL_BUT_STARDUST),
        new OptionScope("--low-latency", run -> run.stardustRun.lowLatency, TO_ALL_BUT_STARDUST),
        new OptionScope("--voq-bytes", run -> run.stardustRun.voqBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--adapter-bytes", run -> run.stardustRun.adapterBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--give-up-ms", run -> run.stardustRun.giveUpMs, TO_ALL_BUT_STARDUST),
        new OptionScope("--top-elements", run -> run.stardustRun.topElements, TO_ALL_BUT_STARDUST),
        new OptionScope("--reachability", run -> run.stardustRun.reachability, TO_ALL_BUT_STARDUST),
        new OptionScope("--radix", run -> run.stardustShape.radix, TO_ALL_BUT_STARDUST),
        new OptionScope("--adapter-links", run -> run.stardustShape.adapterLinks, TO_ALL_BUT_STARDUST),
        new OptionScope("--tiers", run -> run.stardustShape.tiers, TO_ALL_BUT_STARDUST),
        new OptionScope("--up-links", run -> run.stardustShape.upLinks, TO_ALL_BUT_STARDUST),
        new OptionScope("--hosts", run -> run.stardustEnds.hosts, TO_ALL_BUT_STARDUST),
        new OptionScope("--mark-bytes", run -> run.stardustEnds.markBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--mark-red", run -> run.stardustEnds.markRed, TO_ALL_BUT_STARDUST),
        new OptionScope("--pause-bytes", run -> run.stardustEnds.pauseBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--subflows", run -> run.stardustEnds.subflows, TO_ALL_BUT_STARDUST),
        new OptionScope("--link-bytes", run -> run.stardustLinks.linkBytes, TO_ALL_BUT_STARDUST),
        new OptionScope("--device-ns", run -> run.stardustLinks.deviceNs, TO_ALL_BUT_STARDUST),
        new OptionScope("--control", run -> run.stardustLinks.control, TO_ALL_BUT_STARDUST),
        new OptionScope("--weights", run -> run.weights, TO_ALL_BUT_STARDUST),
        new OptionScope("--h", run -> run.shale.h, TO_ALL_BUT_SHALE),
        new OptionScope("--interleave", run -> run.shale.interleave, TO_ALL_BUT_SHALE),
        new OptionScope("--cutoff-bytes", run -> run.shale.cutoffBytes, TO_ALL_BUT_SHALE),
        new OptionScope("--cc", run -> run.shale.cc, TO_ALL_BUT_SHALE),
        new OptionScope("--priority-factor", run -> run.shale.priorityFactor, TO_ALL_BUT_SHALE),
        new OptionScope("--priority-of", run -> run.shale.priorityOf, TO_ALL_BUT_SHALE),
        new OptionScope("--priority-order", run -> run.shale.priorityOrder, TO_ALL_BUT_SHALE),
        new OptionScope("--spray-ties", run -> run.shale.sprayTies, TO_ALL_BUT_SHALE),
        new OptionScope("--local-order", run -> run.shale.localOrder, TO_ALL_BUT_SHALE),
        new OptionScope("--isd-rate", run -> run.shale.isdRate, TO_ALL_BUT_SHALE),
        new OptionScope("--tokens", run -> run.shale.tokens, TO_ALL_BUT_SHALE),
        new OptionScope("--first-hop-tokens", run -> run.shale.firstHopTokens, TO_ALL_BUT_SHALE),
        new OptionScope("--rd-cells-per-pull", run -> run.shale.receiverDriven.cellsPerPull, TO_ALL_BUT_SHALE),
        new OptionScope("--rd-rate", run -> run.shale.receiverDriven.rate, TO_ALL_BUT_SHALE),
        new OptionScope("--rd-budget", run -> run.shale.receiverDriven.budget, TO_ALL_BUT_SHALE),
        new OptionScope("--rd-max-queue", run -> run.shale.receiverDriven.maxQueue, TO_ALL_BUT_SHALE),
        new OptionScope(LaneOptions.LANES, run -> run.shale.lane.lanes, TO_ALL_BUT_SHALE),
        new OptionScope(LaneOptions.SERIALISATION, run -> run.shale.lane.serialisationSlots, TO_ALL_BUT_SHALE),
        new OptionScope("--guard-ns", run -> run.guardNs, TO_STARDUST),
        new OptionScope("--pieo-entries", run -> run.shale.limits.pieoEntries, TO_ALL_BUT_SHALE),
        new OptionScope("--token-fifo", run -> run.shale.limits.tokenFifo, TO_ALL_BUT_SHALE),
        new OptionScope("--active-buckets", run -> run.shale.limits.activeBuckets, TO_ALL_BUT_SHALE),
        new OptionScope("--bucket-reserve", run -> run.shale.limits.reserve, TO_ALL_BUT_SHALE),
        new OptionScope("--slot-clocks", run -> run.shale.limits.slotClocks, TO_ALL_BUT_SHALE),
        new OptionScope("--fill", run -> run.fill ? true : null, TO_ALL_BUT_SHALE),
        new OptionScope("--channels", run -> run.channels, TO_SHALE),
        new OptionScope("--shoal-rule", run -> run.shoal.rule, TO_ALL_BUT_SHOAL),
        new OptionScope("--shoal-schedule", run -> run.shoal.schedule, TO_ALL_BUT_SHOAL),
        new OptionScope("--shoal-age-rule", run -> run.shoal.ageRule, TO_ALL_BUT_SHOAL),
        new OptionScope("--flow-order", run -> run.shoal.flowOrder, TO_ALL_BUT_SHOAL),
        new OptionScope("--clos-spines", run -> run.shoal.closSpines, TO_ALL_BUT_SHOAL),
        new OptionScope("--shoal-preset", run -> run.shoal.times.preset, TO_ALL_BUT_SHOAL),
        new OptionScope("--switch-ns", run -> run.shoal.times.switchNs, TO_ALL_BUT_SHOAL),
        new OptionScope("--nic-ns", run -> run.shoal.times.nicNs, TO_ALL_BUT_SHOAL),
        new OptionScope("--hold-slots", run -> run.shoal.times.holdSlots, TO_ALL_BUT_SHOAL),
        new OptionScope("--reconfiguration-ns", run -> run.shoal.times.reconfigurationNs, TO_ALL_BUT_SHOAL),
        new OptionScope("--clock-drift-ppm", run -> run.shoal.times.driftPpm, TO_ALL_BUT_SHOAL),
        new OptionScope("--clock-master", run -> run.shoal.times.clockMaster, TO_ALL_BUT_SHOAL),
        new OptionScope("--takeover-slots", run -> run.shoal.times.takeoverSlots, TO_ALL_BUT_SHOAL),
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
                Choices.refuse(scope.option, scope.value.apply(options), "not supported by " + fabric,
                    "leave it out");
            }
        }
        if (options.faults == null) {
            final String why = "nothing fails in this run";
            final String advice = "leave it out or add --faults";
            Choices.refuse("--miss-limit", options.missLimit, why, advice);
            Choices.refuse("--respray-last-hop", options.resprayLastHop ? true : null, why, advice);
        }
    }
}
