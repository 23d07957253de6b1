package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shoal.SentCells.AcceptedCells;
import dev.skerry.nic.shoal.SentCells.SentCopies;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** What is kept for each connection, against lists, and the words that stand in it. */
final class NeighbourTableModelTest {
    private static final int NODES = 3;
    private static final int LINKS = 4;

    @Test
    void shouldKeepWhatWaitsInOrder() {
        final Random random = new Random(6);
        try (Arena arena = Arena.ofConfined()) {
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
    }

    @Test
    void shouldCountSilenceOnceSomethingWasHeard() {
        try (Arena arena = Arena.ofConfined()) {
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
    }

    @Test
    void shouldRememberWhatWasSentAndTakenIn() {
        try (Arena arena = Arena.ofConfined()) {
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
                assertEquals(number > 0 || ShoalCell.source(word) == node, true);
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

    @Test
    void shouldRefuseRulesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new Resilience(0, 16, 3, 8, 0));
        assertThrows(IllegalArgumentException.class, () -> new Resilience(1, 1, 3, 8, 0));
        assertThrows(IllegalArgumentException.class, () -> new Resilience(1, 16, 0, 8, 0));
        assertThrows(IllegalArgumentException.class, () -> new Resilience(1, 16, 3, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Resilience(1, 16, 3, 8, -1));
    }
}
