package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shoal.SentCells.AcceptedCells;
import dev.skerry.nic.shoal.SentCells.SentCopies;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** What is kept for each connection, against lists, and the words that stand in it. */
final class NeighbourTableModelTest {
    private static final int NODES = 3;
    private static final int LINKS = 4;
    @AutoClose
    private final Arena arena = Arena.ofConfined();

    @Test
    void shouldKeepWhatWaitsInOrder() {
        final Random random = new Random(6);
        final SpillPool pool = new SpillPool(arena, 1 << 16);
        final NeighbourTable neighbours = new NeighbourTable(arena, NODES, LINKS, pool);
        final List<Deque<Long>> model = new ArrayList<>();
        for (int i = 0; i < NODES * LINKS; i++) {
            model.add(new ArrayDeque<>());
        }
        for (long i = 0; i < 20_000; i++) {
            final int link = random.nextInt(LINKS);
            final int node = random.nextInt(NODES);
            final long line = neighbours.line(link, node);
            final Deque<Long> list = model.get(link * NODES + node);
            switch (random.nextInt(50)) {
                case 0 -> {
                    neighbours.dropResends(line);
                    list.clear();
                }
                case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 -> {
                    neighbours.addResend(line, i, -i);
                    list.add(i);
                }
                default -> {
                    final Long first = list.poll();
                    assertEquals(first != null, neighbours.takeResend(line));
                    if (first != null) {
                        assertEquals(first, neighbours.word());
                        assertEquals(-first, neighbours.cell());
                    }
                }
            }
            neighbours.setNotices(line, (int) (i % 3));
            assertEquals(list.size() + i % 3, neighbours.ahead(line));
            assertEquals(0, neighbours.ahead(neighbours.line(LINKS, node)), "nothing waits for nobody");
            final int waiting = model.stream().mapToInt(Deque::size).sum();
            assertEquals(waiting, neighbours.waiting());
            assertEquals(waiting, pool.used());
        }
    }

    @Test
    void shouldCountSilenceOnceSomethingWasHeard() {
        final NeighbourTable neighbours = new NeighbourTable(arena, NODES, LINKS, new SpillPool(arena, 16));
        final long line = neighbours.line(2, 1);
        assertEquals(1, neighbours.miss(line), "all have heard each other at the start");
        assertEquals(2, neighbours.miss(line));
        neighbours.hear(line, 5, false);
        assertEquals(0, neighbours.heardEpoch(line), "a damaged cell is heard, but not valid");
        assertEquals(1, neighbours.miss(line));
        neighbours.reset(line, NeighbourTable.HEARD);
        assertEquals(0, neighbours.miss(line), "nothing is expected yet");
        neighbours.hear(line, 6, false);
        assertEquals(0, neighbours.miss(line));
        neighbours.hear(line, 7, true);
        assertEquals(7, neighbours.heardEpoch(line));
        assertEquals(1, neighbours.miss(line));
        neighbours.setReady(line);
        assertTrue(neighbours.isReady(line));
        neighbours.setUp(line);
        assertFalse(neighbours.isReady(line));
        assertEquals(NeighbourTable.UP, neighbours.state(line));
        assertEquals(1, neighbours.countResend(line));
        assertEquals(2, neighbours.countResend(line));
        neighbours.endResends(line);
        assertEquals(1, neighbours.countResend(line));
    }

    @Test
    void shouldRememberWhatWasSentAndTakenIn() {
        final SentCopies copies = new SentCopies(arena, NODES, LINKS, 3);
        final AcceptedCells accepted = new AcceptedCells(arena, NODES, LINKS, 3);
        final long[][] last = new long[NODES * LINKS][3];
        Arrays.stream(last).forEach(row -> Arrays.fill(row, -1));
        final Random random = new Random(2);
        for (int epoch = 0; epoch < 200; epoch++) {
            for (int place = 0; place < NODES * LINKS; place++) {
                final long cell = random.nextInt(40);
                copies.put(copies.at(epoch, place / NODES, place % NODES), cell % 5 == 0 ? InFlightCells.CONTROL
                    : cell % 7 == 0 ? InFlightCells.NO_CELL : 1000 + cell, cell);
                assertEquals(Arrays.stream(last[place]).anyMatch(kept -> kept == cell),
                    accepted.contains(place / NODES, place % NODES, cell));
                accepted.add(place / NODES, place % NODES, epoch, cell);
                last[place][epoch % 3] = cell;
            }
            int open = 0;
            for (int back = 0; back < 3; back++) {
                for (int place = 0; place < NODES * LINKS; place++) {
                    final long at = copies.at(epoch - back, place / NODES, place % NODES);
                    final long cell = last[place][Math.floorMod(epoch - back, 3)];
                    open += InFlightCells.isCell(copies.route(at)) ? 1 : 0;
                    assertTrue(cell == -1 || copies.cell(at) == cell);
                }
            }
            assertEquals(open, copies.open());
        }
        accepted.clear(5 / NODES, 5 % NODES);
        Arrays.fill(last[5], -1);
        for (int place = 0; place < NODES * LINKS; place++) {
            for (long cell = 0; cell < 40; cell++) {
                final long wanted = cell;
                assertEquals(Arrays.stream(last[place]).anyMatch(kept -> kept == wanted),
                    accepted.contains(place / NODES, place % NODES, cell));
            }
        }
    }

    @Test
    void shouldPackWords() {
        for (final int node : new int[] {0, 1, 511, 1023}) {
            for (int number = 0; number < ClassedCell.MAX_CLASSES; number++) {
                final long word = ClassedCell.of(node, 1023 - node, number);
                for (final long sent : new long[] {word, ShoalCell.sent(word, 0xFFFF_FFFFL), ShoalCell.sent(word, 7)}) {
                    for (final boolean awaited : new boolean[] {false, true}) {
                        final long waiting = ClassedCell.waiting(sent, awaited);
                        assertEquals(awaited, ClassedCell.isAwaited(waiting));
                        assertEquals(sent, ClassedCell.unwaiting(waiting));
                        assertEquals(node, ClassedCell.source(waiting));
                        assertEquals(1023 - node, ShoalCell.destination(waiting));
                        assertEquals(number, ClassedCell.trafficClass(waiting));
                        assertTrue(InFlightCells.isCell(waiting));
                    }
                }
            }
        }
        for (int feedback = 0; feedback <= ReportWord.maxFeedback(1024); feedback++) {
            for (final boolean dropped : new boolean[] {false, true}) {
                final long word = ReportWord.of(feedback, dropped);
                assertEquals(feedback, ReportWord.feedback(word));
                assertEquals(dropped, ReportWord.isDropped(word));
                assertEquals(0, word & ~ReportWord.HEADER_BITS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 16, 3, 8, 0", "1, 1, 3, 8, 0", "1, 16, 0, 8, 0", "1, 16, 3, 0, 0", "1, 16, 3, 8, -1"})
    void shouldRefuseRulesThatCannotBe(final int misses, final int probes, final int copies, final int resends,
        final int room) {
        assertThrows(IllegalArgumentException.class, () -> new Resilience(misses, probes, copies, resends, room));
    }

    /** Reachability against bit sets: messages of real neighbours, lost, repeated and in any order. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 64, 65, 400, 800})
    void shouldKnowWhoReachesWhom(final int nodes) {
        for (long seed = 1; seed <= 3; seed++) {
            new Run(arena, nodes, seed).run(nodes > 100 ? 4_000 : 8_000);
        }
    }

    /** Node 0 of a bank of one, its neighbours all in another bank. */
    private static final class Run {
        private final int nodes;
        private final Random random;
        private final RelayReachability one;
        private final RelayReachability others;
        private final MemorySegment message;
        private final boolean[] up;
        private final BitSet[] reaches;
        private final BitSet[] reported;
        private final BitSet[] chunksTold;
        private final long[][] counter;
        private final long[] changes;

        Run(final Arena arena, final int nodes, final long seed) {
            this.nodes = nodes;
            this.random = new Random(seed * 1000 + nodes);
            this.one = new RelayReachability(arena, 1, nodes);
            this.others = new RelayReachability(arena, nodes, nodes);
            this.message = arena.allocate(ShoalControl.BYTES);
            this.up = new boolean[nodes];
            this.changes = new long[nodes];
            this.reaches = new BitSet[nodes];
            this.reported = new BitSet[nodes];
            this.chunksTold = new BitSet[nodes];
            this.counter = new long[nodes][one.chunks()];
            for (int id = 0; id < nodes; id++) {
                reaches[id] = new BitSet();
                reported[id] = new BitSet();
                chunksTold[id] = new BitSet();
            }
        }

        void run(final int steps) {
            for (int i = 0; i < steps; i++) {
                final int id = 1 + random.nextInt(nodes - 1);
                switch (random.nextInt(nodes == 2 ? 2 : 4)) {
                    case 0 -> toggle(id);
                    case 1 -> report(id);
                    default -> change(id);
                }
                if (i % (nodes > 100 ? 128 : 16) == 0) {
                    check();
                }
            }
        }

        private void toggle(final int id) {
            if (up[id]) {
                one.down(0, id - 1, id);
                reported[id].clear();
                chunksTold[id].clear();
            } else {
                one.up(0, id - 1, id);
            }
            up[id] = !up[id];
        }

        /** A neighbour's connection with a third node changes. */
        private void change(final int id) {
            final int third = (id + 1 + random.nextInt(nodes - 1)) % nodes;
            final int link = Math.floorMod(third - id - 1, nodes);
            if (reaches[id].get(third)) {
                others.down(id, link, third);
            } else {
                others.up(id, link, third);
            }
            reaches[id].flip(third);
            changes[id]++;
        }

        private void report(final int id) {
            final int chunk = random.nextInt(one.chunks());
            others.write(id, chunk, message, 0);
            assertEquals(ControlFault.NONE, one.control().check(message, 0, ShoalControl.BYTES));
            final boolean news = !chunksTold[id].get(chunk) || counter[id][chunk] < changes[id];
            assertEquals(news ? ControlFault.NONE : ControlFault.REPEATED, one.read(0, id - 1, message, 0, up[id]));
            chunksTold[id].set(chunk);
            counter[id][chunk] = changes[id];
            for (int k = chunk * ShoalControl.CHUNK_NODES; k < Math.min(nodes, (chunk + 1) * ShoalControl.CHUNK_NODES);
                k++) {
                reported[id].set(k, reaches[id].get(k));
            }
        }

        private void check() {
            int live = 0;
            boolean all = true;
            for (int id = 1; id < nodes; id++) {
                live += up[id] ? 1 : 0;
                all &= !up[id] || chunksTold[id].cardinality() == one.chunks();
            }
            assertEquals(live, one.live(0));
            for (int k = 1; k < nodes; k++) {
                boolean reached = false;
                for (int id = 1; id < nodes; id++) {
                    assertEquals(reported[id].get(k), one.reaches(id - 1, 0, k));
                    reached |= up[id] && reported[id].get(k);
                }
                assertEquals(up[k], one.isUp(0, k));
                assertEquals(live > 0 && all && !up[k] && !reached, one.isCutOff(0, k), "node " + k);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 500})
    void shouldRefuseWhatCannotHappen(final int nodes) {
        final RelayReachability one = new RelayReachability(arena, 1, nodes);
        assertThrows(IllegalStateException.class, () -> one.down(0, 0, 1));
        one.up(0, 0, 1);
        assertThrows(IllegalStateException.class, () -> one.up(0, 0, 1));
        assertThrows(IllegalStateException.class, () -> one.restart(0));
    }
}
