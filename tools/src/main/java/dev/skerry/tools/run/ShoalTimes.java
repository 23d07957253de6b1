package dev.skerry.tools.run;

import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.tools.input.InputException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Times of Shoal from the options of a run: presets, latencies on the way of a cell, the start. One thread. */
final class ShoalTimes {
    private final RunOptions options;
    /** Null where no latency of a part was given. */
    private ShoalWay way;

    /**
     * Replaces a preset and latencies of parts by the options that they stand for; asked again, there is nothing left
     * to replace.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    ShoalTimes(final RunOptions options) {
        this.options = options;
        final ShoalTimeOptions times = options.shoal.times;
        if (times.preset != null) {
            apply(ShoalSetUp.named(times.preset), times);
        }
        if (times.switchNs != null || times.nicNs != null) {
            if (options.propagationSlots != null) {
                throw new InputException("--propagation-slots", options.propagationSlots.toString(),
                    "--switch-ns or --nic-ns is given too", "give --propagation-ns, or leave out the latencies");
            }
            way = new ShoalWay(options.propagationNs == null ? 0 : options.propagationNs,
                latency("--switch-ns", times.switchNs), latency("--nic-ns", times.nicNs));
            options.propagationNs = way.totalNs();
            times.switchNs = null;
            times.nicNs = null;
        }
    }

    private void apply(final ShoalSetUp setUp, final ShoalTimeOptions times) {
        options.nodes = options.isTyped("--nodes") ? options.nodes : setUp.nodes();
        options.channels = options.channels == null ? setUp.channels() : options.channels;
        options.slotNs = options.slotNs == null ? Double.valueOf(setUp.slotNs()) : options.slotNs;
        if (options.propagationSlots == null && setUp.way().totalNs() > 0) {
            options.propagationNs = options.propagationNs == null ? Double.valueOf(setUp.way().wireNs())
                : options.propagationNs;
            times.switchNs = times.switchNs == null ? Double.valueOf(setUp.way().switchNs()) : times.switchNs;
            times.nicNs = times.nicNs == null ? Double.valueOf(setUp.way().nicNs()) : times.nicNs;
        }
        if (setUp == ShoalSetUp.PRINTED && options.shoal.schedule == null) {
            options.shoal.schedule = "delay";
        }
        times.preset = null;
    }

    private static double latency(final String option, final Double typed) {
        if (typed != null && !(typed >= 0 && typed < 1e9)) {
            throw new InputException(option, typed.toString(), "a latency is 0 ns or more and less than a second",
                "give it in ns, for example 320");
        }
        return typed == null ? 0 : typed;
    }

    /** The rules of a fabric that starts when the options say. */
    Resilience started(final Resilience rules, final int epochSlots) {
        final Long slots = options.shoal.times.holdSlots;
        final long most = (long) Resilience.MOST * epochSlots;
        if (slots != null && (slots < 0 || slots > most)) {
            throw new InputException("--hold-slots", slots.toString(), "must be 0 to " + most,
                "give a number in this range");
        }
        return slots == null ? rules : rules.after(Math.ceilDivExact(Math.toIntExact(slots), epochSlots));
    }

    /** What the user should know: the way of a cell by its parts, and when the fabric runs. */
    List<String> remarks(final Shoal shoal, final double wholeSlotNs) {
        final List<String> remarks = new ArrayList<>();
        if (way != null) {
            remarks.add(String.format(Locale.ROOT, "a cell takes %s + 3 x %s + %s = %s ns from node to node and is "
                + "handled at the start of a slot: %d slots of %s ns", way.wireNs(), way.switchNs(), way.nicNs(),
                way.totalNs(), shoal.propagationSlots(), wholeSlotNs));
        }
        if (shoal.firstSlot() > 0) {
            remarks.add(String.format(Locale.ROOT, "switches hold until slot %d, %.5g us: then the schedule begins",
                shoal.firstSlot(), shoal.firstSlot() * wholeSlotNs / 1e3));
        }
        return remarks;
    }
}
