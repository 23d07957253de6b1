package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.dataplane.ring.LinkBundle;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A single circuit switch for comparison with RTL: handles in, handles out, one slot per step. It is a
 * {@link CircuitSwitch} between two private links. It starts no thread and opens no file; one thread at a time.
 */
public final class SwitchModel implements AutoCloseable {
    /** No cell. */
    public static final int DARK = LinkBundle.DARK;

    private static final int ROWS = 2;

    private final Arena arena;
    private final int ports;
    private final LinkBundle.Producer in;
    private final LinkBundle.Consumer out;
    private final CircuitSwitch circuits;
    private final StateImage image;
    private long slot;

    /** Creates a switch before slot 0 that holds the first row of its table. */
    public SwitchModel(final RegisterTable table) {
        this.arena = Arena.ofShared();
        this.ports = table.ports();
        final LinkBundle inlet = new LinkBundle(arena, ports, ROWS, 0);
        final LinkBundle outlet = new LinkBundle(arena, ports, ROWS, 0);
        final int[] all = IntStream.range(0, ports).toArray();
        this.in = inlet.producer();
        this.out = outlet.consumer();
        this.circuits = new CircuitSwitch(arena, "model", table,
            List.of(new CircuitSwitch.Inlet(inlet.consumer(), all)),
            List.of(new CircuitSwitch.Outlet(outlet.producer(), all)));
        this.image = new StateImage(this, arena, value -> value instanceof StateImage);
    }

    /** The bootstrap signal, see {@link CircuitSwitch#start}. */
    public boolean start(final long inSlot) {
        return circuits.start(inSlot);
    }

    /**
     * Performs one slot.
     *
     * @param inputs  by port: a cell, 0 or more, or {@link #DARK}.
     * @param outputs by port: receives a cell or {@link #DARK}.
     * @throws IllegalArgumentException if an array's length is not the number of ports, or a cell is out of range.
     */
    public void step(final int[] inputs, final int[] outputs) {
        if (inputs.length != ports || outputs.length != ports) {
            throw new IllegalArgumentException("one cell per port is required: "
                + "ports=" + ports + " inputs=" + inputs.length
                + " outputs=" + outputs.length);
        }
        in.writableUntil(slot);
        for (int port = 0; port < ports; port++) {
            if (inputs[port] < DARK) {
                throw new IllegalArgumentException("a cell must be a number of at least 0: port=" + port + " cell="
                    + inputs[port]);
            }
            in.put(slot, port, inputs[port]);
        }
        in.publish(slot + 1);
        while (circuits.slot() <= slot) {
            circuits.doWork();
        }
        out.readableUntil(slot);
        for (int port = 0; port < ports; port++) {
            outputs[port] = out.handle(slot, port);
        }
        out.free(slot + 1);
        slot++;
    }

    /** Number of ports. */
    public int ports() {
        return ports;
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    /** Whether the registers cycle. */
    public boolean isRunning() {
        return circuits.isRunning();
    }

    /** The complete state as bytes, see {@link StateImage}. */
    public byte[] save() {
        return image.save();
    }

    /** Restores a state that {@link #save} of a switch with an equal table returned. */
    public void restore(final byte[] state) {
        image.restore(state);
    }

    /** The value of a counter. */
    public long count(final SwitchCounter counter) {
        return circuits.count(counter);
    }

    @Override
    public void close() {
        arena.close();
    }
}
