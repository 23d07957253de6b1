package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.shoal.PairStreams.ParkedCells;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** {@link PairStreams} against sets of the numbers that wait, in any order of leaving and arriving. */
final class PairStreamsModelTest {
    private static final int NODES = 3;

    /** {@code underWay}: cells between sources and destinations; many of them need larger rows of bits. */
    @ParameterizedTest
    @CsvSource({"1, 3", "2, 100", "3, 100", "4, 3000", "5, 6000"})
    void shouldCountTheCellsThatWait(final long seed, final int underWay) {
        final FlowSet flows = Flows.random(seed, NODES, 90, 10, 700);
        final Random random = new Random(seed);
        final int[] sent = new int[flows.size()];
        final int[] numbered = new int[NODES * NODES];
        final int[] expected = new int[NODES * NODES];
        final List<TreeSet<Integer>> waiting = new ArrayList<>();
        Arrays.setAll(expected, pair -> {
            waiting.add(new TreeSet<>());
            return 0;
        });
        final List<long[]> cells = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            final ParkedCells parked = new ParkedCells(new NoPayload(), new PairStreams(arena, flows, NODES));
            int most = 0;
            int left = sent.length;
            while (left > 0 || !cells.isEmpty()) {
                if (left > 0 && cells.size() < underWay) {
                    int flow = random.nextInt(flows.size());
                    while (sent[flow] == flows.cells(flow)) {
                        flow = (flow + 1) % flows.size();
                    }
                    final int pair = flows.source(flow) * NODES + flows.destination(flow);
                    cells.add(new long[] {parked.inject(Cell.of(flow, sent[flow]++)), pair, numbered[pair]++});
                    left -= sent[flow] == flows.cells(flow) ? 1 : 0;
                } else {
                    // Some wait for long.
                    final long[] cell = cells.remove(random.nextInt(4) == 0 ? cells.size() / 2
                        : random.nextInt(cells.size()));
                    assertEquals(cell[0], parked.deliver(cell[0]));
                    final int pair = (int) cell[1];
                    waiting.get(pair).add((int) cell[2]);
                    while (waiting.get(pair).remove(expected[pair])) {
                        expected[pair]++;
                    }
                    most = Math.max(most, waiting.get(pair).size());
                    assertEquals(most, parked.most(), "seed=" + seed + " underWay=" + underWay);
                }
            }
        }
    }

    @Test
    void shouldHaveNoTableForMoreCellsThanItHasRoomFor() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1L << 40, 1 << 30, 0);
        assertTrue(PairStreams.fits(flows, 2));
        flows.add(1, 0, 1, 56, 1, 0);
        assertFalse(PairStreams.fits(flows, 2));
    }
}
