package dev.skerry.dataplane.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

@Timeout(300)
final class FreeListReturnTest {
    private static final int CELLS = 100;
    private static final int ROUNDS = 32_000;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldBringCellsHome() {
        final FreeList home = new FreeList(arena, 0, CELLS);
        final FreeListReturn way = new FreeListReturn(arena, home, 128);
        for (int i = 0; i < CELLS; i++) {
            assertTrue(way.free(home.alloc()));
        }
        assertEquals(CELLS, home.held());
        assertEquals(CELLS, way.size());
        assertEquals(CELLS, way.collect());
        assertEquals(0, way.collect());
        assertEquals(0, home.held());
        home.verify();
    }

    @Test
    void shouldLeaveTheCellWithTheCallerWhenFull() {
        final FreeList home = new FreeList(arena, 0, CELLS);
        final FreeListReturn way = new FreeListReturn(arena, home, 1);
        home.alloc();
        home.alloc();
        assertTrue(way.free(0));
        assertFalse(way.free(1));
        assertEquals(1, way.collect());
        assertTrue(way.free(1));
        assertEquals(1, way.collect());
        assertEquals(0, home.held());
    }

    @Test
    void shouldCatchForeignCellsAtOnceAndCellsFreedTwiceWhenCollected() {
        final FreeList home = new FreeList(arena, 0, CELLS);
        final FreeListReturn way = new FreeListReturn(arena, home, 128);
        assertThrows(AssertionError.class, () -> way.free(CELLS));
        home.alloc();
        way.free(0);
        way.free(0);
        assertThrows(AssertionError.class, way::collect);
    }

    /** Cells circulate: owner allocates, writes, sends; the foreign thread checks, overwrites, sends home. */
    @Test
    void shouldCarryOwnershipRoundTwoThreads() throws InterruptedException {
        final Slab slab = new Slab(arena, CELLS, 64);
        final FreeList home = new FreeList(arena, 0, CELLS);
        final FreeListReturn way = new FreeListReturn(arena, home, 128);
        final SpscRing out = new SpscRing(arena, 32);
        final AtomicLong wrong = new AtomicLong();
        final Thread foreign = new Thread(() -> {
            long seen = 0;
            while (seen < ROUNDS) {
                final int cell = out.consumer().poll();
                if (cell == Slab.NONE) {
                    Thread.yield();
                    continue;
                }
                final long word = slab.segment().get(ValueLayout.JAVA_LONG, slab.offset(cell));
                wrong.addAndGet(word == seen ? 0 : 1);
                slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(cell), -seen - 1);
                wrong.addAndGet(way.free(cell) ? 0 : 1);
                seen++;
            }
        });
        foreign.start();
        final long[] lastRound = new long[CELLS];
        for (int round = 0; round < ROUNDS; round++) {
            int cell = home.alloc();
            while (cell == Slab.NONE) {
                Thread.yield();
                way.collect();
                cell = home.alloc();
            }
            final long expected = lastRound[cell];
            wrong.addAndGet(slab.segment().get(ValueLayout.JAVA_LONG, slab.offset(cell)) == expected ? 0 : 1);
            lastRound[cell] = -round - 1;
            slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(cell), (long) round);
            while (!out.producer().offer(cell)) {
                Thread.yield();
            }
        }
        foreign.join();
        way.collect();
        assertEquals(0, wrong.get());
        assertEquals(0, home.held());
        home.verify();
    }
}
