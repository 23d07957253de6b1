package dev.skerry.dataplane.circuit;

import dev.skerry.dataplane.ring.LinkBundle;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

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

    /**
     * Groups the links of a switch that must advance together because the table moves cells between them. For set-up:
     * checks the links and makes the stages. Inlets are links 0 to {@code inlets.size() - 1}, outlets follow.
     */
    private static final class SwitchWiring {
        private static final int NO_LINK = -1;

        private final String name;
        private final RegisterTable table;
        private final List<Inlet> inlets;
        private final List<Outlet> outlets;
        private final int[] linkOfInput;
        private final int[] linkOfOutput;
        private final int[] group;

        SwitchWiring(
            final String name,
            final RegisterTable table,
            final List<Inlet> inlets,
            final List<Outlet> outlets
        ) {
            this.name = name;
            this.table = table;
            this.inlets = inlets;
            this.outlets = outlets;
            this.linkOfInput = unlinked(table.ports());
            this.linkOfOutput = unlinked(table.ports());
            this.group = IntStream.range(0, inlets.size() + outlets.size()).toArray();
            if (group.length == 0) {
                throw refused("no links", "ports=" + table.ports());
            }
            for (int i = 0; i < inlets.size(); i++) {
                final Inlet inlet = inlets.get(i);
                plug(linkOfInput, "input", inlet.ports(), i, inlet.link().lanes(), inlet.link().slot());
            }
            for (int i = 0; i < outlets.size(); i++) {
                final Outlet outlet = outlets.get(i);
                plug(
                    linkOfOutput, "output", outlet.ports(), inlets.size() + i, outlet.link().lanes(),
                    outlet.link().slot());
            }
            for (int output = 0; output < table.ports(); output++) {
                // The row held before the start is among these, at the output's phase.
                for (int slot = 0; slot < table.epochSlots(); slot++) {
                    join(table.input(slot, output), output, slot);
                }
            }
        }

        /** One stage a group, in the order of their first links. */
        SwitchStage[] stages(final Arena arena) {
            return IntStream.range(0, group.length)
                .filter(link -> group[link] == link)
                .mapToObj(first -> stage(arena, first))
                .toArray(SwitchStage[]::new);
        }

        private SwitchStage stage(final Arena arena, final int first) {
            final int[] members = IntStream.range(0, group.length).filter(link -> find(link) == first).toArray();
            final Inlet[] in = Arrays.stream(members)
                .filter(link -> link < inlets.size()).mapToObj(inlets::get).toArray(Inlet[]::new);
            final Outlet[] out = Arrays.stream(members)
                .filter(link -> link >= inlets.size()).mapToObj(link -> outlets.get(link - inlets.size()))
                .toArray(Outlet[]::new);
            return new SwitchStage(
                arena,
                table,
                Arrays.stream(in).map(Inlet::link).toArray(LinkBundle.Consumer[]::new),
                Arrays.stream(in).flatMapToInt(inlet -> Arrays.stream(inlet.ports())).toArray(),
                Arrays.stream(out).map(Outlet::link).toArray(LinkBundle.Producer[]::new),
                Arrays.stream(out).flatMapToInt(outlet -> Arrays.stream(outlet.ports())).toArray());
        }

        private void plug(
            final int[] linkOf,
            final String side,
            final int[] ports,
            final int link,
            final int lanes,
            final long slot
        ) {
            final long first = inlets.isEmpty() ? outlets.get(0).link().slot() : inlets.get(0).link().slot();
            if (ports.length != lanes) {
                throw refused("a link needs a port for each lane", side + "s=" + ports.length + " lanes=" + lanes);
            }
            if (slot != first) {
                throw refused(
                    "links must be at the same slot", side + "=" + ports[0] + " slot=" + slot + " first=" + first);
            }
            for (final int port : ports) {
                if (port < 0 || port >= linkOf.length) {
                    throw refused("no such " + side, side + "=" + port + " ports=" + linkOf.length);
                }
                if (linkOf[port] != NO_LINK) {
                    throw refused("two links at one port", side + "=" + port);
                }
                linkOf[port] = link;
            }
        }

        private void join(final int input, final int output, final int slot) {
            if (input == RegisterTable.DARK) {
                return;
            }
            if (linkOfInput[input] == NO_LINK || linkOfOutput[output] == NO_LINK) {
                throw refused("the table uses a port without a link", "slot=" + slot + " input=" + input
                    + " output=" + output);
            }
            final int one = find(linkOfInput[input]);
            final int other = find(linkOfOutput[output]);
            group[Math.max(one, other)] = Math.min(one, other);
        }

        /** The first link of a link's group. */
        private int find(final int link) {
            int first = link;
            while (group[first] != first) {
                first = group[first];
            }
            return first;
        }

        private IllegalArgumentException refused(final String why, final String where) {
            return new IllegalArgumentException(why + ": switch=" + name + " " + where);
        }

        private static int[] unlinked(final int ports) {
            final int[] links = new int[ports];
            Arrays.fill(links, NO_LINK);
            return links;
        }
    }
}
