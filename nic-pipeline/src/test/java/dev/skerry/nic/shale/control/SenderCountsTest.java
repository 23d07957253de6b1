package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.LimitedControl.NodeCounts;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shale.control.SenderDriven.FlowNotes;
import dev.skerry.nic.shale.control.SenderDriven.SenderControl;
import dev.skerry.nic.shale.control.SenderDriven.Shares;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** What all banks count of the flows towards each destination, slot by slot: as many as are active, in the end none. */
final class SenderCountsTest {
    private static final int SLOTS = 400;
    private static final int STEPS = 60_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void shouldReturnToZero(final int count) {
        for (long seed = 1; seed <= 5; seed++) {
            final Phased schedule = new Phased(2, 4);
            final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of("isd"), 1, 1, 3, 1);
            final FlowSet flows = Flows.random(seed, shale.nodes(), 120, SLOTS / 2, 40);
            final double[] credits = new double[flows.size()];
            Arrays.fill(credits, SenderControl.INACTIVE);
            final List<SenderControl> banks = new ArrayList<>();
            for (int bank = 0; bank < count; bank++) {
                banks.add(new SenderControl(new Shares(shale, flows, 0.3, credits, new FlowNotes(), banks, null),
                    NodeRange.share(shale.nodes(), bank, count), SenderDriven.ALONE));
            }
            play(shale.nodes(), flows, banks, new Random(seed), "banks=" + count + " seed=" + seed);
        }
    }

    private static int bankOf(final int node, final int nodes, final int banks) {
        int bank = 0;
        while (NodeRange.share(nodes, bank, banks).end() <= node) {
            bank++;
        }
        return bank;
    }

    /** Flows start in their slots and end later; none ever sends, so none has to be woken. */
    private static void play(final int nodes, final FlowSet flows, final List<SenderControl> banks,
        final Random random, final String where) {
        final long[] ends = new long[flows.size()];
        Arrays.setAll(ends, flow -> flows.startSlot(flow) + 1 + random.nextInt(SLOTS / 2 - 2));
        final int[] active = new int[nodes];
        int most = 0;
        for (long slot = 0; slot < SLOTS; slot++) {
            for (int flow = 0; flow < flows.size(); flow++) {
                final SenderControl bank = banks.get(bankOf(flows.source(flow), nodes, banks.size()));
                if (flows.startSlot(flow) == slot) {
                    bank.onActive(flow);
                    most = Math.max(most, ++active[flows.destination(flow)]);
                } else if (ends[flow] == slot) {
                    bank.onDone(flow);
                    active[flows.destination(flow)]--;
                }
            }
            for (final SenderControl bank : banks) {
                bank.receive(slot, null);
                for (int node = 0; node < nodes; node++) {
                    assertEquals(active[node], bank.active(node), where + " slot=" + slot + " destination=" + node);
                }
            }
        }
        assertTrue(most > 2, where);
        for (int node = 0; node < nodes; node++) {
            assertEquals(0, banks.getLast().active(node), where + " destination=" + node);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 20, 1", "3, 25, 8", "2, 700, 64", "5, 90, 4096"})
    void shouldCountAsMapsDo(final int nodes, final int keys, final int stride) {
        final SplittableRandom random = new SplittableRandom(nodes * 31L + keys);
        final NodeCounts counts = new NodeCounts(nodes);
        final List<Map<Integer, Integer>> model = Stream.<Map<Integer, Integer>>generate(HashMap::new)
            .limit(nodes).toList();
        for (int step = 0; step < STEPS; step++) {
            final int node = random.nextInt(nodes);
            final int key = random.nextInt(keys) * stride;
            final Map<Integer, Integer> of = model.get(node);
            final String at = "nodes=" + nodes + " keys=" + keys + " step=" + step;
            // Fills up in the first half of every quarter, and empties in the second.
            if (random.nextInt(8) < (step / (STEPS / 8) % 2 == 0 ? 6 : 2)) {
                assertEquals(of.merge(key, 1, Integer::sum), counts.add(node, key), at);
            } else if (of.containsKey(key)) {
                final Integer left = of.computeIfPresent(key, (k, count) -> count == 1 ? null : count - 1);
                assertEquals(left == null ? 0 : left, counts.remove(node, key), at);
            } else {
                assertThrows(IllegalStateException.class, () -> counts.remove(node, key), at);
            }
            final int other = random.nextInt(keys) * stride;
            assertEquals(of.getOrDefault(other, 0), counts.get(node, other), at);
            assertEquals(of.size(), counts.size(node), at);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "24, 24", "25, 25", "26, 25", "27, 27", "28, 28", "29, 28", "30, 30", "108, 104",
        "109, 109", "28915, 27461", "28916, 28916", "1017440, 1017440", "3892233, 3696475", "3892234, 3892234",
        "4098361, 3892234", "2147483646, 3892234", "2147483647, 2147483647"})
    void shouldRoundDownToTheTable(final int cells, final int length) {
        assertEquals(length, FlowLength.QUANTISED.of(cells));
    }

    @Test
    void shouldNeverRoundUpNorFarDown() {
        for (int cells = 1; cells < 3_892_234; cells += 1 + cells / 997) {
            final double length = FlowLength.QUANTISED.of(cells);
            assertEquals(length, FlowLength.QUANTISED.of((int) length), "cells=" + cells);
            assertTrue(length <= cells && length > 0.94 * cells, "cells=" + cells);
        }
    }

    @Test
    void shouldBeExactWhereTheLogarithmIsWhole() {
        for (int exponent = 0; exponent < 31; exponent++) {
            assertEquals(exponent, FlowLength.LOG.of(1 << exponent));
        }
        assertEquals(1.584_962_500_721_156, FlowLength.LOG.of(3), 1e-15);
    }
}
