package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

/**
 * Random scripts of faults over small fabrics, every law checked in every slot. The model is a ledger: in the end every
 * cell has arrived once, or was not sent and is counted, or is lost and there is a drop that the spec leaves to the
 * layers above.
 */
final class ShoalFaultsModelTest {
    @ParameterizedTest
    @CsvSource({
        "2, 1, 0, 1, 0, 0.01, 1", "5, 1, 0, 3, 1, 0, 1", "8, 1, 0, 0, 0, 0.02, 1", "8, 1, 0, 6, 2, 0.01, 1",
        "8, 7, 2, 6, 2, 0.01, 1", "9, 2, 13, 8, 2, 0, 1", "9, 1, 20, 8, 3, 0.02, 1", "16, 4, 3, 20, 4, 0.005, 1",
        "8, 1, 0, 0, 0, 0, 4", "8, 1, 3, 6, 2, 0.01, 3", "16, 2, 0, 10, 3, 0, 2"
    })
    void shouldAccountForEveryCell(final int nodes, final int channels, final int propagation, final int links,
        final int crashes, final double damage, final int classes) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, propagation)
            .with(new Resilience(1, 16, 3, 8, 2));
        final long epoch = shoal.schedule().epochSlots();
        for (long seed = 1; seed <= 2; seed++) {
            final FlowSet flows = classed(seed, Flows.random(seed, nodes, 12 * nodes, 60 * epoch, 60), classes);
            final Faults faults = Scripts.random(seed, nodes, 80 * epoch, links, crashes, damage);
            final String where = "nodes=" + nodes + " channels=" + channels + " P=" + propagation + " links=" + links
                + " crashes=" + crashes + " damage=" + damage + " classes=" + classes + " seed=" + seed;
            account(shoal, flows, faults, links + crashes == 0, where);
        }
    }

    /** Switches of the Clos that stop, beside links, nodes and clocks: several may cut the same way. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 4, 0, 0, 2", "8, 2, 3, 4, 3, 1, 3", "18, 1, 2, 6, 0, 2, 5", "9, 1, 0, 6, 2, 0, 4"})
    void shouldAccountForEveryCellWhereSwitchesFail(final int nodes, final int channels, final int propagation,
        final int ports, final int links, final int crashes, final int switches) {
        for (long seed = 1; seed <= 2; seed++) {
            stopSwitches(seed, nodes, channels, propagation, ports, links, crashes, switches);
        }
    }

    @Tag("long")
    @Timeout(600)
    @Test
    void shouldAccountForEveryCellInHundredsOfScripts() {
        for (long seed = 1; seed <= 500; seed++) {
            final Random random = new Random(seed);
            final int nodes = 6 + random.nextInt(7);
            stopSwitches(seed, nodes, 1 + random.nextInt(3), random.nextInt(12), nodes > 8 ? 6 : 4, random.nextInt(6),
                random.nextInt(3), 1 + random.nextInt(5));
        }
    }

    private static void stopSwitches(final long seed, final int nodes, final int channels, final int propagation,
        final int ports, final int links, final int crashes, final int switches) {
        final RoundRobin schedule = RoundRobin.plain(nodes, channels);
        final Shoal shoal = Shoal.of(schedule, ReleaseRule.EXACT, true, propagation);
        final long epoch = schedule.epochSlots();
        final Faults faults = Scripts.random(seed, Clos.of(schedule, ports).wiring(), 80 * epoch, links, crashes,
            switches, seed % 3 == 0 ? 0.01 : 0);
        account(shoal, Flows.random(seed, nodes, 6 * nodes, 60 * epoch, 40), seed % 2 == 0 ? faults
            : Scripts.withClocks(faults, nodes, 80 * epoch, 1 + (int) seed % 3), false,
            "nodes=" + nodes + " channels=" + channels + " P=" + propagation + " ports=" + ports + " links=" + links
                + " crashes=" + crashes + " switches=" + switches + " seed=" + seed);
    }

    private static void account(final Shoal shoal, final FlowSet flows, final Faults faults, final boolean nothingFails,
        final String where) {
        final int nodes = shoal.nodes();
        final long epoch = shoal.schedule().epochSlots();
        try (FaultyShoal fabric = new FaultyShoal(shoal, flows, faults, 1 + (int) faults.seed() % 2)) {
            assertTrue(fabric.settle(5000 * epoch), () -> where + ": " + fabric.counts());
            ledger(fabric, flows, where);
            if (nothingFails) {
                assertEquals(0, fabric.lost(), () -> where + ": " + fabric.counts());
                assertEquals(0, fabric.count(NicCounter.CELLS_NOT_SENT), where);
                assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_COMPLETED), where);
            }
            // All is mended after 80 epochs; after some probes everybody has found everybody.
            fabric.stepTo(Math.max(fabric.slot, (80L + 4 * 16) * epoch + 20L * shoal.propagationSlots()));
            assertEquals(nodes * (nodes - 1), fabric.up(), () -> where + ": " + fabric.counts());
        }
    }

    private static void ledger(final FaultyShoal fabric, final FlowSet flows, final String where) {
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            cells += flows.cells(flow);
            assertTrue(fabric.received(flow) <= flows.cells(flow), where + " flow=" + flow);
        }
        assertEquals(cells, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.count(NicCounter.CELLS_NOT_SENT)
            + fabric.lost(), () -> where + ": " + fabric.counts());
        assertTrue(fabric.lost() <= fabric.leftToTransport(), () -> where + ": " + fabric.counts());
        assertTrue(fabric.count(NicCounter.DROPPED_NO_ROOM) + fabric.count(NicCounter.DROPPED_NO_WAY)
            >= fabric.count(NicCounter.CELLS_REFUSED), () -> where + ": " + fabric.counts());
        assertEquals(0, fabric.count(NicCounter.DROPPED_STALE), where);
    }

    private static FlowSet classed(final long seed, final FlowSet flows, final int classes) {
        final Random random = new Random(seed);
        final FlowSet classed = new FlowSet();
        for (int flow = 0; flow < flows.size(); flow++) {
            classed.add(flows.id(flow), flows.source(flow), flows.destination(flow), flows.bytes(flow),
                flows.cells(flow), flows.startSlot(flow));
            classed.setClass(random.nextInt(classes));
        }
        return classed;
    }
}
