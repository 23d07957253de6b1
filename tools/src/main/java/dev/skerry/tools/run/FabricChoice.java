package dev.skerry.tools.run;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.Guarantee;
import dev.skerry.tools.report.RunResult;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The fabric that the options of a run describe, checked, and what else depends on which fabric it is.
 *
 * @param fabric     the fabric.
 * @param format     of its cells.
 * @param slotNs     time between the cells that a node sends: a slot, divided by the channels.
 * @param links      neighbours of a node.
 * @param guarantee  cells per node, slot and channel that it carries under any traffic, as the paper has it; the usual
 *                   load follows from it.
 * @param promise    what the report may say is guaranteed with these very settings.
 * @param settings   its own settings as they would be typed.
 * @param remarks    what the user should know before the run.
 */
public record FabricChoice(Fabric fabric, CellFormat format, double slotNs, int links, double guarantee,
    Guarantee promise, Map<String, String> settings, List<String> remarks) {

    /** The fabrics, for completion. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("shale", "shoal", "stardust").iterator();
        }
    }

    /** More than what two divisions of doubles can be wrong by, relative to the quotient. */
    private static final double SURE = 1e-12;

    /**
     * Makes sense of the options.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    static FabricChoice of(final RunOptions options) {
        final FabricChoice choice = named(options);
        return options.faults == null ? choice : new FabricChoice(choice.fabric, choice.format, choice.slotNs,
            choice.links, choice.guarantee, Guarantee.NONE, choice.settings, choice.remarks);
    }

    private static FabricChoice named(final RunOptions options) {
        return switch (options.fabric) {
            case "shale" -> ShaleChoice.of(options);
            case "shoal" -> ShoalChoice.of(options);
            case "stardust" -> StardustChoice.of(options);
            default -> throw new InputException("--fabric", options.fabric, "there is no such fabric",
                "use shale, shoal or stardust");
        };
    }

    /**
     * The fabric, for what needs one of circuits.
     *
     * @throws InputException if it is none.
     */
    public CircuitFabric circuits() {
        if (fabric instanceof CircuitFabric circuits) {
            return circuits;
        }
        throw new InputException("--fabric", "stardust", "this command needs a fabric of circuits",
            "use shoal or shale");
    }

    /** What numbers of cells and slots are worth. */
    public RunResult.Terms terms() {
        return new RunResult.Terms(fabric.channels(), slotNs, format.payloadBytes(), promise);
    }

    /** From the start of a slot to that of the next, in ns. */
    public double wholeSlotNs() {
        return fabric.channels() == 1 ? slotNs
            : BigDecimal.valueOf(slotNs).multiply(BigDecimal.valueOf(fabric.channels())).doubleValue();
    }

    /** Checks the length of a slot. */
    static double slotNs(final RunOptions options, final double otherwise) {
        final double slotNs = options.slotNs == null ? otherwise : options.slotNs;
        Choices.refuseIf(!(slotNs > 0 && slotNs < 1e9), "--slot-ns", slotNs, "a slot lasts more than 0 ns and less "
            + "than a second", "give its length in ns, for example " + otherwise);
        return slotNs;
    }

    /**
     * Whole slots of the delay, rounded up once, not twice: by decimal arithmetic if it is close to a whole number.
     *
     * @param slotNs    time between the cells that a node sends.
     * @param channels  of a node.
     * @param otherwise delay in ns if none is given.
     * @param most      slots.
     */
    static int propagationSlots(final RunOptions options, final double slotNs, final int channels,
        final double otherwise, final int most) {
        Choices.refuseIf(options.propagationSlots != null && options.propagationNs != null, "--propagation-slots",
            options.propagationSlots, "--propagation-ns is given too", "leave one of them out");
        if (options.propagationSlots != null) {
            return Choices.inRange("--propagation-slots", options.propagationSlots, 0, most);
        }
        final double delayNs = options.propagationNs == null ? otherwise : options.propagationNs;
        Choices.refuseIf(!(delayNs >= 0 && delayNs / slotNs / channels < most), "--propagation-ns", delayNs,
            "the delay must be 0 to " + most + " slots", "give the one-way delay in ns, for example 500");
        final double slots = delayNs / slotNs / channels;
        // So far from a whole number both arithmetics give the same, and loading the decimal one takes 25 ms.
        if (Math.abs(slots - Math.rint(slots)) > SURE * Math.max(1, slots)) {
            return (int) Math.ceil(slots);
        }
        return BigDecimal.valueOf(delayNs).divide(BigDecimal.valueOf(slotNs).multiply(BigDecimal.valueOf(channels)),
            0, RoundingMode.CEILING).intValue();
    }

    /** Checks the sizes of a cell. */
    static CellFormat format(final int cellBytes, final int headerBytes) {
        Choices.refuseIf(cellBytes <= headerBytes, "--cell-bytes", cellBytes, "a header of " + headerBytes
            + " bytes leaves no room for payload", "give " + (headerBytes + 1L) + " or more");
        return new CellFormat(cellBytes, headerBytes);
    }
}
