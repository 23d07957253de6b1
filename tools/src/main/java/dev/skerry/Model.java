package dev.skerry;

import dev.skerry.tools.cosim.ModelHandle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A reference model of one part of a fabric, stepped with rows of 64-bit words: a node, a follower that checks a node,
 * a Stardust device, a PIEO, a circuit switch or a header codec. The words are those of the C library and of the
 * vectors that {@code skerry trace} writes ({@code docs/words.md}).
 *
 * <pre>{@code
 * try (Model node = Shale.nodes(16).set("pairs", "5>12").node(5)) {
 *     long[] received = {0, -1, 0, -1};                      // slot, route, cell, feedback: a dummy
 *     for (received[0] = 0; received[0] < 10; received[0]++) {
 *         long[] sent = node.step(received);                 // route, cell, feedback
 *         System.out.println("slot " + received[0] + ": route " + sent[0]);
 *     }
 * }
 * }</pre>
 *
 * <p>One thread at a time. The model holds memory off the heap until it is closed, and must not be used after that.
 */
public final class Model implements AutoCloseable {
    private final ModelHandle handle;
    private final long[] sent;

    private Model(final ModelHandle handle) {
        this.handle = handle;
        this.sent = new long[handle.outputs().size()];
    }

    /**
     * Creates a model before its first step.
     *
     * @param description kind and settings in one line, as in {@code skerry_open} and {@code skerry cosim}, for example
     *                    {@code shale-node node=5 nodes=16 h=2 pairs=5>12} or {@code pieo capacity=64}.
     * @throws IllegalArgumentException if there is no such model.
     */
    public static Model open(final String description) {
        return new Model(ModelHandle.open(description));
    }

    /** Names of the words of a row of inputs, in order. */
    public List<String> inputs() {
        return handle.inputs();
    }

    /** Names of the words of a row of outputs, in order. */
    public List<String> outputs() {
        return handle.outputs();
    }

    /**
     * Executes one step.
     *
     * @param row a row of inputs.
     * @return the row of outputs, overwritten by the next step.
     * @throws IllegalArgumentException if an input is invalid; the state is then unchanged.
     */
    public long[] step(final long... row) {
        handle.step(row, sent);
        return sent;
    }

    /** What a follower has found so far, one finding a line; empty if nothing, or if the model is not a follower. */
    public String findings() {
        return handle.findings();
    }

    /**
     * The words of a register of a node or follower; {@code slot} is that of the next step.
     *
     * @throws IllegalArgumentException if there is no such register.
     */
    public long[] get(final String register) {
        return handle.get(register);
    }

    /**
     * Sets a register; {@code slot} begins a model that has not been stepped in mid-run.
     *
     * @throws IllegalArgumentException if there is no such register, or it cannot hold these words.
     */
    public void set(final String register, final long... words) {
        handle.set(register, words);
    }

    /**
     * Sets this model, which has not been stepped, to the slot and registers of another.
     *
     * @throws IllegalArgumentException if they are not of the same node.
     */
    public void copyFrom(final Model other) {
        handle.copyFrom(other.handle);
    }

    /**
     * A flow arrives while a node with {@code offers=K} runs. Models of one fabric are offered all flows in one order.
     *
     * @param slot        first slot in which its first cell may be sent, the next one or later.
     * @param source      sending node.
     * @param destination receiving node.
     * @param cells       at least 1.
     * @return the index by which cell words name the flow.
     */
    public int offer(final long slot, final int source, final int destination, final int cells) {
        return handle.offer(slot, source, destination, cells);
    }

    /**
     * The whole state.
     *
     * @throws IllegalArgumentException if models of this kind have no saved state.
     */
    public byte[] save() {
        try {
            return handle.save();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Continues from a saved state of a model with the same description; this model has not been stepped.
     *
     * @throws IllegalArgumentException if the state is damaged or belongs to another model.
     */
    public void restore(final byte[] state) {
        try {
            handle.restore(state);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        handle.close();
    }
}
