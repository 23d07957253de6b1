package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.ring.LinkBundle;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * A circuit switch: a multiplexer for each output, each driven by a register, and all registers written once a slot
 * from a table that repeats every epoch (spec/shoal §7). It has no buffer, makes no decision and never looks into a
 * cell; all it knows of one is its handle and the slot it was sent in.
 *
 * <p>In every slot each output gets the cell that has come in this slot at the input its register selects, or stays
 * dark. A cell at an input that no register selects, and a second cell in a slot, are dropped and counted as
 * violations of the schedule ({@link SwitchCounter}); nothing is ever queued.
 *
 * <p>Until it is started a switch holds the first row of its table. {@link #start} agrees on a slot to come; in that
 * slot the registers begin to cycle.
 *
 * <p>The slot is that of the links: slot s of every output is made of slot s of every input, so a switch adds no slot
 * of its own, and it works as fast as its links allow. Ports that the table never joins, directly or over others, do
 * not wait for each other: in a leaf of a Clos fabric slot s goes up before slot s has come back from the spines. If
 * there are outputs that the table joins to no input, their dark slots are sent ahead, as far as the link has room.
 *
 * <p>One thread calls, once the switch has reached it over an edge of its own (thread start). It never waits. Nothing
 * allocates after construction.
 */
public final class CircuitSwitch implements Agent {
    /** What {@link #doWork()} returns once the slot of {@link #endAt} has been reached. */
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
     * @param arena   owner of the memory of table and registers, one that its thread may access.
     * @param name    of the switch, for people.
     * @param table   what it selects.
     * @param inlets  the links that come in.
     * @param outlets the links that go out.
     * @throws IllegalArgumentException if a port has two links or the table uses one that has none, or a link has
     *                                  another number of lanes than ports, or the links are not all at the same slot.
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
     * A link that comes in.
     *
     * @param link  its end.
     * @param ports the input each of its lanes is joined to.
     */
    public record Inlet(LinkBundle.Consumer link, int... ports) {
    }

    /**
     * A link that goes out.
     *
     * @param link  its end.
     * @param ports the output each of its lanes is joined to.
     */
    public record Outlet(LinkBundle.Producer link, int... ports) {
    }

    /**
     * The bootstrap signal: the registers are to start cycling, with the first row of the table, in a slot to come. The
     * first signal counts. One that comes when a start has been agreed on already, and one for a slot that has been
     * switched, change nothing and are counted.
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
     * Sets where to stop, a slot that is not switched any more; without it a switch goes on for ever. It may be set
     * again, further on, to continue.
     */
    public void endAt(final long slot) {
        endSlot = slot;
    }

    /**
     * Switches what has come, some slots at most.
     *
     * @return how much was done, 0 if it has to wait for a link; {@link #DONE} at the end that was set.
     */
    @Override
    public int doWork() {
        int slots = 0;
        for (final SwitchStage stage : stages) {
            slots += stage.advance(startSlot, endSlot);
        }
        return slots == 0 && slot() >= endSlot ? DONE : slots;
    }

    /** The first slot that is not switched yet at all outputs. */
    public long slot() {
        long slot = Long.MAX_VALUE;
        for (final SwitchStage stage : stages) {
            slot = Math.min(slot, stage.slot());
        }
        return slot;
    }

    /** Whether its registers cycle, at all outputs. */
    public boolean isRunning() {
        return slot() > startSlot;
    }

    /** The value of a counter. The switch's thread calls, or another when that one has been joined. */
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
