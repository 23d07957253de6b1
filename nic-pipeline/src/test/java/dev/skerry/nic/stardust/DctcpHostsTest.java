package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Marks of adapters for hosts that speak DCTCP across a fabric (docs/spec/stardust.md §3.1). */
class DctcpHostsTest {
    private static final Reno RULES = new Reno(60, 2, 100, 40, 3000, 3);
    private static final int MARK = 12_000;

    private static Stardust fabric(final Congestion congestion, final HostSignals signals) {
        final Stardust packed = Fabrics.packed(2, LinkRules.USUAL, true);
        return new Stardust(packed.deployment(), packed.linkSlots(),
            new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, RULES.with(congestion), signals), packed.cut(),
            packed.credits(), packed.links(), true, 7);
    }

    private static Stardust dctcp() {
        return fabric(Congestion.Dctcp.USUAL, HostSignals.marking(MarkLaw.above(MARK)));
    }

    /** Four hosts of four adapters to one port, long enough for their windows to settle. */
    private static FlowSet fourToOne() {
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < 4; sender++) {
            flows.add(sender, 8 + 4 * sender, 3, 1_200_000, 1, sender);
        }
        return flows;
    }

    /** Queues stay near their mark where New Reno fills its window, and the port is as busy. */
    @Test
    void shouldKeepQueuesShortAtTheSameRate() {
        try (StardustEngine marked = new StardustEngine(dctcp(), fourToOne(), 1);
            StardustEngine deaf = new StardustEngine(fabric(Congestion.NEW_RENO, HostSignals.NONE), fourToOne(), 1)) {
            marked.run(0, (slot, delivered, done) -> true);
            deaf.run(0, (slot, delivered, done) -> true);
            assertEquals(4, marked.outcome().completed().length);
            assertTrue(marked.count(NicCounter.PACKETS_MARKED) > 100);
            assertEquals(0, deaf.count(NicCounter.PACKETS_MARKED));
            assertEquals(0, marked.count(NicCounter.PACKETS_RESENT));
            final long shortest = marked.maxWaitingAt(2);
            assertTrue(shortest < 2 * MARK + 60 * 1500 / 4, "bytes=" + shortest);
            assertTrue(deaf.maxWaitingAt(2) > 1.5 * shortest, "bytes=" + deaf.maxWaitingAt(2));
            assertTrue(marked.outcome().slots() < 1.05 * deaf.outcome().slots(),
                marked.outcome().slots() + " " + deaf.outcome().slots());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldNotDependOnWorkersOrThreads(final int workers) {
        final FlowSet flows = Fabrics.mixed(64, 400);
        try (StardustEngine one = new StardustEngine(dctcp(), flows, 1);
            StardustEngine many = new StardustEngine(dctcp(), flows, workers);
            StardustThreads threads = new StardustThreads(dctcp(), flows, Faults.NONE, ReachTiming.USUAL, null,
                Threading.separate(workers, 2, Idle.YIELD))) {
            one.run(0, (slot, delivered, done) -> true);
            many.run(0, (slot, delivered, done) -> true);
            threads.run(0, (slot, delivered, done) -> true);
            final Outcome expected = one.outcome();
            assertTrue(expected.count(NicCounter.PACKETS_MARKED) > 0);
            assertEquals(400, expected.completed().length);
            for (final Outcome other : new Outcome[]{many.outcome(), threads.outcome()}) {
                assertEquals(expected.digest(), other.digest());
                assertArrayEquals(expected.counts(), other.counts());
                assertArrayEquals(expected.completedIn(), other.completedIn());
            }
            one.checkConserved();
        }
    }

    /** Marks that nobody reads are refused; hosts that read them may go without. */
    @Test
    void shouldRefuseMarksThatNobodyReads() {
        final HostSide reno = new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, RULES);
        assertThrows(IllegalArgumentException.class, () -> reno.with(RULES, HostSignals.marking(MarkLaw.above(MARK))));
        assertThrows(IllegalArgumentException.class,
            () -> reno.with(HostModel.PACED, HostSignals.marking(MarkLaw.above(MARK))));
        assertThrows(IllegalArgumentException.class, () -> HostSignals.marking(MarkLaw.above(0)));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dctcp(0));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dctcp(11));
        assertEquals(HostSignals.NONE, reno.with(RULES.with(Congestion.Dctcp.USUAL)).signals());
    }
}
