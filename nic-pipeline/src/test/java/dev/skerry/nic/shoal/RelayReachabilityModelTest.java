package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.codec.ControlFault;
import dev.skerry.codec.ShoalControl;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Random;

/** Reachability against bit sets: messages of real neighbours, lost, repeated and in any order. */
final class RelayReachabilityModelTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 64, 65, 400, 800})
    void shouldKnowWhoReachesWhom(final int nodes) {
        for (long seed = 1; seed <= 3; seed++) {
            try (Arena arena = Arena.ofConfined()) {
                new Run(arena, nodes, seed).run(nodes > 100 ? 4_000 : 8_000);
            }
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
        try (Arena arena = Arena.ofConfined()) {
            final RelayReachability one = new RelayReachability(arena, 1, nodes);
            assertThrows(IllegalStateException.class, () -> one.down(0, 0, 1));
            one.up(0, 0, 1);
            assertThrows(IllegalStateException.class, () -> one.up(0, 0, 1));
            assertThrows(IllegalStateException.class, () -> one.restart(0));
        }
    }
}
