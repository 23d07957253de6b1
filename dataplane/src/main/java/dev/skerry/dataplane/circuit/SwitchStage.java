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

import java.lang.foreign.Arena;

/**
 * The multiplexers of a switch that advance together, their inputs and links. Ports are renumbered in the order of the
 * links' lanes, so a slot streams: rows of the inputs into {@code latch}, a row of {@code selects} beside it, then into
 * the rows of the outputs.
 *
 * <pre>
 *   selects   row r: slot of the epoch; the last row is held before the start; 16 bits an entry
 *             +----------+----------+-----+----------------------------+
 *             | output 0 | output 1 | ... | outputs dark in this row   |    the input, or their number for dark
 *             +----------+----------+-----+----------------------------+
 *   latch     by slot of a batch, 8 bytes an input: its word; then one dark word, which dark outputs select
 * </pre>
 *
 * Of a word only its stamp is read, and whether it is dark. One thread.
 */
final class SwitchStage {
    /** The most slots a call advances, so that other agents of the thread get their turn. */
    private static final int BATCH_SLOTS = 16;

    private final LinkBundle.Consumer[] inputs;
    private final LinkBundle.Producer[] outputs;
    private final int inputLanes;
    private final int outputLanes;
    private final int epochSlots;
    private final Region selects;
    private final Region latch;
    private final long latchBytes;
    /** By slot of a batch, where its selects begin. */
    private final long[] registers = new long[BATCH_SLOTS];
    private final long[] counts = new long[SwitchCounter.values().length];
    private long slot;
    private int row;

    /**
     * A stage whose registers hold the first row.
     *
     * @param inputPorts  for each input in the order of the lanes, its port.
     * @param outputPorts for each output in the order of the lanes, its port.
     */
    SwitchStage(
        final Arena arena,
        final RegisterTable table,
        final LinkBundle.Consumer[] inputs,
        final int[] inputPorts,
        final LinkBundle.Producer[] outputs,
        final int[] outputPorts
    ) {
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
            final int input = r < epochSlots ? table.input(r, port) : table.held(port);
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
     * Switches the slots that all inputs hold and all outputs have room for.
     *
     * @param startSlot the slot of the first row of the table.
     * @param endSlot   the slot to stop before.
     * @return slots switched; 0 if it waits for a link or has reached the end.
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

    /** Turns the registers to a slot. */
    private void turnTo(final long s, final long startSlot) {
        if (s >= startSlot) {
            final int next = row + 1;
            row = next < epochSlots ? next : 0;
        }
    }

    private int darkOfRow() {
        return selects.getShort(selectsAt(row) + outputLanes * (long) Short.BYTES);
    }

    /** Several slots, link by link: all rows of an input, then of an output. A single slot is faster by itself. */
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

    /** Takes the words of an input in several slots; returns the number of cells. */
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

    /** Takes the words of all inputs, dark in place of words of other slots; returns the number of cells. */
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

    /** A row is a partial permutation: no cell was moved twice, so the difference is the cells not selected. */
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
