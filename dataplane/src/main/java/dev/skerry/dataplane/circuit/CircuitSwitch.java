package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.ring.LinkBundle;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * A circuit switch: one multiplexer an output, driven by a register. All registers are written once a slot from a table
 * that repeats every epoch (docs/spec/shoal.md §7). The switch has no buffer, makes no decision and never looks into a
 * cell; it knows a cell's handle and the slot it was sent in.
 *
 * <p>In every slot each output gets the cell of this slot at the input that its register selects, or stays dark. A cell
 * at an input that no register selects, and a second cell in a slot, are dropped and counted as violations of the
 * schedule ({@link SwitchCounter}); nothing is ever queued.
 *
 * <p>Before its start a switch holds the first row of its table. {@link #start} sets a future slot in which the
 * registers begin to cycle.
 *
 * <p>Slot s of every output is made of slot s of every input: a switch adds no delay, and runs as fast as its links
 * allow. Ports that the table never joins, directly or through others, do not wait for each other: a leaf of a Clos
 * fabric sends slot s up before slot s has come back from the spines. Outputs that the table joins to no input send
 * their dark slots ahead as far as their link has room.
 *
 * <p>One thread calls, after a safe hand-over (thread start). It never waits. Nothing allocates after construction.
 */
public final class CircuitSwitch implements Agent {
    /** Returned by {@link #doWork()} once the slot of {@link #endAt} has been reached. */
    public static final int DONE = -1;

    private static final long NEVER = Long.MAX_VALUE;

    private final String name;
    private final SwitchStage[] stages;
    private long startSlot = NEVER;
    private long endSlot = NEVER;
    private long signalsIgnored;

    /**
     * A switch that holds the first row of its table.
     *
     * @param arena   owner of the memory of table and registers; the switch's thread may access it.
     * @param name    for messages.
     * @param table   the selection in every slot.
     * @param inlets  incoming links.
     * @param outlets outgoing links.
     * @throws IllegalArgumentException if a port has two links, the table uses a port without one, a link's lanes and
     *                                  ports differ in number, or the links are not all at the same slot.
     */
    public CircuitSwitch(
        final Arena arena,
        final String name,
        final RegisterTable table,
        final List<Inlet> inlets,
        final List<Outlet> outlets
    ) {
        this.name = name;
        this.stages = new SwitchWiring(name, table, inlets, outlets).stages(arena);
    }

    /**
     * An incoming link.
     *
     * @param link  its consumer end.
     * @param ports the input each of its lanes is joined to.
     */
    public record Inlet(LinkBundle.Consumer link, int... ports) {
    }

    /**
     * An outgoing link.
     *
     * @param link  its producer end.
     * @param ports the output each of its lanes is joined to.
     */
    public record Outlet(LinkBundle.Producer link, int... ports) {
    }

    /**
     * The bootstrap signal: from a future slot on the registers cycle, beginning with the first row of the table. The
     * first signal takes effect. A later one, and one for a slot already switched, change nothing and are counted.
     *
     * @param slot the slot of the first row.
     * @return whether the switch will start in that slot.
     */
    public boolean start(final long slot) {
        long reached = 0;
        for (final SwitchStage stage : stages) {
            reached = Math.max(reached, stage.slot());
        }
        if (startSlot != NEVER || slot < reached) {
            signalsIgnored++;
            return false;
        }
        startSlot = slot;
        return true;
    }

    /**
     * Sets the slot to stop before; a switch never stops by default. Setting a later slot continues.
     */
    public void endAt(final long slot) {
        endSlot = slot;
    }

    /**
     * Switches the slots that are ready, a bounded number of them.
     *
     * @return slots switched, summed over groups of joined ports; 0 if all wait for a link; {@link #DONE} at the end.
     */
    @Override
    public int doWork() {
        int slots = 0;
        for (final SwitchStage stage : stages) {
            slots += stage.advance(startSlot, endSlot);
        }
        return slots == 0 && slot() >= endSlot ? DONE : slots;
    }

    /** The first slot not yet switched at all outputs. */
    public long slot() {
        long slot = Long.MAX_VALUE;
        for (final SwitchStage stage : stages) {
            slot = Math.min(slot, stage.slot());
        }
        return slot;
    }

    /** Whether the registers of all outputs cycle. */
    public boolean isRunning() {
        return slot() > startSlot;
    }

    /** The value of a counter. The switch's thread calls, or another after joining it. */
    public long count(final SwitchCounter counter) {
        long sum = counter == SwitchCounter.SIGNALS_IGNORED ? signalsIgnored : 0;
        for (final SwitchStage stage : stages) {
            sum += stage.count(counter);
        }
        return sum;
    }

    @Override
    public String roleName() {
        return name;
    }
}
