package dev.skerry.dataplane.circuit;

import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;

/**
 * The input that each output of a circuit switch selects in each slot of an epoch, checked. The row of slot 0 is also
 * the selection before the start (docs/spec/shoal.md §7).
 *
 * <p>Immutable: any thread may read.
 */
public final class RegisterTable {
    /** The input of an output that stays dark. */
    public static final int DARK = -1;

    /** Maximum number of ports of a switch. */
    public static final int MAX_PORTS = (1 << 16) - 2;

    private static final int MAX_ENTRIES = 1 << 28;

    private final int ports;
    private final int epochSlots;
    private final int[] inputs;

    /**
     * Creates and checks a table.
     *
     * @param ports      number of inputs, and of outputs: 1 to {@link #MAX_PORTS}.
     * @param epochSlots number of rows, at least 1.
     * @param selection  called once for each slot and output.
     * @throws IllegalArgumentException if a row is not a partial permutation; the message names slot and ports.
     */
    public RegisterTable(final int ports, final int epochSlots, final Selection selection) {
        Bounds.require("ports", ports, 1, MAX_PORTS);
        Bounds.require("epochSlots", epochSlots, 1, MAX_ENTRIES / ports);
        this.ports = ports;
        this.epochSlots = epochSlots;
        this.inputs = new int[epochSlots * ports];
        final int[] outputOf = new int[ports];
        for (int slot = 0; slot < epochSlots; slot++) {
            for (int output = 0; output < ports; output++) {
                final int input = selection.input(slot, output);
                if (input < DARK || input >= ports) {
                    throw new IllegalArgumentException("no such input: slot=" + slot + " output=" + output
                        + " input=" + input + " ports=" + ports);
                }
                inputs[slot * ports + output] = input;
            }
            checkRow(slot, outputOf);
        }
    }

    /**
     * Creates a table from an array of rows.
     *
     * @param ports      number of inputs, and of outputs.
     * @param epochSlots rows of the fabric's epoch.
     * @param rows       the input of output {@code out} in slot {@code t} at {@code t * ports + out}, -1 for an empty
     *                   output.
     * @throws IllegalArgumentException if the array has the wrong length, or a row is not a partial permutation.
     */
    public static RegisterTable of(final int ports, final int epochSlots, final int[] rows) {
        Bounds.refuseIf(rows.length != (long) ports * epochSlots, "table is not of this epoch: entries=", rows.length,
            " epochSlots=", epochSlots, " ports=", ports);
        return new RegisterTable(ports, epochSlots, (slot, output) -> rows[slot * ports + output]);
    }

    /** Supplies the rows of a table. */
    @FunctionalInterface
    public interface Selection {
        /**
         * The input that an output selects.
         *
         * @param slotInEpoch 0 to epochSlots - 1.
         * @param output      0 to ports - 1.
         * @return 0 to ports - 1, or {@link RegisterTable#DARK}.
         */
        int input(int slotInEpoch, int output);
    }

    /** Number of inputs, and of outputs. */
    public int ports() {
        return ports;
    }

    /** Slots of an epoch. */
    public int epochSlots() {
        return epochSlots;
    }

    /** The input that an output selects in a slot of a running epoch; before the start, slot 0 applies. */
    public int input(final int slotInEpoch, final int output) {
        return inputs[slotInEpoch * ports + output];
    }

    private void checkRow(final int slot, final int[] outputOf) {
        Arrays.fill(outputOf, DARK);
        for (int output = 0; output < outputOf.length; output++) {
            final int input = input(slot, output);
            if (input != DARK) {
                if (outputOf[input] != DARK) {
                    throw new IllegalArgumentException("not a partial permutation: "
                        + (slot == 0 ? "held before the start" : "slot=" + slot) + " input=" + input + " outputs="
                        + outputOf[input] + "," + output);
                }
                outputOf[input] = output;
            }
        }
    }
}
