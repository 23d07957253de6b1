package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;

/** Hosts with DCQCN across a fabric: paused they lose nothing, and what is lost without pauses comes again. */
class DcqcnHostsTest {
    private static final long BYTES = 600_000;

    private static Stardust fabric(final int queuePackets, final HostSignals signals) {
        final Stardust packed = Fabrics.packed(2, LinkRules.USUAL, true);
        return new Stardust(packed.deployment(), packed.linkSlots(),
            new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, new Reno(60, 2, queuePackets, 40, 3000, 3,
                new Congestion.Dcqcn(500, 550, 1L << 20, 8, 5, 0.5, 5)), signals), packed.cut(),
            packed.credits(), packed.links(), true, 7);
    }

    private static StardustEngine run(final int queuePackets, final HostSignals signals) {
        final FlowSet flows = new FlowSet();
        for (int sender = 0; sender < 4; sender++) {
            flows.add(sender, 8 + 4 * sender, 3, BYTES + sender, 1, sender);
        }
        final StardustEngine engine = new StardustEngine(fabric(queuePackets, signals), flows, 1);
        engine.run(0, (slot, delivered, done) -> true);
        assertEquals(4, engine.outcome().completed().length);
        for (int sender = 0; sender < 4; sender++) {
            assertEquals(BYTES + sender, engine.receivedOf(sender));
        }
        engine.checkConserved();
        return engine;
    }

    /** Marks slow four senders down to a quarter each; pauses hold what comes before they do. */
    @Test
    void shouldLoseNothingWherePaused() {
        try (StardustEngine paused = run(40, HostSignals.marking(new MarkLaw(5000, 20_000, 0.1)).pausing(30_000))) {
            assertEquals(0, paused.count(NicCounter.PACKETS_REFUSED));
            assertEquals(0, paused.count(NicCounter.PACKETS_RESENT) + paused.count(NicCounter.TIMEOUTS));
            assertTrue(paused.count(NicCounter.PACKETS_MARKED) > 50);
            assertTrue(paused.outcome().slots() < 1.4 * 4 * BYTES / 230, "slots=" + paused.outcome().slots());
        }
    }

    /** The share of marked packets is what RED says: all above Kmax, fewer between Kmin and it, none below Kmin. */
    @Test
    void shouldMarkByTheLawOfItsAdapters() {
        long before = Long.MAX_VALUE;
        for (final MarkLaw law : new MarkLaw[]{MarkLaw.above(1), new MarkLaw(1, 60_000, 0.3), MarkLaw.above(1 << 20)}) {
            try (StardustEngine engine = run(100, HostSignals.marking(law).pausing(60_000))) {
                final long marked = engine.count(NicCounter.PACKETS_MARKED);
                assertTrue(marked < before, law + " marked=" + marked);
                before = marked;
            }
        }
        assertEquals(0, before);
    }

    /** Queues of four packets without pauses: packets are refused, and go-back-N sends them again. */
    @Test
    void shouldSendAgainWhatWasRefused() {
        try (StardustEngine lossy = run(4, HostSignals.marking(new MarkLaw(5000, 20_000, 0.1)))) {
            assertTrue(lossy.count(NicCounter.PACKETS_REFUSED) > 0);
            assertTrue(lossy.count(NicCounter.PACKETS_RESENT) >= lossy.count(NicCounter.PACKETS_REFUSED));
        }
    }
}
