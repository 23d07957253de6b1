package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.trace.WaveFields;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * A Java model with rows of words as inputs and outputs, so that one C function and one wrapper serve all models. One
 * thread at a time. A step allocates no more than a row beyond the model itself.
 */
sealed interface Twin permits DeviceFollowTwin, DeviceTwin, CodecTwin, FollowTwin, HeaderTwin, NodeTwin, PieoTwin,
    StimulusTwin, SwitchTwin {
    /** Names of the words of an input row and of an output row, in order. */
    record Names(String[] inputs, String[] outputs) {
        Names(final List<String> inputs, final List<String> outputs) {
            this(inputs.toArray(String[]::new), outputs.toArray(String[]::new));
        }
    }

    /** Names of the words of its rows. */
    Names names();

    /**
     * Executes one step.
     *
     * @param in    memory of the input row.
     * @param inAt  byte offset of the input row.
     * @param out   receives the whole output row.
     * @param outAt byte offset of the output row.
     * @throws IllegalArgumentException if an input is invalid; the state is then unchanged.
     */
    void step(MemorySegment in, long inAt, MemorySegment out, long outAt);

    /**
     * Returns a stimulus for the model, with some weights replaced.
     *
     * @throws IllegalArgumentException if rows cannot be drawn for it.
     */
    Stimulus stimulus(Map<String, Integer> weights);

    /** Returns the fields of the link words among its words, null if it has none. */
    default WaveFields fields() {
        return null;
    }

    /** Names of the probes that a description of the model can ask for beyond its outputs, in order. */
    default List<String> probes() {
        return List.of();
    }

    /** Returns the indexes of the probes in a comma-separated list; {@code all} selects all except details. */
    static int[] probes(final String names, final int all, final ToIntFunction<String> indexOf) {
        return names.equals("all") ? IntStream.range(0, all).toArray()
            : names.isEmpty() ? new int[0] : Arrays.stream(names.split(",")).mapToInt(indexOf).toArray();
    }

    /**
     * The registers of a node or of its follower.
     *
     * @throws IllegalArgumentException if the model is neither, or the registers are not known.
     */
    default NodeRegisters registers() {
        throw new IllegalArgumentException("only nodes and their followers have registers");
    }

    /**
     * Starts at a slot other than 0, before the first step.
     *
     * @throws IllegalArgumentException if the model does not support this.
     */
    default void beginAt(final long slot) {
        throw new IllegalArgumentException("only nodes and their followers begin at a slot: slot=" + slot);
    }

    /**
     * Stops or restarts a node from the next slot on.
     *
     * @throws IllegalArgumentException if the model is not a node with faults, or is already in this state.
     */
    default void setDown(final boolean down) {
        throw new IllegalArgumentException("only nodes with faults stop and start");
    }

    /**
     * Continues from the state of another model, before the first step.
     *
     * @throws IllegalArgumentException if the model does not support this.
     */
    default void copyFrom(final Twin other) {
        final NodeRegisters registers = other.registers();
        beginAt(other.slot());
        registers.copyTo(registers());
    }

    /**
     * Returns the whole state as bytes.
     *
     * @throws IllegalArgumentException if models of this kind have no saved state.
     */
    default byte[] save() {
        throw new IllegalArgumentException("only nodes, devices of Stardust, switches and PIEOs have a saved state");
    }

    /**
     * Restores what {@link #save} of a model with the same description returned, before the first step.
     *
     * @throws IllegalArgumentException if the bytes are damaged or of another model.
     */
    default void restore(final byte[] state) {
        save();
    }

    /** Returns the slot of the next step of a node or its follower. */
    default long slot() {
        throw new IllegalArgumentException("only nodes and their followers have slots");
    }

    /**
     * Adds a flow while the node runs; returns its index.
     *
     * @throws IllegalArgumentException if the model is not a node with an open set of flows, or the flow is invalid.
     */
    default int offer(final long slot, final int source, final int destination, final int cells) {
        throw new IllegalArgumentException("only nodes and their followers are offered flows");
    }

    /** Returns the findings, one per line; empty if there are none or the model does not check anything. */
    default String report() {
        return "";
    }

    /** A number that changes with each report. */
    default long reported() {
        return 0;
    }

    /** Returns the coverage of the rows so far; it has no points if the model counts nothing. */
    default Coverage coverage() {
        return new Coverage("");
    }

    /** Sets the inputs that hardware derives from the model's state. */
    default void resolve(final MemorySegment in, final long inAt) {
    }

    /**
     * Advances the model after a device has executed a row.
     *
     * @param answer answer of the device; overwritten by the model's answer if the device has no choices.
     */
    default void follow(final MemorySegment in, final MemorySegment answer) {
        step(in, 0, answer, 0);
    }

    /** Frees resources beyond the arena of the model. */
    default void close() {
    }

    /** Access to rows of 64-bit words in native byte order. Offsets count bytes, fields count words. */
    final class Words {
        private Words() {
        }

        static long get(final MemorySegment row, final long at, final int word) {
            return row.get(ValueLayout.JAVA_LONG, at + (long) word * Long.BYTES);
        }

        static void set(final MemorySegment row, final long at, final int word, final long value) {
            row.set(ValueLayout.JAVA_LONG, at + (long) word * Long.BYTES, value);
        }

        /** Sets words one after another. */
        static void set(final MemorySegment row, final long at, final int first, final long... values) {
            MemorySegment.copy(values, 0, row, ValueLayout.JAVA_LONG, at + (long) first * Long.BYTES, values.length);
        }

        /**
         * Reads a word and checks its range.
         *
         * @throws IllegalArgumentException if it is out of range.
         */
        static int intOf(final MemorySegment row, final long at, final int word, final String name, final long least,
            final long most) {
            return (int) Bounds.require(name, get(row, at, word), least, most);
        }
    }
}
