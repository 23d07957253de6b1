package dev.skerry.tools.run.shale;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.LanedSchedule;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.Map;

/** The lanes of Shale from the options of a run (docs/spec/shale.md §2.6). */
final class LaneChoice {
    private static final String LANES = "--lanes";
    private static final String SERIALISATION = "--serialisation-slots";
    private static final String GUARD = "--guard-ns";
    private static final int MAX_LANES = 64;
    private static final MathContext DIGITS = new MathContext(5);

    private final RunOptions options;
    private final ShaleOptions own;
    private final double slotNs;
    private final int lanes;

    /**
     * Checks the options.
     *
     * @param slotNs from the start of a slot to that of the next.
     * @throws InputException if one of them is out of range, or does not go with another.
     */
    LaneChoice(final RunOptions options, final double slotNs) {
        this.options = options;
        this.own = options.own.of(ShaleOptions.class);
        this.slotNs = slotNs;
        this.lanes = inRange(LANES, own.lanes, 1, MAX_LANES, 1);
        final int serialisation = inRange(SERIALISATION, own.slotsOnLane(), 0, MAX_LANES);
        Choices.refuseIf(serialisation > lanes, SERIALISATION, serialisation, "a lane would carry two cells at once, "
            + "as a node has " + lanes, "give 0 to " + lanes + " or add " + LANES + " " + serialisation);
        if (options.guardNs != null) {
            checkGuard(options.guardNs, serialisation);
        }
    }

    private void checkGuard(final double guardNs, final int serialisation) {
        Choices.refuseIf(!(guardNs >= 0 && guardNs < laneSlotNs()), GUARD, guardNs, String.format(Locale.ROOT,
            "a guard band is part of the slot of a lane, which lasts %s ns", rounded(laneSlotNs())),
            "give 0 or more and less than that; with 8 lanes the paper has 4.096");
        // A cell and a guard band fill the slot of a lane to the last digit, so rounding must not decide.
        Choices.refuseIf(serialisation > 0 && cellNs() > serialisation * slotNs * (1 + 1e-9), SERIALISATION,
            serialisation, String.format(Locale.ROOT, "beside this guard band a cell takes %s ns, which are more slots",
            rounded(cellNs())), "give " + (int) Math.ceil(cellNs() / slotNs - 1e-9) + " or leave it out");
    }

    /** The circuit switches of a schedule, for mode threads. */
    Wiring wiring(final Schedule schedule) {
        if (own.lanes == null) {
            return schedule instanceof final Phased phased ? PhaseGroupSwitches.wiring(phased)
                : Crossbar.wiring(schedule);
        }
        try {
            return Crossbar.lanes(new LanedSchedule(schedule, lanes));
        } catch (final IllegalArgumentException e) {
            throw new InputException(LANES, own.lanes.toString(), e.getMessage(),
                "choose fewer nodes or another number of lanes");
        }
    }


    /** Slots from the sending of a cell to its handling: on the lane and on the way. */
    int delaySlots(final int propagationSlots) {
        final int onLane = own.slotsOnLane();
        return onLane + inRange("--propagation-slots", propagationSlots, 0, Shale.MAX_PROPAGATION_SLOTS - onLane);
    }

    /** Where clocks may be. */
    ClockWindow window() {
        return options.guardNs == null ? ClockWindow.NONE : new ClockWindow(options.guardNs / 2);
    }

    /** What the user should know where a guard band was typed. */
    String remark(final int cellBytes) {
        return String.format(Locale.ROOT, "a lane sends a cell of %d bytes in %s ns, "
            + "%s Gb/s, and circuits change in the %s ns that are left of its %s ns", cellBytes, rounded(cellNs()),
            rounded(cellBytes * Byte.SIZE / cellNs()), rounded(options.guardNs), rounded(laneSlotNs()));
    }

    /** Adds the options as they would be typed. */
    void describe(final Map<String, String> settings) {
        Choices.put(settings, "lanes", own.lanes);
        Choices.put(settings, "serialisation-slots", own.serialisationSlots);
        Choices.put(settings, "guard-ns", options.guardNs);
    }

    private static String rounded(final double value) {
        return BigDecimal.valueOf(value).round(DIGITS).stripTrailingZeros().toPlainString();
    }

    private double laneSlotNs() {
        return lanes * slotNs;
    }

    private double cellNs() {
        return laneSlotNs() - options.guardNs;
    }
}
