package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** What queues hold that get little or no credit, and what finds no room or needs none (docs/spec/stardust.md §3). */
class StardustStarvedQueuesTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    private static final int CREDIT = 2048;
    private static final int WAITS = 1000;
    private static final int DEAD = 5;
    /** Twice what is in hand and one more credit, I = 2. */
    private static final int THRESHOLD = 2 * 3 * 4096;
    private static final double PORT_BYTES = 230;

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
        sendToTheDead(flows, 2, 500);
        try (StardustEngine engine = engine(WAITS, flows, bytes, new Fault.Node(10, DEAD, false))) {
            engine.advance(500 + WAITS);
            assertEquals(0, engine.count(NicCounter.PACKETS_AGED));
            // Two looks: a queue is looked at once in 256 slots.
            engine.advance(300);
            Runs.assertCounts("PACKETS_AGED=32 FLOWS_COMPLETED=" + served + " PACKETS_LOST=0", engine);
            engine.checkConserved();
        }
    }

    /** It comes back: what is sent from then on arrives, and the flows that were given up have failed by name. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldServeAStreamAgainOfWhichAPartWasGivenUp(final int seed) {
        final FlowSet flows = new FlowSet();
        sendToTheDead(flows, 2, 0);
        sendToTheDead(flows, 3, 500 + seed);
        sendToTheDead(flows, 2, 4000);
        try (StardustEngine engine = engine(WAITS, flows, true, new Fault.Node(400, DEAD, false),
            new Fault.Node(2500, DEAD, true))) {
            engine.advance(400);
            assertEquals(16, engine.count(NicCounter.FLOWS_COMPLETED), "seed=" + seed);
            engine.advance(4400);
            // What was given up is counted there, and not lost.
            Runs.assertCounts("PACKETS_AGED=48 FLOWS_COMPLETED=32 FLOWS_FAILED=16 PACKETS_LOST=0", engine);
        }
    }

    @Test
    void shouldKeepWhatWaitsNoLonger() {
        final FlowSet flows = new FlowSet();
        sendToTheDead(flows, 2, 500);
        try (StardustEngine engine = engine(5000, flows, true, new Fault.Node(400, DEAD, false),
            new Fault.Node(2500, DEAD, true))) {
            engine.run(0);
            Runs.assertCounts("PACKETS_AGED=0 FLOWS_COMPLETED=16", engine);
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
            Runs.assertCounts("PACKETS_AGED=10 FLOWS_COMPLETED=1 PACKETS_LOST=0", engine);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveTheSameResultWhateverRunsIt(final boolean capped) {
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Control(0, 0.05, 0.05),
            new Fault.Corruption(0, 1e-3), new Fault.Node(50, DEAD, false), new Fault.HostPort(40, 3, false),
            new Fault.Node(1300, DEAD, true))), 3);
        final Outcome one = Runs.alike(fabric(400, 1, capped), Fabrics.mixed(64, 600), faults, HEALING, 2500, "");
        assertTrue(one.count(NicCounter.PACKETS_AGED) > 20);
        assertTrue(!capped || one.count(NicCounter.PACKETS_REFUSED) > 20);
    }

    @Test
    void shouldRefuseToWaitForNothing() {
        assertThrows(IllegalArgumentException.class, () -> VoqRules.usual(CREDIT).givenUpAfter(0));
    }

    /** Some packets from each of 16 hosts to hosts of the adapter that is lost. */
    private static void sendToTheDead(final FlowSet flows, final int packets, final int start) {
        for (int host = 32; host < 48; host++) {
            flows.add(flows.size(), host, 4 * DEAD + host % 4, 1500L * packets, 6 * packets, start);
        }
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

    /** Queues that hold more than the threshold ask for the full pace: nothing is different, to the last counter. */
    @Test
    void shouldChangeNothingForQueuesThatHoldMuch() {
        Outcomes.same(Outcomes.run(new StardustEngine(slow(false), Fabrics.ring(), 1), 1500),
            Outcomes.run(new StardustEngine(slow(true), Fabrics.ring(), 1), 1500), "slow");
    }

    /** Packets of 64 bytes that each took a credit of 4096 share credits, as they wait for the next one. */
    @Test
    void shouldSpendFewerCreditsOnQueuesThatHoldLittle() {
        final FlowSet flows = new FlowSet();
        for (int slot = 0; slot < 4000; slot += 40) {
            for (int host = 0; host < 64; host++) {
                flows.add(flows.size(), host, (host + 21) % 64, 64, 1, slot);
            }
        }
        try (StardustEngine usual = new StardustEngine(slow(false), flows, 1);
            StardustEngine slow = new StardustEngine(slow(true), flows, 1)) {
            usual.run(0);
            slow.run(0);
            assertEquals(flows.size(), usual.count(NicCounter.FLOWS_COMPLETED));
            assertEquals(flows.size(), slow.count(NicCounter.FLOWS_COMPLETED));
            // One credit a packet; at 3 % of the pace, one in 581 slots, in which 14 packets come.
            assertEquals(6400, usual.count(NicCounter.CREDITS_SENT));
            assertTrue(slow.count(NicCounter.CREDITS_SENT) <= 64 * (4000 / 581 + 2), "credits="
                + slow.count(NicCounter.CREDITS_SENT));
            assertTrue(slow.count(NicCounter.CELLS_INJECTED) < usual.count(NicCounter.CELLS_INJECTED) / 3);
        }
    }

    @Test
    void shouldAskSlowlyAlikeWhateverRunsIt() {
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Control(0, 0.05, 0.05),
            new Fault.Node(200, 5, false), new Fault.Node(600, 5, true))), 3);
        final Outcome one = Runs.alike(slow(true), Fabrics.mixed(64, 400), faults, HEALING, 1500, "");
        assertTrue(one.count(NicCounter.PACKETS_DELIVERED) > 1000);
    }

    @Test
    void shouldRefuseToAskSlowlyForABacklogOrAhead() {
        assertThrows(IllegalArgumentException.class, () -> VoqRules.usual(4096).slowUpTo(-1));
        assertThrows(IllegalArgumentException.class, () -> VoqRules.ahead(4096, 2).slowUpTo(THRESHOLD));
        assertThrows(IllegalArgumentException.class, () -> VoqRules.usual(4096).sizedByBacklog().slowUpTo(THRESHOLD));
    }

    private static Stardust slow(final boolean slow) {
        final VoqRules usual = VoqRules.usual(4096);
        return Fabrics.withCredits(new Credits(4096, 235, 0, 0, 1, true).with(slow ? usual.slowUpTo(THRESHOLD)
            : usual));
    }

    /** Every packet is delivered or counted, and what is delivered afterwards is what was sent. */
    @ParameterizedTest
    @EnumSource
    void shouldDropWhatFindsNoRoomAndNothingElse(final Packing packing) {
        final FlowSet flows = new FlowSet();
        long packets = 0;
        for (int flow = 0; flow < 400; flow++) {
            // Bursts of some flows from a host to the same other one, then a pause in which queues empty.
            final int from = flow / 5 % 16 * 4;
            final long bytes = 1 + flow * 7919L % 60_000;
            flows.add(flow, from, (from + 20) % 64, bytes, (int) (bytes / 256) + 1, flow / 80 * 900);
            packets += Math.ceilDiv(bytes, 1500);
        }
        final VoqRules rules = VoqRules.usual(2048).capped(50_000, 70_000);
        final Outcome one = run(policed(packing, rules, ClassRules.STRICT, 1, false), flows, 1);
        final Outcome many = run(policed(packing, rules, ClassRules.STRICT, 1, false), flows, 3);
        assertEquals(one.digest(), many.digest());
        final long refused = one.count(NicCounter.PACKETS_REFUSED);
        assertTrue(refused > 500, "refused=" + refused);
        assertEquals(packets, one.count(NicCounter.PACKETS_DELIVERED) + refused);
        assertEquals(0, one.count(NicCounter.PACKETS_LOST));
        assertEquals(0, one.cellsHeld());
        assertTrue(one.completed().length > 100 && one.completed().length < 350, "flows=" + one.completed().length);
        for (final int flow : one.completed()) {
            assertTrue(flows.bytes(flow) <= 50_000);
        }
    }

    /** Two hosts send at full rate to one: what it does not take waits up to the bound and is dropped from then on. */
    @Test
    void shouldKeepQueuesWithinTheirBound() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 20, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        flows.add(1, 4, 20, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        flows.add(2, 1, 40, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        final Stardust fabric = policed(Packing.CONTINUOUS, VoqRules.usual(2048).capped(30_000, 40_000),
            ClassRules.STRICT, 1, true);
        try (StardustEngine engine = new StardustEngine(fabric, flows, 2)) {
            engine.advance(20_000);
            engine.checkConserved();
            assertTrue(engine.maxWaitingAt(0) <= 40_000, "bytes=" + engine.maxWaitingAt(0));
            assertEquals(1, engine.bytesTo(20) / PORT_BYTES / 20_000, 0.02);
            assertEquals(1, engine.bytesTo(40) / PORT_BYTES / 20_000, 0.02);
            final double offered = 20_000 * PORT_BYTES / 1500;
            assertEquals(offered, engine.count(NicCounter.PACKETS_REFUSED), 0.05 * offered);
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
        }
    }

    /** Without credit a packet is there after one delay a link; with one, a control round trip later. */
    @ParameterizedTest
    @CsvSource({"5, 2, 1", "60, 4, 1", "60, 4, 6"})
    void shouldSendLowLatencyPacketsAtOnce(final int to, final int links, final int linkSlots) {
        final Stardust fabric = policed(Packing.CONTINUOUS, VoqRules.usual(2048), ClassRules.STRICT
            .withLowLatency(0.05), linkSlots, false);
        for (int level = 0; level < 2; level++) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, to, 64, 1, 100);
            flows.setClass(level);
            final long slot = run(fabric, flows, 1).completedIn()[0];
            if (level == 0) {
                assertEquals(100 + links * linkSlots, slot);
            } else {
                // The scheduler hands out a credit every 2048 / 235 slots.
                final long least = 100L + 3L * links * linkSlots;
                assertTrue(slot >= least && slot <= least + 9, "slot=" + slot + " least=" + least);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldPoliceAFloodAtItsSource(final int workers) {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            flows.setClass(host < 4 ? 0 : 1);
        }
        final Stardust fabric = policed(Packing.CONTINUOUS, VoqRules.usual(2048),
            ClassRules.weighted(List.of(0, 1)).withLowLatency(0.05), 2, true);
        try (StardustEngine engine = new StardustEngine(fabric, flows, workers)) {
            engine.advance(3000);
            final long[] before = Runs.bytes(engine, 64);
            engine.advance(9000);
            engine.checkConserved();
            double flood = 0;
            for (int host = 0; host < 64; host++) {
                final double rate = (engine.bytesTo(host) - before[host]) / 9000.0;
                if (host >= 21 && host < 25) {
                    flood += rate;
                } else {
                    assertEquals(PORT_BYTES, rate, 0.03 * PORT_BYTES, "host=" + host);
                }
            }
            assertEquals(0.05 * 4 * 256, flood, 0.02 * 0.05 * 4 * 256);
            final double refused = 4 * PORT_BYTES * 12_000 / 1500 * (1 - 0.05 * 256 / PORT_BYTES);
            assertEquals(refused, engine.count(NicCounter.PACKETS_POLICED), 0.02 * refused);
            Runs.assertCounts("PACKETS_LOST=0 PAUSES=0", engine);
        }
    }

    private static Stardust policed(final Packing packing, final VoqRules voqs, final ClassRules classes,
        final int linkSlots, final boolean paced) {
        final int levels = classes.lowLatency() ? 2 : 1;
        final HostSide hosts = new HostSide(4, 4, levels, PORT_BYTES, 1 << 16, 1 << 15, paced);
        return new Stardust(Fabrics.full(Fabrics.SMALL), linkSlots, hosts, new CellCut(1500, 256, true, packing),
            new Credits(2048, 1.02 * PORT_BYTES, 0, 0, 1, true, voqs, classes), LinkRules.USUAL, true, 7);
    }

    private static Outcome run(final Stardust fabric, final FlowSet flows, final int workers) {
        return Outcomes.run(new StardustEngine(fabric, flows, workers), 0);
    }

    /** What a port of 10 Gb/s sends in 1 us is less than a credit, of 50 Gb/s in 10 us it is 15.3. */
    @Test
    void shouldKeepInHandWhatAPortSendsWhileACellCrosses() {
        assertEquals(2, VoqRules.inHand(1.25, 1_000, 4_096));
        assertEquals(16, VoqRules.inHand(6.25, 10_000, 4_096));
        final VoqRules ahead = VoqRules.ahead(4_096, 2);
        assertEquals(-12_288, ahead.onBytes());
        assertEquals(12_288, ahead.offBytes());
        assertThrows(IllegalArgumentException.class, ahead::sizedByBacklog);
    }
}
