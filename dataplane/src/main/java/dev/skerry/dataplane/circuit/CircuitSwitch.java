package dev.skerry.dataplane.circuit;

import static dev.skerry.dataplane.circuit.SwitchCounter.CELLS_FORWARDED;
import static dev.skerry.dataplane.circuit.SwitchCounter.CELLS_RECEIVED;
import static dev.skerry.dataplane.circuit.SwitchCounter.DARK_BY_TABLE;
import static dev.skerry.dataplane.circuit.SwitchCounter.DARK_NO_INPUT;
import static dev.skerry.dataplane.circuit.SwitchCounter.DROPPED_SECOND_CELL;
import static dev.skerry.dataplane.circuit.SwitchCounter.DROPPED_UNSELECTED;
import static dev.skerry.dataplane.circuit.SwitchCounter.WRONG_STAMP;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.LinkBundle;
import org.agrona.concurrent.Agent;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A circuit switch: one multiplexer per output, controlled by a register. All registers are written once per slot from
 * a table that repeats every epoch (docs/spec/shoal.md §7). The switch has no buffers, makes no decisions and does not
 * inspect cells; it sees only a cell's handle and the slot in which it was sent.
 *
 * <p>In every slot each output receives the cell of this slot at the input that its register selects, or stays empty. A
 * cell at an input that no register selects, and a second cell in a slot, are dropped and counted as violations of the
 * schedule ({@link SwitchCounter}); nothing is ever queued.
 *
 * <p>Before its start a switch holds the first row of its table. {@link #start} sets a future slot in which the
 * registers begin to cycle.
 *
 * <p>Slot s of every output depends on slot s of every connected input only: a switch adds no delay, and runs as fast
 * as its links allow. Ports that the table never connects, directly or through others, do not wait for each other: a
 * leaf of a Clos network sends slot s up before slot s has come back from the spines. Outputs that the table connects
 * to no input send their empty slots ahead as far as their link has room.
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
     * Creates a switch that holds the first row of its table.
     *
     * @param arena   owner of the memory of table and registers; the switch's thread may access it.
     * @param name    name used in messages.
     * @param table   the selection in every slot.
     * @param inlets  incoming links.
     * @param outlets outgoing links.
     * @throws IllegalArgumentException if a port has two links, the table uses a port without a link, the lanes and
     *                                  ports of a link differ in number, or the links are not all at the same slot.
     */
    public CircuitSwitch(final Arena arena, final String name, final RegisterTable table, final List<Inlet> inlets,
        final List<Outlet> outlets) {
        this.name = name;
        this.stages = new SwitchWiring(name, table, inlets, outlets).stages(arena);
    }

    /**
     * An incoming link.
     *
     * @param link  its consumer end.
     * @param ports the input to which each of its lanes is connected.
     */
    public record Inlet(LinkBundle.Consumer link, int... ports) {
    }

    /**
     * An outgoing link.
     *
     * @param link  its producer end.
     * @param ports the output to which each of its lanes is connected.
     */
    public record Outlet(LinkBundle.Producer link, int... ports) {
    }

    /**
     * The bootstrap signal: from a future slot on the registers cycle, starting with the first row of the table. Only
     * the first signal takes effect. Later signals, and a signal for a slot already switched, are ignored and counted.
     *
     * @param slot the slot of the first row.
     * @return whether the switch will start in that slot.
     */
    public boolean start(final long slot) {
        if (startSlot != NEVER || Arrays.stream(stages).anyMatch(stage -> slot < stage.slot())) {
            signalsIgnored++;
            return false;
        }
        startSlot = slot;
        return true;
    }

    /** Sets the slot before which to stop. By default a switch never stops. A later slot resumes it. */
    public void endAt(final long slot) {
        endSlot = slot;
    }

    /**
     * Switches a bounded number of the slots that are ready.
     *
     * @return slots switched, summed over groups of connected ports; 0 if all groups wait for a link; {@link #DONE} at
     *     the end.
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

    /** The value of a counter. Called by the switch's thread, or by another thread after joining it. */
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
     * checks the links and creates the stages. Inlets are links 0 to {@code inlets.size() - 1}, followed by outlets.
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

        SwitchWiring(final String name, final RegisterTable table, final List<Inlet> inlets,
            final List<Outlet> outlets) {
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
                plug(linkOfOutput, "output", outlet.ports(), inlets.size() + i, outlet.link().lanes(),
                    outlet.link().slot());
            }
            for (int output = 0; output < table.ports(); output++) {
                for (int slot = 0; slot < table.epochSlots(); slot++) {
                    join(table.input(slot, output), output, slot);
                }
            }
        }

        /** Creates one stage per group, in the order of their first links. */
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
            return new SwitchStage(arena, table,
                Arrays.stream(in).map(Inlet::link).toArray(LinkBundle.Consumer[]::new),
                Arrays.stream(in).flatMapToInt(inlet -> Arrays.stream(inlet.ports())).toArray(),
                Arrays.stream(out).map(Outlet::link).toArray(LinkBundle.Producer[]::new),
                Arrays.stream(out).flatMapToInt(outlet -> Arrays.stream(outlet.ports())).toArray());
        }

        private void plug(final int[] linkOf, final String side, final int[] ports, final int link, final int lanes,
            final long slot) {
            final long first = inlets.isEmpty() ? outlets.get(0).link().slot() : inlets.get(0).link().slot();
            if (ports.length != lanes) {
                throw refused("a link needs a port for each lane", side + "s=" + ports.length + " lanes=" + lanes);
            }
            if (slot != first) {
                throw refused("links must be at the same slot",
                    side + "=" + ports[0] + " slot=" + slot + " first=" + first);
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

    /**
     * The multiplexers of a switch that advance together, with their inputs and links. Ports are renumbered in the
     * order of the links' lanes, so that a slot is processed sequentially: rows of the inputs into {@code latch}, then,
     * as selected by a row of {@code selects}, into the rows of the outputs.
     *
     * <pre>
     *   selects   row r: slot of the epoch; the last row is held before the start; 16 bits per entry
     *             +----------+----------+-----+----------------------------+
     *             | output 0 | output 1 | ... | outputs empty in this row  |    the input; empty: number of inputs
     *             +----------+----------+-----+----------------------------+
     *   latch     by slot of a batch, 8 bytes per input: its word; then one empty word, which empty outputs select
     * </pre>
     *
     * Only the stamp of a word, and whether it is empty, is inspected. One thread.
     */
    private static final class SwitchStage {
        /** Maximum number of slots that a call advances, so that other agents of the thread are served. */
        private static final int BATCH_SLOTS = 16;

        private final LinkBundle.Consumer[] inputs;
        private final LinkBundle.Producer[] outputs;
        private final int inputLanes;
        private final int outputLanes;
        private final int epochSlots;
        private final Region selects;
        private final Region latch;
        private final long latchBytes;
        /** Start of the selects for each slot of a batch. */
        private final long[] registers = new long[BATCH_SLOTS];
        private final long[] counts = new long[SwitchCounter.values().length];
        private long slot;
        private int row;

        /**
         * Creates a stage whose registers hold the first row.
         *
         * @param inputPorts  port of each input, in the order of the lanes.
         * @param outputPorts port of each output, in the order of the lanes.
         */
        SwitchStage(final Arena arena, final RegisterTable table, final LinkBundle.Consumer[] inputs,
            final int[] inputPorts, final LinkBundle.Producer[] outputs, final int[] outputPorts) {
            this.inputs = inputs;
            this.outputs = outputs;
            this.inputLanes = inputPorts.length;
            this.outputLanes = outputPorts.length;
            this.epochSlots = table.epochSlots();
            this.selects = Region.allocate(arena, bytesOfSelects(epochSlots, outputLanes));
            this.latchBytes = (inputLanes + 1L) * Long.BYTES;
            this.latch = Region.allocate(arena, BATCH_SLOTS * latchBytes);
            this.slot = inputs.length > 0 ? inputs[0].slot() : outputs[0].slot();
            this.row = epochSlots;
            final int[] latchOf = new int[table.ports()];
            for (int i = 0; i < inputLanes; i++) {
                latchOf[inputPorts[i]] = i;
            }
            for (int r = 0; r <= epochSlots; r++) {
                load(table, r, latchOf, outputPorts);
            }
        }

        private void load(final RegisterTable table, final int r, final int[] latchOf, final int[] outputPorts) {
            long at = selectsAt(r);
            int dark = 0;
            for (final int port : outputPorts) {
                final int input = table.input(r % epochSlots, port);
                selects.setShort(at, input == RegisterTable.DARK ? inputLanes : latchOf[input]);
                dark += input == RegisterTable.DARK ? 1 : 0;
                at += Short.BYTES;
            }
            selects.setShort(at, dark);
        }

        /** The first slot not switched yet. */
        long slot() {
            return slot;
        }

        /** The value of a counter. */
        long count(final SwitchCounter counter) {
            return counts[counter.ordinal()];
        }

        /**
         * Switches the slots that all inputs hold and for which all outputs have room.
         *
         * @param startSlot the slot of the first row of the table.
         * @param endSlot   the slot before which to stop.
         * @return slots switched; 0 if the stage waits for a link or has reached the end.
         */
        int advance(final long startSlot, final long endSlot) {
            final long from = slot;
            long end = Math.min(from + BATCH_SLOTS, endSlot);
            for (int i = 0; i < inputs.length && end > from; i++) {
                end = Math.min(end, inputs[i].readableUntil(from));
            }
            for (int i = 0; i < outputs.length && end > from; i++) {
                end = Math.min(end, outputs[i].writableUntil(from));
            }
            if (end <= from) {
                return 0;
            }
            if (end - from > 1) {
                advanceTogether(startSlot, from, (int) (end - from));
            } else {
                turnTo(from, startSlot);
                final int received = latch(from);
                tally(received, forward(from), darkOfRow());
            }
            for (final LinkBundle.Producer output : outputs) {
                output.publish(end);
            }
            for (final LinkBundle.Consumer input : inputs) {
                input.free(end);
            }
            slot = end;
            return (int) (end - from);
        }

        /** Advances the registers to a slot. */
        private void turnTo(final long s, final long startSlot) {
            if (s >= startSlot) {
                final int next = row + 1;
                row = next < epochSlots ? next : 0;
            }
        }

        private int darkOfRow() {
            return selects.getShort(selectsAt(row) + outputLanes * (long) Short.BYTES);
        }

        /**
         * Switches several slots link by link: all rows of an input, then all rows of an output. A single slot is
         * faster on its own path.
         */
        private void advanceTogether(final long startSlot, final long from, final int slots) {
            int dark = 0;
            for (int k = 0; k < slots; k++) {
                turnTo(from + k, startSlot);
                registers[k] = selectsAt(row);
                dark += darkOfRow();
            }
            long lane = 0;
            int received = 0;
            for (final LinkBundle.Consumer input : inputs) {
                received += latch(input, from, slots, lane);
                lane += (long) input.lanes() * Long.BYTES;
            }
            for (int k = 0; k < slots; k++) {
                latch.setLong(k * latchBytes + lane, LinkBundle.word(from + k, LinkBundle.DARK));
            }
            long select = 0;
            int forwarded = 0;
            for (final LinkBundle.Producer output : outputs) {
                forwarded += forward(output, from, slots, select);
                select += (long) output.lanes() * Short.BYTES;
            }
            counts[DARK_NO_INPUT.ordinal()] += (slots - 1L) * outputLanes;
            tally(received, forwarded, dark);
        }

        /** Latches the words of an input in several slots; returns the number of cells. */
        private int latch(final LinkBundle.Consumer input, final long from, final int slots, final long lane) {
            final Region into = latch;
            final Region words = input.words();
            final int lanes = input.lanes();
            int cells = 0;
            int strangers = 0;
            int surplus = 0;
            for (int k = 0; k < slots; k++) {
                final long s = from + k;
                long to = k * latchBytes + lane;
                long at = input.row(s);
                for (int i = 0; i < lanes; i++) {
                    final long word = words.getLong(at);
                    final boolean ours = LinkBundle.isOf(word, s);
                    final long latched = ours ? word : LinkBundle.word(s, LinkBundle.DARK);
                    into.setLong(to, latched);
                    cells += present(latched);
                    strangers += ours ? 0 : 1;
                    at += Long.BYTES;
                    to += Long.BYTES;
                }
                surplus += input.surplus(s);
            }
            counts[WRONG_STAMP.ordinal()] += strangers;
            counts[DROPPED_SECOND_CELL.ordinal()] += surplus;
            counts[CELLS_RECEIVED.ordinal()] += surplus;
            return cells;
        }

        /** Moves the selected words of several slots to an output; returns the number of cells moved. */
        private int forward(final LinkBundle.Producer output, final long from, final int slots, final long lane) {
            final Region latched = latch;
            final Region table = selects;
            final Region words = output.words();
            final int lanes = output.lanes();
            int cells = 0;
            for (int k = 0; k < slots; k++) {
                final long latchAt = k * latchBytes;
                long select = registers[k] + lane;
                long to = output.row(from + k);
                for (int i = 0; i < lanes; i++) {
                    final long word = latched.getLong(latchAt + (long) table.getShort(select) * Long.BYTES);
                    words.setLong(to, word);
                    cells += present(word);
                    select += Short.BYTES;
                    to += Long.BYTES;
                }
            }
            return cells;
        }

        /** Latches the words of all inputs, replacing words of other slots by dark; returns the number of cells. */
        private int latch(final long s) {
            final Region into = latch;
            final long dark = LinkBundle.word(s, LinkBundle.DARK);
            long to = 0;
            int cells = 0;
            int strangers = 0;
            int surplus = 0;
            for (final LinkBundle.Consumer input : inputs) {
                final Region words = input.words();
                long at = input.row(s);
                for (final long end = to + (long) input.lanes() * Long.BYTES; to < end; to += Long.BYTES) {
                    final long word = words.getLong(at);
                    final boolean ours = LinkBundle.isOf(word, s);
                    final long latched = ours ? word : dark;
                    into.setLong(to, latched);
                    cells += present(latched);
                    strangers += ours ? 0 : 1;
                    at += Long.BYTES;
                }
                surplus += input.surplus(s);
            }
            into.setLong(to, dark);
            counts[WRONG_STAMP.ordinal()] += strangers;
            counts[DROPPED_SECOND_CELL.ordinal()] += surplus;
            counts[CELLS_RECEIVED.ordinal()] += surplus;
            return cells;
        }

        /** Moves the selected word to every output; returns the number of cells moved. */
        private int forward(final long s) {
            final Region from = latch;
            final Region registers = selects;
            long select = selectsAt(row);
            int cells = 0;
            for (final LinkBundle.Producer output : outputs) {
                final Region words = output.words();
                long to = output.row(s);
                for (final long end = to + (long) output.lanes() * Long.BYTES; to < end; to += Long.BYTES) {
                    final long word = from.getLong((long) registers.getShort(select) * Long.BYTES);
                    words.setLong(to, word);
                    cells += present(word);
                    select += Short.BYTES;
                }
            }
            return cells;
        }

        /**
         * Updates the counters. A row is a partial permutation, so no cell is moved twice and the difference is the
         * number of unselected cells.
         */
        private void tally(final int received, final int forwarded, final int dark) {
            counts[CELLS_RECEIVED.ordinal()] += received;
            counts[CELLS_FORWARDED.ordinal()] += forwarded;
            counts[DROPPED_UNSELECTED.ordinal()] += received - forwarded;
            counts[DARK_BY_TABLE.ordinal()] += dark;
            counts[DARK_NO_INPUT.ordinal()] += outputLanes - dark - forwarded;
        }

        /** 1 for a cell, 0 for dark. */
        private static int present(final long word) {
            return ~(int) word >>> 31;
        }

        private long selectsAt(final int r) {
            return r * (outputLanes + 1L) * Short.BYTES;
        }

        private static long bytesOfSelects(final int epochSlots, final int outputLanes) {
            return (epochSlots + 1L) * (outputLanes + 1L) * Short.BYTES;
        }
    }
}
