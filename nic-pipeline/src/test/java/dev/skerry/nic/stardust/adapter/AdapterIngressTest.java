package dev.skerry.nic.stardust.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.adapter.AdapterIngress.Bursts;
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
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.Packets.FlowPackets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** What credits release (docs/spec/stardust.md §3.2 to §3.4), and who gets the credits of a port (§5.1). */
class AdapterIngressTest {
    private static final int CLASSES = 4;

    private final Arena arena = Arena.ofAuto();
    private final SlotLists control = new SlotLists(2);
    private long slot;

    @ParameterizedTest
    @CsvSource({"9000, 63000, '1,0,1,0,1,0,1'", "1500, 18000, '3,3,3,2,1'", "64, 6400, '64,36'", "513, 4104, '8'"})
    void shouldReleaseWholePacketsAndPayForThemLater(final int packetBytes, final long bytes, final String expected) {
        final List<String> released = new ArrayList<>();
        final AdapterIngress ingress = ingress(arena, packetBytes, bytes, false, Packing.CONTINUOUS);
        ingress.feed().arrive(0);
        for (int i = 0; i < expected.split(",").length; i++) {
            ingress.credit(0, 0, 1, credit(i + 1));
            released.add(Integer.toString(ingress.begin(0, 0) ? drain(ingress.bursts(), packetBytes)[0] : 0));
        }
        assertEquals(expected, String.join(",", released));
    }

    /** As many cells as the packer of bytes makes of the same packets. */
    @ParameterizedTest
    @CsvSource({"513, 8, 17, 17, 24", "1025, 4, 17, 17, 20", "64, 64, 16, 32, 64", "200, 21, 17, 17, 21"})
    void shouldCutAsManyCellsAsThePacker(final int packetBytes, final int packets, final int continuous,
        final int simple, final int each) {
        for (final Packing packing : Packing.values()) {
            for (final boolean prefix : new boolean[] {false, true}) {
                try (Arena arena = Arena.ofConfined()) {
                    final AdapterIngress ingress = ingress(arena, packetBytes, (long) packets * packetBytes, prefix,
                        packing);
                    ingress.feed().arrive(0);
                    ingress.credit(0, 0, 1, credit(1));
                    ingress.begin(0, 0);
                    final int cells = drain(ingress.bursts(), packetBytes)[1];
                    assertEquals(CellPacker.cellsOf(packing, 256, packetBytes, packets, prefix), cells);
                    if (!prefix) {
                        assertEquals(packing == Packing.NONE ? each : packing == Packing.SIMPLE ? simple : continuous,
                            cells);
                    }
                }
            }
        }
    }

    /** A burst alone in its queue takes as many credits as it is worth, then the queue asks for no more. */
    @Test
    void shouldAskUntilItsDebtIsPaid() {
        for (long bytes = 1; bytes < 30_000; bytes += 977) {
            try (Arena arena = Arena.ofConfined()) {
                final SlotLists control = new SlotLists(4);
                final BankCounters tally = new BankCounters();
                final AdapterIngress ingress = ingress(arena, 9000, bytes, false, Packing.CONTINUOUS, control, tally);
                control.begin(0);
                ingress.feed().arrive(0);
                int credits = 0;
                while (tally.count(NicCounter.REQUESTS_SENT) < 2) {
                    ingress.credit(0, 0, 1, credit(++credits));
                    while (ingress.begin(0, 0)) {
                        drain(ingress.bursts(), 9000);
                    }
                }
                assertEquals((bytes + 4095) / 4096, credits, "bytes=" + bytes);
                assertEquals(Control.WANT, Control.kind(control.list(0)[0]));
                assertEquals(Control.ENOUGH, Control.kind(control.list(0)[1]));
            }
        }
    }

    /**
     * Queues that get credits for more than their adapter sends stand in its order once, not once for each credit:
     * another one waits for a burst of each, not for bursts of later credits.
     */
    @Test
    void shouldNotMakeAQueueWaitForCreditsThatCameAfterItsOwn() {
        final int busy = 8;
        final FlowSet flows = new FlowSet();
        final int[] streams = new int[busy + 1];
        for (int to = 1; to <= busy + 1; to++) {
            flows.add(to, 0, to, to > busy ? 40 : 1L << 40, 1, 0);
            streams[to - 1] = 16 * to;
        }
        final SlotLists control = new SlotLists(4);
        control.begin(0);
        final AdapterIngress ingress = ingress(arena, 9000, flows, streams, false, Packing.CONTINUOUS, control,
            new BankCounters());
        ingress.feed().arrive(0);
        int given = 0;
        int since = -1;
        for (int burst = 0; since < 0 || ingress.bursts().to(0) <= busy; burst++) {
            for (int i = 0; i < 4; i++, given++) {
                ingress.credit(0, 0, 1 + given % busy, credit(given / busy + 1));
            }
            if (burst == 500) {
                ingress.credit(0, 0, busy + 1, credit(1));
                since = burst;
            }
            assertTrue(ingress.begin(0, 0), "burst " + burst);
            assertTrue(since < 0 || burst - since <= busy, "bursts that it waited for: more than " + busy);
            drain(ingress.bursts(), 9000);
        }
    }

    /** A queue with several credits in hand sends for one of them, then the others have their turns. */
    @Test
    void shouldSendForOneCreditATurn() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1L << 40, 1, 0);
        flows.add(1, 0, 2, 1L << 40, 1, 0);
        final List<String> bursts = new ArrayList<>();
        final SlotLists control = new SlotLists(4);
        control.begin(0);
        final AdapterIngress ingress = ingress(arena, 1024, flows, new int[] {16, 32}, false, Packing.CONTINUOUS,
            control, new BankCounters());
        ingress.feed().arrive(0);
        for (int given = 1; given <= 3; given++) {
            ingress.credit(0, 0, 1, credit(given));
        }
        ingress.credit(0, 0, 2, credit(1));
        while (ingress.begin(0, 0)) {
            final int to = ingress.bursts().to(0);
            bursts.add(to + ":" + drain(ingress.bursts(), 1024)[0]);
        }
        assertEquals("1:4 2:4 1:4 1:4", String.join(" ", bursts));
    }

    private static long credit(final int number) {
        return Control.credit(4096, number & Control.NUMBERS - 1);
    }

    private static AdapterIngress ingress(final Arena arena, final int packetBytes, final long bytes,
        final boolean prefix, final Packing packing) {
        final SlotLists control = new SlotLists(4);
        control.begin(0);
        return ingress(arena, packetBytes, bytes, prefix, packing, control, new BankCounters());
    }

    private static AdapterIngress ingress(final Arena arena, final int packetBytes, final long bytes,
        final boolean prefix, final Packing packing, final SlotLists control, final BankCounters tally) {
        final FlowSet flows = Fabrics.one(0, 1, bytes, (int) (bytes / 256) + 1, 0);
        return ingress(arena, packetBytes, flows, new int[] {16}, prefix, packing, control, tally);
    }

    /** Streams of flows: 16 times the destination and the source. */
    private static AdapterIngress ingress(final Arena arena, final int packetBytes, final FlowSet flows,
        final int[] streams, final boolean prefix, final Packing packing, final SlotLists control,
        final BankCounters tally) {
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 1, HostSide.of(1, 1, 1024),
            new CellCut(packetBytes, 256, prefix, packing), Credits.paced(1024), LinkRules.USUAL, true, 1);
        final Packets packets = new FlowPackets(flows, streams, 16 * 16, packetBytes);
        return new AdapterIngress(arena, fabric, flows, packets, control, tally, 0, 1);
    }

    private static int[] drain(final Bursts bursts, final int packetBytes) {
        final int packets = Math.ceilDiv(bursts.left(0), packetBytes);
        int cells = 0;
        while (bursts.left(0) > 0) {
            bursts.cut(0);
            cells++;
        }
        return new int[] {packets, cells};
    }

    @Test
    void shouldServeQueuesOfAClassInTurn() {
        final EgressScheduler scheduler = scheduler(ClassRules.STRICT);
        for (int issuer = 1; issuer < 12; issuer++) {
            scheduler.request(0, issuer, 2, Control.WANT, 0);
        }
        final int[] given = count(scheduler, 1000, false);
        for (int issuer = 1; issuer < 12; issuer++) {
            assertTrue(Math.abs(given[issuer] - 1000 / 11) <= 1, "issuer=" + issuer + " given=" + given[issuer]);
        }
        scheduler.request(0, 14, 2, Control.WANT, 0);
        assertEquals(1, count(scheduler, 12, false)[14]);
        scheduler.request(0, 14, 2, Control.ENOUGH, 0);
        assertEquals(0, count(scheduler, 40, false)[14]);
    }

    @Test
    void shouldServeHigherClassesFirst() {
        final EgressScheduler scheduler = scheduler(ClassRules.STRICT);
        scheduler.request(0, 3, 1, Control.WANT, 0);
        scheduler.request(0, 4, 2, Control.WANT, 0);
        assertEquals(500, count(scheduler, 500, true)[1]);
        scheduler.request(0, 3, 1, Control.ENOUGH, 0);
        assertEquals(500, count(scheduler, 500, true)[2]);
    }

    @Test
    void shouldServeClassesByTheirWeights() {
        final EgressScheduler scheduler = scheduler(ClassRules.weighted(List.of(0, 3, 1, 1)));
        scheduler.request(0, 3, 1, Control.WANT, 0);
        scheduler.request(0, 3, 2, Control.WANT, 0);
        final int[] given = count(scheduler, 4000, true);
        assertEquals(3000, given[1], 1);
        assertEquals(1000, given[2], 1);
        // A late asker has its share from then on and makes up for nothing.
        scheduler.request(0, 9, 3, Control.WANT, 0);
        final int[] three = count(scheduler, 500, true);
        assertEquals(300, three[1], 2);
        assertEquals(100, three[2], 2);
        assertEquals(100, three[3], 2);
        scheduler.request(0, 9, 0, Control.WANT, 0);
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
        scheduler.request(0, 3, 0, Control.WANT, 0);
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
