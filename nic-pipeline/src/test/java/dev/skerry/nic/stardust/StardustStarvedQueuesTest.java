package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** What queues hold that get no credit for long is given up and counted (docs/spec/stardust.md §3.2, state DELETE). */
class StardustStarvedQueuesTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    private static final int CREDIT = 2048;
    private static final int WAITS = 1000;
    private static final int DEAD = 5;

    /** An adapter never comes back: all that waits for it is given up, and nothing else. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveUpWhatWaitsForAnAdapterThatIsGone(final boolean bytes) {
        final FlowSet flows = new FlowSet();
        // Each host sends 10,000 bytes, seven packets, and 16 hosts beside them 3000 to hosts of the lost adapter.
        for (int host = 0; host < 64; host++) {
            final int to = (host + 8) % 64;
            if (host / 4 != DEAD && to / 4 != DEAD) {
                flows.add(flows.size(), host, to, 10_000, 40, 400);
            }
        }
        final int served = flows.size();
        for (int host = 32; host < 48; host++) {
            flows.add(flows.size(), host, 4 * DEAD + host % 4, 3000, 12, 500);
        }
        try (StardustEngine engine = engine(WAITS, flows, bytes, new Fault.Node(10, DEAD, false))) {
            engine.advance(500 + WAITS);
            assertEquals(0, engine.count(NicCounter.PACKETS_AGED));
            // Two looks: a queue is looked at once in 256 slots.
            engine.advance(300);
            assertEquals(16 * 2, engine.count(NicCounter.PACKETS_AGED));
            assertEquals(served, engine.count(NicCounter.FLOWS_COMPLETED));
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
            engine.checkConserved();
        }
    }

    /** It comes back: what is sent from then on arrives, and the flows that were given up have failed by name. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldServeAStreamAgainOfWhichAPartWasGivenUp(final int seed) {
        final FlowSet flows = new FlowSet();
        for (int host = 32; host < 48; host++) {
            flows.add(flows.size(), host, 4 * DEAD + host % 4, 3000, 12, 0);
        }
        for (int host = 32; host < 48; host++) {
            flows.add(flows.size(), host, 4 * DEAD + host % 4, 4500, 18, 500 + seed);
        }
        for (int host = 32; host < 48; host++) {
            flows.add(flows.size(), host, 4 * DEAD + host % 4, 3000, 12, 4000);
        }
        try (StardustEngine engine = engine(WAITS, flows, true, new Fault.Node(400, DEAD, false),
            new Fault.Node(2500, DEAD, true))) {
            engine.advance(400);
            assertEquals(16, engine.count(NicCounter.FLOWS_COMPLETED), "seed=" + seed);
            engine.advance(4400);
            assertEquals(16 * 3, engine.count(NicCounter.PACKETS_AGED), "seed=" + seed);
            assertEquals(32, engine.count(NicCounter.FLOWS_COMPLETED), "seed=" + seed);
            assertEquals(16, engine.count(NicCounter.FLOWS_FAILED), "seed=" + seed);
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST), "counted where they were given up");
        }
    }

    /** Within the time nothing is given up, however long it was away. */
    @Test
    void shouldKeepWhatWaitsNoLonger() {
        final FlowSet flows = new FlowSet();
        for (int host = 32; host < 48; host++) {
            flows.add(flows.size(), host, 4 * DEAD + host % 4, 3000, 12, 500);
        }
        try (StardustEngine engine = engine(5000, flows, true, new Fault.Node(400, DEAD, false),
            new Fault.Node(2500, DEAD, true))) {
            engine.run(0);
            assertEquals(0, engine.count(NicCounter.PACKETS_AGED));
            assertEquals(16, engine.count(NicCounter.FLOWS_COMPLETED));
        }
    }

    /** A class that a higher one leaves nothing to starves; endless flows, and queues that get credits, never do. */
    @Test
    void shouldGiveUpAClassThatGetsNothing() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 8, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        flows.add(1, 4, 8, 15_000, 60, 100);
        flows.setClass(1);
        flows.add(2, 4, 9, 600_000, 2400, 100);
        flows.setClass(1);
        flows.add(3, 12, 8, Long.MAX_VALUE, FlowSet.ENDLESS, 100);
        flows.setClass(1);
        final Stardust fabric = fabric(WAITS, 2, false);
        try (StardustEngine engine = new StardustEngine(fabric, flows, Faults.NONE, HEALING, 1, true)) {
            engine.advance(3800);
            assertEquals(10, engine.count(NicCounter.PACKETS_AGED));
            assertEquals(1, engine.count(NicCounter.FLOWS_COMPLETED));
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveTheSameResultWhateverRunsIt(final boolean capped) {
        final FlowSet flows = Fabrics.mixed(64, 600);
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Control(0, 0.05, 0.05),
            new Fault.Corruption(0, 1e-3), new Fault.Node(50, DEAD, false), new Fault.HostPort(40, 3, false),
            new Fault.Node(1300, DEAD, true))), 3);
        final Stardust fabric = fabric(400, 1, capped);
        try (StardustEngine one = new StardustEngine(fabric, flows, faults, HEALING, 1, true);
            StardustEngine three = new StardustEngine(fabric, flows, faults, HEALING, 3, false);
            StardustThreads threads = new StardustThreads(fabric, flows, faults, HEALING, null, Threading.separate(2,
                3, Idle.BACKOFF))) {
            one.run(2500);
            three.run(2500);
            threads.run(2500);
            assertTrue(one.count(NicCounter.PACKETS_AGED) > 20);
            assertTrue(!capped || one.count(NicCounter.PACKETS_REFUSED) > 20);
            assertEquals(one.digest(), three.digest());
            assertEquals(one.digest(), threads.outcome().digest());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), three.count(counter), counter.name());
                assertEquals(one.count(counter), threads.count(counter), counter.name());
            }
        }
    }

    @Test
    void shouldRefuseToWaitForNothing() {
        assertThrows(IllegalArgumentException.class, () -> VoqRules.usual(CREDIT).givenUpAfter(0));
    }

    private static StardustEngine engine(final int waits, final FlowSet flows, final boolean check,
        final Fault... faults) {
        return new StardustEngine(fabric(waits, 1, false), flows, new Faults(new FaultPlan(List.of(faults)), 1),
            HEALING, 1, check);
    }

    private static Stardust fabric(final int waits, final int classes, final boolean capped) {
        final VoqRules rules = VoqRules.usual(CREDIT).givenUpAfter(waits);
        return new Stardust(Fabrics.full(Fabrics.SMALL), 2, new HostSide(4, 1, classes, 230, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(CREDIT, 235, 0, 0, 1, true).with(capped
            ? rules.capped(12_000, 40_000) : rules), LinkRules.USUAL, true, 7);
    }
}
