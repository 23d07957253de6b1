package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.QueueBits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Flags against a map a row; banks begin and end anywhere and take only their own. */
final class ArrivalFlagsTest {
    private final Arena arena = Arena.ofAuto();

    @ParameterizedTest
    @CsvSource({"1, 1, 2", "7, 2, 2", "8, 1, 3", "9, 3, 2", "64, 1, 2", "100, 3, 4", "500, 7, 2"})
    void shouldListWhatIsFlaggedOnce(final int nodes, final int banks, final int rows) {
        final Random random = new Random(nodes);
        final ArrivalFlags flags = new ArrivalFlags(arena, nodes, rows);
        final List<NavigableMap<Integer, Integer>> model = Stream.<NavigableMap<Integer, Integer>>generate(TreeMap::new)
            .limit(rows).toList();
        for (int step = 0; step < 500; step++) {
            for (int some = random.nextInt(1 + nodes); some > 0; some--) {
                final int row = random.nextInt(rows);
                final int node = random.nextInt(nodes);
                final int position = random.nextInt(ArrivalFlags.POSITIONS);
                flags.set(row, node, position);
                model.get(row).put(node, position);
            }
            final int row = random.nextInt(rows);
            final int bank = random.nextInt(banks);
            final int first = bank * nodes / banks;
            final int end = (bank + 1) * nodes / banks;
            final int[] taken = new int[end - first + QueueBits.SPARE];
            final int[] positions = new int[end - first];
            final int count = flags.take(row, first, end - first, taken, positions);
            final Map<Integer, Integer> found = new TreeMap<>();
            for (int k = 0; k < count; k++) {
                found.put(first + taken[k], positions[k]);
                assertTrue(k == 0 || taken[k] > taken[k - 1], "nodes=" + nodes + " step=" + step);
            }
            final Map<Integer, Integer> expected = model.get(row).subMap(first, end);
            assertEquals(expected, found, "nodes=" + nodes + " step=" + step);
            expected.clear();
        }
    }

    @Test
    void shouldSayWhatTheBanksHaveSentInARow() {
        final ArrivalFlags flags = new ArrivalFlags(arena, 20, 2);
        for (int bank = 0; bank < 20; bank++) {
            assertEquals(bank, flags.join(bank, 1, false));
        }
        for (int bank = 0; bank < 20; bank++) {
            assertEquals(ArrivalFlags.NOTHING, flags.sent(1), "bank=" + bank);
            flags.setSent(1, bank, ArrivalFlags.FLAGGED);
            assertEquals(ArrivalFlags.FLAGGED, flags.sent(1), "bank=" + bank);
            flags.setSent(1, 19 - bank, ArrivalFlags.FULL);
            assertEquals(ArrivalFlags.MIXED, flags.sent(1), "bank=" + bank);
            assertEquals(ArrivalFlags.NOTHING, flags.sent(0), "bank=" + bank);
            flags.setSent(1, 19 - bank, ArrivalFlags.NOTHING);
            assertEquals(bank == 19 - bank ? ArrivalFlags.NOTHING : ArrivalFlags.FLAGGED, flags.sent(1),
                "bank=" + bank);
            flags.setSent(1, bank, ArrivalFlags.NOTHING);
        }
        assertEquals(0, flags.take(1, 0, 20, new int[20 + QueueBits.SPARE], new int[20]));
    }

    @Test
    void shouldCountPositionsFromTheFirstNodeOfABankThatPacks() {
        final ArrivalFlags flags = new ArrivalFlags(arena, 20, 2);
        flags.join(0, 12, false);
        flags.join(12, 8, true);
        assertEquals(11, flags.place(11, 0));
        assertEquals(12 + 3, flags.place(17, 3));
        flags.setSent(1, 1, ArrivalFlags.FLAGGED);
        assertEquals(19, flags.unflagged(1, 17));
        flags.setSent(1, 1, ArrivalFlags.FULL);
        assertEquals(17, flags.unflagged(1, 17));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "9, 2", "16, 7", "5, 10"})
    void shouldKeepEveryCellForItsWindow(final int nodes, final int window) {
        final InFlightCells link = new InFlightCells(arena, nodes, window);
        for (int slot = 0; slot < window; slot++) {
            for (int node = 0; node < nodes; node++) {
                final long at = link.offset(slot) + (long) InFlightCells.PLACE_BYTES * node;
                assertEquals(InFlightCells.NO_CELL, link.route(at), "idle at the start");
                assertEquals(InFlightCells.NO_FEEDBACK, link.feedback(at), "idle at the start");
            }
        }
        for (long slot = 0; slot < 5L * window; slot++) {
            for (int node = 0; node < nodes; node++) {
                final long at = link.offset(slot) + (long) InFlightCells.PLACE_BYTES * node;
                if ((slot + node) % 3 == 0) {
                    link.sendIdle(at, word(slot, node, 2));
                } else {
                    link.send(at, word(slot, node, 0), word(slot, node, 1), word(slot, node, 2));
                }
            }
            for (long sent = Math.max(0, slot - window + 1); sent <= slot; sent++) {
                holds(link, sent, nodes);
            }
        }
    }

    /** Places without a flow's cell have marks of their own, whatever was there before. */
    @Test
    void shouldTellMarksFromCells() {
        final InFlightCells link = new InFlightCells(arena, 3, 2);
        final long at = link.offset(1) + 2 * InFlightCells.PLACE_BYTES;
        assertEquals(5, link.handle(at));
        assertEquals(at, link.place(5));
        link.send(at, 7, 8, 0b1100);
        assertTrue(InFlightCells.isCell(link.route(at)));
        link.damage(at, 0b0110);
        assertEquals(InFlightCells.DAMAGED, link.route(at));
        assertEquals(0b1010, link.feedback(at));
        link.sendControl(at, 9);
        assertEquals(InFlightCells.CONTROL, link.route(at));
        assertEquals(9, link.feedback(at));
        link.silence(at);
        assertEquals(InFlightCells.SILENCE, link.route(at));
        assertEquals(InFlightCells.NO_FEEDBACK, link.feedback(at));
        for (long mark = InFlightCells.CONTROL; mark < 0; mark++) {
            assertFalse(InFlightCells.isCell(mark));
        }
        assertTrue(InFlightCells.isCell(InFlightCells.CONTROL - 1) && InFlightCells.isCell(0)
            && InFlightCells.isCell(Long.MAX_VALUE));
    }

    /** Consecutive nodes send and receive in one call, compared with one by one. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "9, 2, 2", "16, 7, 3", "70, 3, 4"})
    void shouldSendAndReadRows(final int nodes, final int window, final long seed) {
        final Random random = new Random(seed);
        final InFlightCells one = new InFlightCells(arena, nodes, window);
        final InFlightCells other = new InFlightCells(arena, nodes, window);
        for (long slot = 0; slot < 200; slot++) {
            final String where = "seed=" + seed + " slot=" + slot;
            final int first = random.nextInt(nodes);
            final int count = random.nextInt(nodes + 1 - first);
            final int from = random.nextInt(4);
            final long at = one.offset(slot) + (long) InFlightCells.PLACE_BYTES * first;
            if (random.nextInt(4) == 0) {
                for (int i = 0; i < count; i++) {
                    one.sendIdle(at + (long) InFlightCells.PLACE_BYTES * i, slot);
                }
                other.leaveIdle(at, count, slot);
            } else {
                final long[] routes = random.longs(nodes + from).toArray();
                final long[] cells = random.longs(nodes + from).toArray();
                final long[] feedback = random.longs(nodes + from).toArray();
                for (int i = 0; i < count; i++) {
                    one.send(at + (long) InFlightCells.PLACE_BYTES * i, routes[from + i], cells[from + i],
                        feedback[from + i]);
                }
                other.send(at, from, count, routes, cells, feedback);
            }
            final long read = Math.max(0, slot - random.nextInt(window));
            readsAlike(one, other, read, nodes, where);
            readsRow(random, one, other, read, nodes, where);
        }
    }

    /** Node by node, and by places in any order. */
    private static void readsAlike(final InFlightCells one, final InFlightCells other, final long slot, final int nodes,
        final String where) {
        final long[] places = new long[nodes];
        final long[][] expected = new long[3][nodes];
        final long[][] shown = new long[3][nodes];
        boolean any = false;
        for (int i = 0; i < nodes; i++) {
            places[i] = one.offset(slot) + (long) InFlightCells.PLACE_BYTES * (nodes - 1 - i);
            expected[0][i] = one.route(places[i]);
            expected[1][i] = one.cell(places[i]);
            expected[2][i] = one.feedback(places[i]);
            any |= expected[0][i] != InFlightCells.NO_CELL || expected[2][i] != InFlightCells.NO_FEEDBACK;
        }
        other.read(places, nodes, shown[0], shown[1], shown[2]);
        assertArrayEquals(expected, shown, where);
        assertEquals(any, other.read(places, nodes, shown[0], shown[2]), where);
        assertArrayEquals(expected, shown, where);
    }

    /** Consecutive nodes; the rest of the columns stays unchanged. */
    private static void readsRow(final Random random, final InFlightCells one, final InFlightCells other,
        final long slot, final int nodes, final String where) {
        final int first = random.nextInt(nodes);
        final int from = random.nextInt(3);
        final int end = from + random.nextInt(nodes + 1 - first);
        final long[][] expected = new long[3][end + 2];
        final long[][] shown = new long[3][end + 2];
        final long at = one.offset(slot) + (long) InFlightCells.PLACE_BYTES * first;
        for (int i = from; i < end; i++) {
            final long place = at + (long) InFlightCells.PLACE_BYTES * (i - from);
            expected[0][i] = one.route(place);
            expected[1][i] = one.cell(place);
            expected[2][i] = one.feedback(place);
        }
        other.read(at, from, end, shown[0], shown[1], shown[2]);
        assertArrayEquals(expected, shown, where);
    }

    /** Three columns, so that a row of each lies together, and nothing between them. */
    @Test
    void shouldTakeThreeWordsACell() {
        assertEquals(3L * Long.BYTES * 70 * 5, InFlightCells.bytes(70, 5));
    }

    @Test
    void shouldTellAnIdleRowFromOneWithAnyThing() {
        final InFlightCells link = new InFlightCells(arena, 4, 1);
        final long[] places = {link.place(2), link.place(0)};
        final long[] routes = new long[2];
        final long[] feedback = new long[2];
        assertFalse(link.read(places, 2, routes, feedback), "nothing was ever sent");
        link.sendIdle(link.place(0), 0);
        assertTrue(link.read(places, 2, routes, feedback), "feedback");
        link.sendIdle(link.place(0), InFlightCells.NO_FEEDBACK);
        link.send(link.place(1), 1, 2, 3);
        assertFalse(link.read(places, 2, routes, feedback), "of another node");
        link.send(link.place(2), 5, 6, InFlightCells.NO_FEEDBACK);
        assertTrue(link.read(places, 2, routes, feedback), "a cell");
    }

    private static void holds(final InFlightCells link, final long slot, final int nodes) {
        for (int node = 0; node < nodes; node++) {
            final long at = link.offset(slot) + (long) InFlightCells.PLACE_BYTES * node;
            if ((slot + node) % 3 == 0) {
                assertEquals(InFlightCells.NO_CELL, link.route(at));
            } else {
                assertEquals(word(slot, node, 0), link.route(at));
                assertEquals(word(slot, node, 1), link.cell(at));
            }
            assertEquals(word(slot, node, 2), link.feedback(at));
        }
    }

    private static long word(final long slot, final int node, final int which) {
        return slot << 32 | node << 8 | which;
    }
}
