package dev.skerry.nic.stardust.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.HostPorts;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Who gets the credits of a port (docs/spec/stardust.md §5.1). */
class EgressSchedulerTest {
    private static final int CLASSES = 4;
    private final SlotLists control = new SlotLists(2);
    private long slot;

    @Test
    void shouldServeQueuesOfAClassInTurn() {
        final EgressScheduler scheduler = scheduler(ClassRules.STRICT);
        for (int issuer = 1; issuer < 12; issuer++) {
            scheduler.request(0, issuer, 2, true);
        }
        final int[] given = count(scheduler, 1000, false);
        for (int issuer = 1; issuer < 12; issuer++) {
            assertTrue(Math.abs(given[issuer] - 1000 / 11) <= 1, "issuer=" + issuer + " given=" + given[issuer]);
        }
        scheduler.request(0, 14, 2, true);
        assertEquals(1, count(scheduler, 12, false)[14]);
        scheduler.request(0, 14, 2, false);
        assertEquals(0, count(scheduler, 40, false)[14]);
    }

    @Test
    void shouldServeHigherClassesFirst() {
        final EgressScheduler scheduler = scheduler(ClassRules.STRICT);
        scheduler.request(0, 3, 1, true);
        scheduler.request(0, 4, 2, true);
        assertEquals(500, count(scheduler, 500, true)[1]);
        scheduler.request(0, 3, 1, false);
        assertEquals(500, count(scheduler, 500, true)[2]);
    }

    @Test
    void shouldServeClassesByTheirWeights() {
        final EgressScheduler scheduler = scheduler(ClassRules.weighted(List.of(0, 3, 1, 1)));
        scheduler.request(0, 3, 1, true);
        scheduler.request(0, 3, 2, true);
        final int[] given = count(scheduler, 4000, true);
        assertEquals(3000, given[1], 1);
        assertEquals(1000, given[2], 1);
        // A late asker has its share from then on and makes up for nothing.
        scheduler.request(0, 9, 3, true);
        final int[] three = count(scheduler, 500, true);
        assertEquals(300, three[1], 2);
        assertEquals(100, three[2], 2);
        assertEquals(100, three[3], 2);
        scheduler.request(0, 9, 0, true);
        assertEquals(100, count(scheduler, 100, true)[0]);
    }

    /** 3 % of a credit a slot is one in 33; a queue that asks at the full pace has the rest. */
    @Test
    void shouldGiveSlowQueuesTheirRate() {
        final int[] percent = {3, 6, 12, 24, 36};
        final EgressScheduler scheduler = scheduler(Credits.paced(4096).with(VoqRules.usual(4096).slowUpTo(4096)));
        for (int rung = 1; rung <= percent.length; rung++) {
            scheduler.request(0, rung, 2, Control.WANT, rung);
        }
        final int[] alone = count(scheduler, 810, false);
        scheduler.request(0, 9, 2, Control.WANT, 0);
        final int[] beside = count(scheduler, 1000, false);
        for (int rung = 1; rung <= percent.length; rung++) {
            // Waits are whole slots: 33, 17, 8, 4 and 3 of them. The sum is 0.81 of the pace.
            final double each = 1.0 / Math.round(100.0 / percent[rung - 1]);
            assertTrue(alone[rung] <= 1000 * each + 90 && beside[rung] <= 1000 * each + 1, "rung=" + rung + " alone="
                + alone[rung] + " beside=" + beside[rung]);
        }
        assertTrue(beside[9] > 150, "full pace=" + beside[9]);
        // One that goes up to the full pace need not wait; one that has enough gets nothing.
        scheduler.request(0, 1, 2, Control.WANT, 0);
        scheduler.request(0, 2, 2, Control.ENOUGH, 0);
        final int[] after = count(scheduler, 400, false);
        assertEquals(0, after[2]);
        assertTrue(after[1] > 50, "full pace=" + after[1]);
    }

    @Test
    void shouldRefuseWeightsThatMeanNothing() {
        assertThrows(IllegalArgumentException.class, () -> ClassRules.weighted(List.of(1, 0)));
        assertThrows(IllegalArgumentException.class, () -> ClassRules.weighted(List.of(-1)));
        assertThrows(IllegalArgumentException.class, () -> ClassRules.weighted(List.of(128)));
        assertThrows(IllegalArgumentException.class, () -> ClassRules.weighted(List.of(2, 1)).withLowLatency(0.05));
        assertThrows(IllegalArgumentException.class, () -> scheduler(ClassRules.weighted(List.of(1, 1))));
    }

    /** The scheduler of an adapter rests while nobody asks; a port that fills up meanwhile still stops its credits. */
    @Test
    void shouldStopAPortThatFillsUpWhileNobodyAsks() {
        final HostSide hosts = new HostSide(1, 1, 1, 100, 4000, 1000, false);
        final HostPorts ports = new HostPorts(hosts, 1, 1500, 16, 0);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 1, hosts,
            new CellCut(1500, 256, true, Packing.CONTINUOUS), Credits.paced(4096), LinkRules.USUAL, true, 1);
        final EgressScheduler scheduler = new EgressScheduler(fabric, ports, control, new BankCounters(), 0, 1);
        assertEquals(0, creditsUntil(scheduler, 21));
        ports.send(21, 0, 6000);
        assertEquals(0, creditsUntil(scheduler, 41));
        scheduler.request(0, 3, 0, true);
        // 4000 bytes are left, 1500 of them allowed for the queue that asks: it waits for less than 1000.
        assertEquals(0, creditsUntil(scheduler, 57));
        // The credit of the slot, and the two that a port saves at most.
        assertEquals(3, creditsUntil(scheduler, 58));
    }

    private int creditsUntil(final EgressScheduler scheduler, final long end) {
        int credits = 0;
        for (; slot < end; slot++) {
            control.begin(slot);
            scheduler.issue(slot);
            credits += control.count(slot);
        }
        return credits;
    }

    private EgressScheduler scheduler(final ClassRules rules) {
        return scheduler(Credits.paced(4096).with(rules));
    }

    private EgressScheduler scheduler(final Credits credits) {
        final HostSide hosts = new HostSide(1, 1, CLASSES, 1024, Long.MAX_VALUE, Long.MAX_VALUE - 1, false);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 1, hosts,
            new CellCut(1500, 256, true, Packing.CONTINUOUS), credits, LinkRules.USUAL, true, 1);
        return new EgressScheduler(fabric, new HostPorts(hosts, 1, 1500, 16, 0), control, new BankCounters(), 0, 1);
    }

    /** The next credits of the one port, one a slot, by queue class or by who gets them. */
    private int[] count(final EgressScheduler scheduler, final int credits, final boolean byClass) {
        final int[] counts = new int[16];
        int sum = 0;
        while (sum < credits) {
            control.begin(slot);
            scheduler.issue(slot);
            for (int i = 0; i < control.count(slot); i++) {
                final long message = control.list(slot)[i];
                assertEquals(Control.CREDIT, Control.kind(message));
                counts[byClass ? Control.queue(message) % CLASSES : Control.target(message)]++;
                sum++;
            }
            slot++;
        }
        assertEquals(credits, sum);
        return counts;
    }
}
