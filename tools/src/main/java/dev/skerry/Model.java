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
 * <p>A follower checks a device without a model beside it. Its input row has the words that the device received and
 * sent:
 *
 * <pre>{@code
 * Shale fabric = Shale.nodes(16).set("pairs", "5>12");
 * try (Model device = fabric.node(5); Model follower = fabric.follower(5)) {
 *     for (long slot = 0; slot < 1_000; slot++) {
 *         long[] sent = device.step(slot, -1, 0, -1);        // your device instead
 *         follower.step(slot, -1, 0, -1, sent[0], sent[1], sent[2], -1);
 *     }
 *     follower.findings().forEach(System.out::println);
 * }
 * }</pre>
 *
 * <p>Not thread-safe: one thread at a time. The model holds memory outside the heap until you close it; a closed model
 * throws {@link IllegalStateException}.
 */
public final class Model implements AutoCloseable {
    private final ModelHandle handle;
    private final long[] sent;
    private boolean isClosed;

    private Model(final ModelHandle handle) {
        this.handle = handle;
        this.sent = new long[handle.outputs().size()];
    }

    /**
     * Creates a model in its initial state.
     *
     * @param description kind and settings in one line, as for {@code skerry_open} in the C library; for example
     *                    {@code shale-node node=5 nodes=16 h=2 pairs=5>12} or {@code pieo capacity=64}.
     * @throws IllegalArgumentException if the description is invalid.
     */
    public static Model open(final String description) {
        return new Model(ModelHandle.open(description));
    }

    /** Names of the words of an input row, in order. */
    public List<String> inputs() {
        return handle.inputs();
    }

    /** Names of the words of an output row, in order. */
    public List<String> outputs() {
        return handle.outputs();
    }

    /**
     * Executes one step.
     *
     * @param row input row.
     * @return output row; the next step overwrites it.
     * @throws IllegalArgumentException if the input row is invalid; the model is then unchanged.
     * @throws IllegalStateException    if the row breaks an invariant, such as the return of a token that the node has
     *                                  not spent; the model can then only be closed.
     */
    public long[] step(final long... row) {
        open().step(row, sent);
        return sent;
    }

    /** Findings of a follower so far, the first cause first. Empty for models that are not followers. */
    public List<String> findings() {
        return open().findings().lines().toList();
    }

    /**
     * Names of the registers of a node or follower, in an order in which they can be set. {@code slot} is another one.
     *
     * @throws IllegalArgumentException if the model has no registers.
     */
    public List<String> registers() {
        return open().registers();
    }

    /**
     * Returns the words of a register of a node or follower, for example {@code queue3_cells}, the queue of link 3 of a
     * Shale node. The register {@code slot} is the slot of the next step.
     *
     * @throws IllegalArgumentException if there is no such register.
     */
    public long[] get(final String register) {
        return open().get(register);
    }

    /**
     * Sets a register. To start in mid-run, set the register {@code slot} before the first step and before all other
     * registers.
     *
     * @throws IllegalArgumentException if there is no such register, or the words are invalid for it.
     */
    public void set(final String register, final long... words) {
        open().set(register, words);
    }

    /**
     * Copies the slot and the registers of another model. Call this before the first step.
     *
     * @throws IllegalArgumentException if the other model is not of the same node.
     */
    public void copyFrom(final Model other) {
        open().copyFrom(other.open());
    }

    /**
     * Adds a flow to a node whose description has {@code offers=K}. Offer all flows of a fabric to all of its models,
     * in the same order.
     *
     * @param slot        first slot in which its first cell may be sent: the next slot or later.
     * @param source      sending node.
     * @param destination receiving node.
     * @param cells       at least 1.
     * @return the number of the flow in cell words.
     */
    public int offer(final long slot, final int source, final int destination, final int cells) {
        return open().offer(slot, source, destination, cells);
    }

    /**
     * Saves the whole state of the model.
     *
     * @throws IllegalArgumentException if models of this kind cannot be saved.
     */
    public byte[] save() {
        try {
            return open().save();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Restores a state that was saved by a model with the same description. Call this before the first step.
     *
     * @throws IllegalArgumentException if the state is damaged or was saved by a different model.
     */
    public void restore(final byte[] state) {
        try {
            open().restore(state);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ModelHandle open() {
        if (isClosed) {
            throw new IllegalStateException("the model is closed");
        }
        return handle;
    }

    /** Frees the memory of the model. Closing it again has no effect. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            handle.close();
        }
    }
}
