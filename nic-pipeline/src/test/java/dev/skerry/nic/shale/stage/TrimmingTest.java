package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.ReceiverDriven;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** NDP under overload: many cells are cut, and each of them arrives, once, with the payload of its last sending. */
final class TrimmingTest {
    private static final long TOO_LONG = 60_000;

    /** Gives every sending of a cell a handle of its own, and knows which are under way. */
    private static final class Sendings implements PayloadStore {
        private final Map<Long, Long> underWay = new HashMap<>();
        private final Set<Long> delivered = new HashSet<>();
        private long next;

        @Override
        public long inject(final long identity) {
            assertTrue(!underWay.containsValue(identity), "two copies of a cell: " + name(identity));
            underWay.put(++next, identity);
            return next;
        }

        @Override
        public long deliver(final long cell) {
            final long identity = underWay.remove(cell);
            assertTrue(delivered.add(identity), "delivered twice: " + name(identity));
            return identity;
        }

        @Override
        public long identify(final long cell) {
            return underWay.get(cell);
        }

        @Override
        public void discard(final long cell) {
            underWay.remove(cell);
        }

        private static String name(final long identity) {
            return "flow=" + Cell.flow(identity) + " cell=" + Cell.sequence(identity);
        }
    }

    @ParameterizedTest
    @CsvSource({"ndp, 2, 4, 3, 1", "ndp, 2, 6, 9, 2", "spray-short+ndp, 3, 3, 5, 2", "ndp, 1, 9, 4, 1",
        "hbh+ndp, 2, 5, 3, 2", "hbh+spray-short+ndp, 3, 3, 2, 1"})
    void shouldDeliverEveryCellOnceThoughManyAreCut(final String label, final int h, final int r,
        final int propagation, final int banks) {
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of(label)
            .with(new ReceiverDriven(4, 1, 200, 1)), 4, 4, propagation, 1);
        final FlowSet flows = Flows.random(5, shale.nodes(), 8 * shale.nodes(), 20, 60);
        final Sendings sendings = new Sendings();
        try (HandStepped fabric = new HandStepped(shale, Faults.NONE, flows, banks,
            FewNodes.of(shale.nodes() / banks), sendings)) {
            long mostMessages = 0;
            while (fabric.slot < TOO_LONG && fabric.count(NicCounter.FLOWS_COMPLETED) < flows.size()) {
                if (fabric.slot % 16 == 0) {
                    mostMessages = Math.max(mostMessages, messages(shale, fabric.banks[0]));
                    fabric.step();
                } else {
                    fabric.move();
                }
            }
            final long cells = fabric.count(NicCounter.CELLS_INJECTED);
            final long cut = fabric.count(NicCounter.CELLS_TRIMMED);
            assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_COMPLETED), label);
            assertEquals(cells, fabric.count(NicCounter.CELLS_DELIVERED), label);
            assertEquals(cells, sendings.delivered.size(), label);
            assertEquals(Map.of(), sendings.underWay, label);
            assertEquals(cut, fabric.count(NicCounter.CELLS_RETRANSMITTED), label);
            assertEquals(cut, fabric.count(NicCounter.NACKS_SENT), label);
            assertEquals(0, fabric.dropped(), label);
            assertTrue(10 * cut >= 3 * cells, label + ": cut=" + cut + " of cells=" + cells);
            assertTrue(mostMessages > 2, label + ": messages seen at node 0: " + mostMessages);
            for (final ShaleBank bank : fabric.banks) {
                for (int node = 0; node < bank.range().size(); node++) {
                    assertTrue(bank.maxima().maxQueue(node) <= 1, label + ": node=" + node);
                }
            }
        }
    }

    /** Messages that probes see at the first node of a bank. */
    private static long messages(final Shale shale, final ShaleBank bank) {
        final ShaleNodeProbes probes = new ShaleNodeProbes(shale, bank, 0);
        long messages = probes.value("queue0_own_messages");
        for (int link = 0; link < shale.schedule().epochSlots(); link++) {
            messages += probes.value("queue" + link + "_messages");
        }
        return messages;
    }
}
