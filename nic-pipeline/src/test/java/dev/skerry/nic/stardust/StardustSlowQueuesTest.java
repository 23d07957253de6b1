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

import java.util.List;

/** Queues that hold little ask for credits at a slow rate (docs/spec/stardust.md §3.2, state SLOW). */
class StardustSlowQueuesTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    private static final int CREDIT = 4096;
    /** Twice what is in hand and one more credit, I = 2. */
    private static final int THRESHOLD = 2 * 3 * CREDIT;

    /** Queues that hold more than the threshold ask for the full pace: nothing is different, to the last counter. */
    @Test
    void shouldChangeNothingForQueuesThatHoldMuch() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        try (StardustEngine usual = new StardustEngine(fabric(false), flows, 1);
            StardustEngine slow = new StardustEngine(fabric(true), flows, 1)) {
            usual.advance(1500);
            slow.advance(1500);
            assertEquals(usual.digest(), slow.digest());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(usual.count(counter), slow.count(counter), counter.name());
            }
        }
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
        try (StardustEngine usual = new StardustEngine(fabric(false), flows, 1);
            StardustEngine slow = new StardustEngine(fabric(true), flows, 1)) {
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
    void shouldGiveTheSameResultWhateverRunsIt() {
        final FlowSet flows = Fabrics.mixed(64, 400);
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Control(0, 0.05, 0.05),
            new Fault.Node(200, 5, false), new Fault.Node(600, 5, true))), 3);
        try (StardustEngine one = new StardustEngine(fabric(true), flows, faults, HEALING, 1, true);
            StardustEngine three = new StardustEngine(fabric(true), flows, faults, HEALING, 3, false);
            StardustThreads threads = new StardustThreads(fabric(true), flows, faults, HEALING, null,
                Threading.separate(2, 3, Idle.BACKOFF))) {
            one.run(1500);
            three.run(1500);
            threads.run(1500);
            assertEquals(one.digest(), three.digest());
            assertEquals(one.digest(), threads.outcome().digest());
            assertTrue(one.count(NicCounter.PACKETS_DELIVERED) > 1000);
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), three.count(counter), counter.name());
                assertEquals(one.count(counter), threads.count(counter), counter.name());
            }
        }
    }

    @Test
    void shouldRefuseToAskSlowlyForABacklogOrAhead() {
        assertThrows(IllegalArgumentException.class, () -> VoqRules.usual(CREDIT).slowUpTo(-1));
        assertThrows(IllegalArgumentException.class, () -> VoqRules.ahead(CREDIT, 2).slowUpTo(THRESHOLD));
        assertThrows(IllegalArgumentException.class,
            () -> VoqRules.usual(CREDIT).sizedByBacklog().slowUpTo(THRESHOLD));
    }

    private static Stardust fabric(final boolean slow) {
        final VoqRules usual = VoqRules.usual(CREDIT);
        return new Stardust(Fabrics.full(Fabrics.SMALL), 2, new HostSide(4, 1, 1, 230, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(CREDIT, 235, 0, 0, 1, true).with(slow
            ? usual.slowUpTo(THRESHOLD) : usual), LinkRules.USUAL, true, 7);
    }
}
