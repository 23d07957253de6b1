package dev.skerry.tools.run.shoal;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.nic.fault.ClockTakeover;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The clocks of Shoal from the options of a run (docs/spec/shoal.md §7). One thread. */
final class ShoalClocks {
    private static final String GUARD = "--guard-ns";
    private static final String RECONFIGURATION = "--reconfiguration-ns";
    private static final String DRIFT = "--clock-drift-ppm";
    private static final double MOST_PPM = 1e5;

    private final RunOptions options;
    private final ShoalOptions times;
    private final double slotNs;

    /**
     * Checks the options.
     *
     * @param slotNs of a slot on a lane.
     * @throws InputException if one of them is wrong, alone or with another.
     */
    ShoalClocks(final RunOptions options, final double slotNs) {
        this.options = options;
        this.times = options.own.of(ShoalOptions.class);
        this.slotNs = slotNs;
        Choices.refuseIf(options.guardNs != null && !(options.guardNs >= 0 && options.guardNs < slotNs), GUARD,
            options.guardNs, String.format(Locale.ROOT, "a guard band is part of a slot, which lasts %.5g ns", slotNs),
            "give 0 or more and less than that");
        if (options.guardNs == null) {
            final String why = "there is no guard band";
            Choices.refuse(RECONFIGURATION, times.reconfigurationNs, why, "add " + GUARD);
            Choices.refuse(DRIFT, times.driftPpm, why, "add " + GUARD);
        } else if (!(reconfigurationNs() >= 0 && reconfigurationNs() <= options.guardNs)) {
            throw new InputException(RECONFIGURATION, Double.toString(reconfigurationNs()),
                "circuits change within the guard band of " + options.guardNs + " ns", "give 0 to that");
        }
        if (options.faults == null) {
            Choices.refuse(DRIFT, times.driftPpm, "nothing fails in this run", "leave it out or add --faults");
        }
        if (times.driftPpm == null) {
            final String why = "clocks stay when a node stops";
            Choices.refuse("--clock-master", times.clockMaster, why, "add " + DRIFT);
            Choices.refuse("--takeover-slots", times.takeoverSlots, why, "add " + DRIFT);
        } else if (!(times.driftPpm >= 0 && times.driftPpm <= MOST_PPM)) {
            throw new InputException(DRIFT, times.driftPpm.toString(), "a clock is off by 0 to " + (int) MOST_PPM
                + " parts in a million", "give for example 100");
        }
    }

    private double reconfigurationNs() {
        return times.reconfigurationNs == null ? 0 : times.reconfigurationNs;
    }

    /** Where clocks may be: as far off as a guard band is longer than the change of circuits, or slots later. */
    ClockWindow window() {
        return options.guardNs == null ? ClockWindow.NONE : new ClockWindow(options.guardNs - reconfigurationNs(),
            slotNs);
    }

    /** Adds the options as they would be typed. */
    void describe(final Map<String, String> settings) {
        Choices.put(settings, "guard-ns", options.guardNs);
        Choices.put(settings, "reconfiguration-ns", times.reconfigurationNs);
        Choices.put(settings, "clock-drift-ppm", times.driftPpm);
        Choices.put(settings, "clock-master", times.clockMaster);
        Choices.put(settings, "takeover-slots", times.takeoverSlots);
    }

    /**
     * A script with what clocks do when their master stops.
     *
     * @param slotNs  of a slot on a lane.
     * @param remarks gets a line for each takeover.
     */
    FaultPlan played(final FaultPlan script, final Shoal shoal, final double slotNs, final List<String> remarks) {
        if (times.driftPpm == null) {
            return script;
        }
        final int master = inRange("--clock-master", times.clockMaster, 0, shoal.nodes() - 1, 0);
        final long missed = (long) shoal.resilience().missedEpochs() * shoal.schedule().epochSlots()
            + shoal.propagationSlots();
        final long takeoverSlots = Choices.atLeast("--takeover-slots", times.takeoverSlots, 0, missed);
        final ClockTakeover clocks = ClockTakeover.of(script, shoal.nodes(), new ClockTakeover.Clocks(master,
            options.guardNs - reconfigurationNs(), times.driftPpm, slotNs, takeoverSlots), options.seed);
        for (final ClockTakeover.Takeover takeover : clocks.takeovers()) {
            remarks.add(String.format(Locale.ROOT, "clock master %d stops in slot %d; all follow node %d from slot %d "
                + "on, %.5g us later; clocks that leave their window until then: %d", takeover.from(),
                takeover.stopped(), takeover.to(), takeover.slot(),
                (takeover.slot() - takeover.stopped()) * slotNs / 1e3, takeover.strayed()));
        }
        return clocks.plan();
    }
}
