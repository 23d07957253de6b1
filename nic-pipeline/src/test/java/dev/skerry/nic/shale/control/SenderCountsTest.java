package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.SenderDriven.FlowNotes;
import dev.skerry.nic.shale.control.SenderDriven.SenderControl;
import dev.skerry.nic.shale.control.SenderDriven.Shares;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What all banks count of the flows towards each destination, slot by slot: as many as are active, in the end none. */
final class SenderCountsTest {
    private static final int SLOTS = 400;

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
}
