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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Adapters that pause their hosts (docs/spec/stardust.md §3.1). */
class HostPausesTest {
    private static final long ROOM = 60_000;
    private static final long PAUSE = 40_000;
    private static final Reno TCP = new Reno(60, 2, 100, 40, 3000, 3);

    private static Stardust fabric(final HostModel model, final HostSignals signals, final boolean isCapped) {
        final Stardust packed = Fabrics.packed(2, LinkRules.USUAL, true);
        return new Stardust(packed.deployment(), packed.linkSlots(),
            new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, model, signals), packed.cut(),
            isCapped ? packed.credits().with(packed.credits().voqs().capped(ROOM, ROOM)) : packed.credits(),
            packed.links(), true, 7);
    }

    /** Hosts of eight adapters to one port: far more than its rate, for a while. */
    private static FlowSet incast() {
        final FlowSet flows = new FlowSet();
        for (int from = 8; from < 40; from++) {
            flows.add(from - 8, from, 3, 60_000, 1, from);
        }
        return flows;
    }

    private static StardustEngine run(final Stardust fabric, final FlowSet flows, final int workers) {
        final StardustEngine engine = new StardustEngine(fabric, flows, workers);
        engine.run(0, (slot, delivered, done) -> true);
        engine.checkConserved();
        return engine;
    }

    /** Adapters with room for 60,000 bytes: they drop without pauses; with them nothing, and never hold more. */
    @Test
    void shouldKeepAnAdapterFromDropping() {
        try (StardustEngine without = run(fabric(HostModel.PACED, HostSignals.NONE, true), incast(), 1);
            StardustEngine with = run(fabric(HostModel.PACED, HostSignals.NONE.pausing(PAUSE), true), incast(), 1)) {
            assertTrue(without.count(NicCounter.PACKETS_REFUSED) > 0);
            assertEquals(0, without.count(NicCounter.HOST_PAUSES));
            assertEquals(0, with.count(NicCounter.PACKETS_REFUSED));
            assertTrue(with.count(NicCounter.HOST_PAUSES) >= 8);
            assertTrue(with.count(NicCounter.HOST_PAUSE_SLOTS) > with.count(NicCounter.HOST_PAUSES));
            assertEquals(incast().size(), with.outcome().completed().length);
            for (int adapter = 2; adapter < 10; adapter++) {
                assertTrue(with.maxWaitingAt(adapter) > PAUSE && with.maxWaitingAt(adapter) <= PAUSE + 4 * 1500,
                    "bytes=" + with.maxWaitingAt(adapter));
            }
        }
    }

    /** Nobody is paused where the fabric keeps up, and the result is that without pauses. */
    @Test
    void shouldChangeNothingWhereNothingFills() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 8, 3, 300_000, 1, 0);
        try (StardustEngine without = run(fabric(HostModel.PACED, HostSignals.NONE, false), flows, 1);
            StardustEngine with = run(fabric(HostModel.PACED, HostSignals.NONE.pausing(PAUSE), false), flows, 1)) {
            assertEquals(without.digest(), with.digest());
            assertEquals(0, with.count(NicCounter.HOST_PAUSES));
        }
    }

    /** Paced hosts and New Reno, by workers and threads. */
    @Test
    void shouldNotDependOnWorkersOrThreads() {
        checkSame(HostModel.PACED, TCP);
    }

    /** The others that speak TCP. */
    @Tag("long")
    @Test
    void shouldNotDependOnThemWithAnyTransport() {
        checkSame(TCP.with(Congestion.Dctcp.USUAL), TCP.with(new Congestion.Mptcp(3)),
            TCP.with(new Congestion.Dcqcn(500, 550, 1L << 20, 8, 5, 0.5, 5)));
    }

    private static void checkSame(final HostModel... models) {
        for (final HostModel model : models) {
            final HostSignals signals = (model instanceof final Reno tcp && tcp.congestion().readsMarks()
                ? HostSignals.marking(MarkLaw.above(9000)) : HostSignals.NONE).pausing(15_000);
            final Stardust fabric = fabric(model, signals, false);
            final FlowSet flows = incast();
            try (StardustEngine one = run(fabric, flows, 1); StardustEngine many = run(fabric, flows, 3);
                StardustThreads threads = new StardustThreads(fabric, flows, Faults.NONE, ReachTiming.USUAL, null,
                    Threading.separate(2, 2, Idle.YIELD))) {
                threads.run(0, (slot, delivered, done) -> true);
                final Outcome expected = one.outcome();
                assertTrue(expected.count(NicCounter.HOST_PAUSES) > 0, model.toString());
                assertEquals(flows.size(), expected.completed().length, model.toString());
                // When a pause begins each of the four hosts may have sent a packet, and acknowledgements.
                for (int adapter = 0; adapter < 16; adapter++) {
                    assertTrue(one.maxWaitingAt(adapter) <= 15_000 + 4 * 1800, model + " adapter " + adapter);
                }
                for (final Outcome other : new Outcome[] {many.outcome(), threads.outcome()}) {
                    assertEquals(expected.digest(), other.digest(), model.toString());
                    assertArrayEquals(expected.counts(), other.counts(), model.toString());
                    assertArrayEquals(expected.completedIn(), other.completedIn(), model.toString());
                }
                for (int flow = 0; model != HostModel.PACED && flow < flows.size(); flow++) {
                    assertEquals(flows.bytes(flow), one.receivedOf(flow), model.toString());
                }
            }
        }
    }

    @Test
    void shouldRefuseToPauseHostsThatHaveSentAll() {
        assertThrows(IllegalArgumentException.class, () -> fabric(HostModel.IDEAL, HostSignals.NONE.pausing(PAUSE),
            false));
        assertThrows(IllegalArgumentException.class, () -> HostSignals.NONE.pausing(0));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Mptcp(1));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Mptcp(65));
    }
}
