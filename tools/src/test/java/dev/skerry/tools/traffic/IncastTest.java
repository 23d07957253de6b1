package dev.skerry.tools.traffic;

import static dev.skerry.tools.traffic.PoissonArrivalsTest.assertRefused;
import static dev.skerry.tools.traffic.PoissonArrivalsTest.flow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.traffic.Workload.Incast;
import org.junit.jupiter.api.Test;

import java.util.OptionalInt;

class IncastTest {
    private static FlowSet incast(final int senders, final int nodes, final long seed) {
        return new Incast(OptionalInt.of(senders), 1000).generate(nodes, 244, 0, seed);
    }

    private static String text(final FlowSet flows) {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < flows.size(); i++) {
            text.append(flow(flows, i)).append(' ');
        }
        return text.toString();
    }

    @Test
    void shouldNeverChange() {
        assertEquals("0,3,5,1000,5,0 1,6,5,1000,5,0 2,9,5,1000,5,0 3,11,5,1000,5,0 4,12,5,1000,5,0 ",
            text(incast(5, 16, 1)));
    }

    @Test
    void shouldSendFromDistinctNodesToOne() {
        for (long seed = 0; seed < 300; seed++) {
            for (int senders = 1; senders < 9; senders++) {
                final FlowSet flows = incast(senders, 9, seed);
                final String where = "seed=" + seed + " flows=" + text(flows);
                assertEquals(senders, flows.size(), where);
                for (int i = 0; i < senders; i++) {
                    assertEquals(flows.destination(0), flows.destination(i), where);
                    assertNotEquals(flows.destination(i), flows.source(i), where);
                    assertTrue(flows.source(i) >= 0 && flows.source(i) < 9, where);
                    assertTrue(i == 0 || flows.source(i) > flows.source(i - 1), where);
                    assertEquals(i, flows.id(i), where);
                    assertEquals(0, flows.startSlot(i), where);
                }
            }
        }
    }

    /** Nine nodes, three senders: over many seeds each node receives 1/9 and sends 3/9 of the time. */
    @Test
    void shouldChooseEvenly() {
        final int samples = 9000;
        final int[] receives = new int[9];
        final int[] sends = new int[9];
        for (long seed = 0; seed < samples; seed++) {
            final FlowSet flows = incast(3, 9, seed);
            receives[flows.destination(0)]++;
            for (int i = 0; i < 3; i++) {
                sends[flows.source(i)]++;
            }
        }
        for (int node = 0; node < 9; node++) {
            assertEquals(1000, receives[node], 4 * Math.sqrt(samples * (1 / 9.0) * (8 / 9.0)), "node=" + node);
            assertEquals(3000, sends[node], 4 * Math.sqrt(samples * (1 / 3.0) * (2 / 3.0)), "node=" + node);
        }
    }

    @Test
    void shouldRepeatASeedAndOnlyIt() {
        assertEquals(text(incast(20, 100, 5)), text(incast(20, 100, 5)));
        assertNotEquals(text(incast(20, 100, 5)), text(incast(20, 100, 6)));
    }

    @Test
    void shouldTakeAsManySendersAsThereAreByDefault() {
        final Incast incast = new Incast(OptionalInt.empty(), Incast.DEFAULT_FLOW_BYTES);
        assertEquals(15, incast.generate(16, 244, 0, 1).size());
        assertEquals(32, incast.generate(256, 244, 0, 1).size());
        assertEquals(100, incast.generate(256, 244, 0, 1).cells(0));
    }

    @Test
    void shouldRefuseSendersThatAreNot() {
        assertRefused("--incast-senders: 0: an incast needs a sender, give 1 or more", () -> incast(0, 16, 1));
        assertRefused("--incast-senders: 16: there are 16 working nodes and one receives, give at most 15",
            () -> incast(16, 16, 1));
        assertEquals(15, incast(15, 16, 1).size());
        assertRefused("--flow-bytes: -1: a flow has at least one byte, give 1 or more",
            () -> new Incast(OptionalInt.empty(), -1));
    }
}
