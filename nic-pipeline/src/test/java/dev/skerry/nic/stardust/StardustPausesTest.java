package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.codec.StardustControl;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.adapter.AdapterIngress;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets.FlowPackets;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;

/** Links are paused one by one, and pools have a bound (docs/spec/stardust.md §4). */
class StardustPausesTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    /** With its length, six whole cells: a credit's burst has no short one. */
    private static final int PACKET_BYTES = 1534;
    private static final Credits FREE = new Credits(2048, 900, 0, 0, Double.POSITIVE_INFINITY, false);
    /** 1 ms in slots of 87.04 ns, and 500 us. */
    private static final int MILLISECOND = 11_489;
    private static final ReachTiming USUAL = new ReachTiming(115, 3, 3, 5744);
    private static final double PORT_BYTES = 230;
    private static final int SLOTS = 6000;
    private static final int FEW = 1000;
    private static final long SEED = 5;
    private static final int RUNS = 4;
    private static final int FRAME_BYTES = 256 + 16 + 4;
    /** Something that never happens, so that reachability messages travel. */
    private static final Faults CALM = new Faults(new FaultPlan(List.of(new Fault.Corruption(0, 0))), 1);

    private final Arena arena = Arena.ofAuto();

    private static Stardust fabric(final FoldedClosConfig network, final int delay, final LinkRules rules,
        final long seed) {
        return new Stardust(Fabrics.full(network), delay, new HostSide(1, 1, 1, 880, 1 << 16, 1 << 15, false),
            new CellCut(PACKET_BYTES, 256, true, Packing.CONTINUOUS), FREE, rules, true, seed);
    }

    private static Faults rogue(final long seed, final int... adapters) {
        final Fault[] faults = new Fault[adapters.length];
        for (int i = 0; i < faults.length; i++) {
            faults[i] = new Fault.Rogue(100, adapters[i]);
        }
        return new Faults(new FaultPlan(List.of(faults)), seed);
    }

    private static void endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
    }

    /**
     * All of one pod send far too much to one adapter of another: the elements between pods pause them, and not the
     * pods that send to each other over the same elements.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldNotPauseLinksWhoseCellsMeetNoFullQueue(final long seed) {
        final FlowSet flows = new FlowSet();
        for (int from = 4; from < 8; from++) {
            endless(flows, from, 0);
            endless(flows, from + 4, from + 8);
        }
        final Stardust fabric = fabric(Fabrics.SMALL, 2, new LinkRules(0, 0, 0, 16, 64, true, Spraying.RENEWED), seed);
        try (StardustEngine engine = new StardustEngine(fabric, flows, rogue(seed, 0), HEALING, 1, true)) {
            engine.advance(1500);
            final long[] before = Runs.bytes(engine, 16);
            engine.advance(2000);
            assertTrue(engine.count(NicCounter.PAUSES) > 1000, "seed=" + seed);
            for (int to = 12; to < 16; to++) {
                final double rate = (engine.bytesTo(to) - before[to]) / 2000.0;
                assertTrue(rate > 0.95 * 880, "seed=" + seed + " to=" + to + " rate=" + rate);
            }
            assertEquals(0, engine.outcome().dropped(), "seed=" + seed);
        }
    }

    /** Whoever sends what to whom, however long the links are: no pool overflows, no link loses a cell, all come. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldHoldNoMoreThanThePoolsHaveRoomFor(final long seed) {
        final FoldedClosConfig network = seed % 3 == 0 ? FoldedClosConfig.largest(4, 2, 3) : seed % 3 == 1
            ? Fabrics.SMALL : FoldedClosConfig.largest(8, 4, 2, 2);
        final int delay = (int) (1 + seed % 3 * 7);
        final Stardust fabric = fabric(network, delay, new LinkRules(0, 0, 0, 12, 10, true, Spraying.RENEWED), seed);
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 16; from++) {
            for (int to = 0; to < 4; to++) {
                if (from != to) {
                    flows.add(flows.size(), from, to, 60_000, 240, 0);
                }
            }
        }
        final Outcome one = Runs.alike(fabric, flows, rogue(seed, 0, 1, 2, 3), HEALING, 0, "seed=" + seed);
        assertEquals(flows.size(), one.count(NicCounter.FLOWS_COMPLETED) + one.count(NicCounter.FLOWS_FAILED),
            "seed=" + seed);
        // Cells that waited longer than their stream for them came, all the same.
        assertEquals(one.count(NicCounter.DROPPED_REORDER), one.dropped(), "seed=" + seed);
        assertEquals(0, one.cellsHeld(), "seed=" + seed);
        assertTrue(one.count(NicCounter.PAUSES) > 100, "seed=" + seed);
    }

    /**
     * What others do wrong (docs/spec/stardust.md §11): a tenth of all requests and credits lost, others twice; from 1
     * ms on ports have 99 % of their rate.
     */
    @ParameterizedTest
    @CsvSource({"0.1, 0, false", "0, 0.1, false", "0.1, 0.1, true"})
    void shouldGetOverLostAndRepeatedControl(final double loss, final double repeat, final boolean byBacklog) {
        try (StardustEngine engine = withRogues(usual(byBacklog, 1), Fabrics.ring(),
            new Fault.Control(0, loss, repeat))) {
            engine.advance(MILLISECOND);
            final long[] before = Runs.bytes(engine, 64);
            engine.advance(MILLISECOND / 2);
            double sum = 0;
            for (int host = 0; host < 64; host++) {
                // Between two looks a port may fill up from the low to the high mark, or the other way round.
                final double rate = (engine.bytesTo(host) - before[host]) / PORT_BYTES / (MILLISECOND / 2);
                assertEquals(1, rate, 0.05, "host=" + host);
                sum += rate;
            }
            assertTrue(sum / 64 > 0.99, "rate=" + sum / 64);
            assertTrue(loss == 0 == (engine.count(NicCounter.CONTROL_LOST) == 0));
            assertTrue(repeat == 0 || engine.count(NicCounter.CREDITS_IGNORED) > 1000);
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
        }
    }

    /** Everything is lost for 100 us, requests above all; 500 us later all ports are served again. */
    @Test
    void shouldRecoverFromSilenceWithinTheTimeOfARefresh() {
        try (StardustEngine engine = withRogues(usual(false, 1), Fabrics.ring(), new Fault.Control(0, 1, 0),
            new Fault.Control(1149, 0, 0))) {
            engine.advance(1149);
            assertEquals(0, engine.count(NicCounter.CELLS_INJECTED));
            engine.advance(5744 + 100);
            final long[] before = Runs.bytes(engine, 64);
            engine.advance(2000);
            for (int host = 0; host < 64; host++) {
                assertEquals(1, (engine.bytesTo(host) - before[host]) / PORT_BYTES / 2000, 0.06, "host=" + host);
            }
        }
    }

    /** A queue that wants nothing keeps nothing, sends nothing and says so at most once in 10 us. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2048})
    void shouldIgnoreForgedCredits(final int cap) {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 4, 100, 1, 0);
        final SlotLists control = new SlotLists(2);
        final BankCounters tally = new BankCounters();
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2, HostSide.of(1, 1, 1024),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(2048, 1024, cap, 0, 1, true),
            LinkRules.USUAL, true, 1);
        final AdapterIngress ingress = new AdapterIngress(arena, fabric, flows,
            new FlowPackets(flows, new int[] {4 * 16}, 16 * 16, 1500), control, tally, 0, 1);
        final int slots = 1150;
        for (int slot = 1; slot <= slots; slot++) {
            control.begin(slot);
            // For a queue that is idle, one that there is not, and one that no adapter has.
            ingress.credit(slot, 0, 3, message(2048, slot, 0));
            ingress.credit(slot, 0, 3, message(2048, slot, 7));
            ingress.credit(slot, 0, 16 + slot, message(2048, slot, 0));
            assertEquals(false, ingress.begin(slot, 0));
        }
        assertEquals(3 * slots, tally.count(NicCounter.CREDITS_IGNORED));
        assertEquals(slots / 115, tally.count(NicCounter.REQUESTS_SENT), 1);
        // What it keeps is worth the cap: the packet that comes takes it, and is paid for as ever.
        control.begin(slots + 1);
        flows.add(1, 0, 3, 1, 1, 0);
        ingress.feed().arrive(slots + 1);
        assertEquals(false, ingress.begin(slots + 1, 0));
    }

    /** Copies and numbers out of order are worth no more than the credits that were meant. */
    @Test
    void shouldCountACreditOnceAndMakeUpForThoseBefore() {
        final FlowSet flows = Fabrics.one(0, 4, 1 << 20, 4096, 0);
        final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2, HostSide.of(1, 1, 1024),
            new CellCut(1024, 256, false, Packing.CONTINUOUS), new Credits(1024, 1024, 0, 0, 1, true),
            LinkRules.USUAL, true, 1);
        final SlotLists control = new SlotLists(2);
        control.begin(0);
        final AdapterIngress ingress = new AdapterIngress(arena, fabric, flows, new FlowPackets(flows,
            new int[] {4 * 16},
            16 * 16, 1024), control, new BankCounters(), 0, 1);
        ingress.feed().arrive(0);
        final int[] numbers = {1, 1, 2, 5, 5, 13, 12, 14};
        final int[] worth = {1, 0, 1, 3, 0, 8, 1, 2};
        for (int i = 0; i < numbers.length; i++) {
            ingress.credit(0, 0, 4, message(1024, numbers[i], 0));
            int packets = 0;
            while (ingress.begin(0, 0)) {
                packets += ingress.bursts().left(0) / 1024;
                while (ingress.bursts().left(0) > 0) {
                    ingress.bursts().cut(0);
                }
            }
            assertEquals(worth[i], packets, "i=" + i);
        }
    }

    /** Credits without end make a push fabric of it: links pause, nothing is lost, its ports go on. */
    @Test
    void shouldLoseNothingInTheFabricWhenAnAdapterIsRogue() {
        final FlowSet flows = Fabrics.ring();
        for (int host = 0; host < 64; host++) {
            flows.add(64 + host, host, 20 + (host + 1) % 4, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        try (StardustEngine engine = withRogues(usual(false, 1), flows, new Fault.Rogue(1000, 5))) {
            engine.advance(1000);
            assertEquals(0, engine.count(NicCounter.PAUSES));
            engine.advance(6000);
            Runs.assertNoDrops(engine);
            assertTrue(engine.count(NicCounter.PAUSES) > 0);
            double rate = 0;
            for (int port = 20; port < 24; port++) {
                rate += engine.bytesTo(port) / PORT_BYTES / 7000;
            }
            assertTrue(rate > 0.9 * 4, "rate=" + rate);
        }
    }

    /** The host of one port takes nothing for a while: only what goes there waits, and it goes on at once. */
    @Test
    void shouldHoldOnlyWhatGoesToAPortThatIsStopped() {
        final int stopped = 4000;
        try (StardustEngine engine = withRogues(usual(false, 4), Fabrics.ring(),
            new Fault.HostPort(1000, 21, false), new Fault.HostPort(1000 + stopped, 21, true))) {
            engine.advance(1000);
            long[] before = Runs.bytes(engine, 64);
            engine.advance(stopped);
            for (int host = 0; host < 64; host++) {
                final double rate = (engine.bytesTo(host) - before[host]) / PORT_BYTES / stopped;
                // Up to the high mark and what was under way goes into the port.
                assertTrue(host == 21 ? rate < 0.15 : rate > 0.98, "host=" + host + " rate=" + rate);
            }
            assertTrue(engine.maxHeldAt(21) < 100_000, "bytes=" + engine.maxHeldAt(21));
            engine.advance(1000);
            before = Runs.bytes(engine, 64);
            engine.advance(2000);
            for (int host = 0; host < 64; host++) {
                assertTrue((engine.bytesTo(host) - before[host]) / PORT_BYTES / 2000 > 0.98, "host=" + host);
            }
            assertEquals(0, engine.count(NicCounter.PACKETS_LOST));
            assertEquals(0, engine.count(NicCounter.PAUSES));
            engine.checkConserved();
        }
    }

    private static long message(final int bytes, final int number, final int queue) {
        return (long) queue << 20 | (long) Control.CREDIT << 18 | Control.credit(bytes, number & 15);
    }

    private static Stardust usual(final boolean byBacklog, final int linkSlots) {
        final Credits credits = new Credits(2048, 1.02 * PORT_BYTES, 0, 0, 1, true);
        return new Stardust(Fabrics.full(Fabrics.SMALL), linkSlots, new HostSide(4, 4, 1, PORT_BYTES, 1 << 16, 1 << 15,
            false), new CellCut(1500, 256, true, Packing.CONTINUOUS),
            byBacklog ? credits.with(credits.voqs().sizedByBacklog()) : credits, LinkRules.USUAL, true, 7);
    }

    private static StardustEngine withRogues(final Stardust fabric, final FlowSet flows, final Fault... faults) {
        return new StardustEngine(fabric, flows, new Faults(new FaultPlan(List.of(faults)), 3), USUAL, 3, false);
    }

    /** Ports that ask for more than all links carry, without a reaction to marks. */
    private static Stardust demanding(final LinkRules rules, final long seed) {
        return new Stardust(Fabrics.full(Fabrics.SMALL), 6, new HostSide(4, 1, 1, 300, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(Credits.USUAL_BYTES, 300, 0, 0, 100, false),
            rules, true, seed);
    }

    private static StardustEngine run(final LinkRules rules, final Faults faults, final int workers, final int slots,
        final long seed) {
        final StardustEngine engine = new StardustEngine(demanding(rules, seed), Fabrics.ring(), faults,
            ReachTiming.USUAL, workers, false);
        engine.advance(slots);
        engine.checkConserved();
        return engine;
    }

    private static long cells(final StardustEngine engine) {
        return IntStream.range(0, Fabrics.full(Fabrics.SMALL).clos().ports()).mapToLong(engine::sentInto).sum();
    }

    /**
     * Full links carry fewer cells, by the bytes of the messages that they carry. Those between elements have two
     * slots of a hundred left, others in every run, which adds to one run or takes from it up to a sixth of the
     * messages: the mean of runs is judged.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeTheirBytesOfFullLinks(final boolean announced) {
        final Faults faults = announced ? CALM : Faults.NONE;
        double lost = 0;
        double messages = 0;
        for (long seed = SEED; seed < SEED + RUNS; seed++) {
            try (StardustEngine beside = run(LinkRules.USUAL, faults, 1, SLOTS, seed);
                StardustEngine on = run(LinkRules.USUAL.carryingControl(), faults, 1, SLOTS, seed)) {
                lost += cells(beside) - cells(on);
                messages += (double) on.count(NicCounter.CONTROL_BYTES) / FRAME_BYTES;
                assertTrue(on.count(NicCounter.CONTROL_BYTES) > 0.003 * FRAME_BYTES * cells(on), "seed=" + seed);
                assertTrue(on.count(NicCounter.CELLS_DELIVERED) < beside.count(NicCounter.CELLS_DELIVERED),
                    "seed=" + seed);
            }
        }
        assertEquals(messages, lost, 0.08 * messages, "cells=" + lost + " messages=" + messages + " seeds from "
            + SEED);
    }

    /** Links with room carry the messages and all the cells: what the ports get is the same. */
    @Test
    void shouldTakeNothingWhereThereIsRoom() {
        final FlowSet flows = Fabrics.mixed(64, 400);
        final Outcome beside = Outcomes.run(new StardustEngine(Fabrics.packed(2, LinkRules.USUAL, true), flows, 1), 0);
        final Outcome on = Outcomes.run(new StardustEngine(
            Fabrics.packed(2, LinkRules.USUAL.carryingControl(), true), flows, 1), 0);
        assertEquals(beside.completed().length, on.completed().length);
        assertTrue(on.slots() <= 1.02 * beside.slots(), on.slots() + " " + beside.slots());
    }

    /** Workers and threads, cells that cost a slot or bytes, with reachability messages and without. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void shouldNotDependOnWorkersOrThreads(final int kind) {
        final LinkRules rules = (kind % 2 == 0 ? LinkRules.USUAL : LinkRules.USUAL.charging(new LinkCharge(200, 16, 0)))
            .carryingControl();
        Runs.alike(demanding(rules, SEED), Fabrics.ring(), kind < 2 ? Faults.NONE : CALM, ReachTiming.USUAL, FEW,
            "kind=" + kind);
    }

    /** Queues that are never empty send no requests; credits of 4096 bytes at 91 % of the links are 0.45 %. */
    @Test
    void shouldTakeLessThanAHundredthUnderFullLoad() {
        final FlowSet flows = Fabrics.ring();
        final double share = share(packetsOf(1500), flows, Faults.NONE);
        assertTrue(share > 0.003 && share < 0.005, "share=" + share);
        // 28 bytes on each link in each period of 115 slots.
        assertEquals(28.0 / 115 / FRAME_BYTES, share(packetsOf(1500), flows, CALM) - share, 1e-4);
    }

    /** Flows of up to 40,000 bytes ask once or twice and say once that they have enough. */
    @Test
    void shouldTakeLessThanAHundredthForMixedFlows() {
        final double share = share(packetsOf(1500), Fabrics.mixed(64, 6000), CALM);
        assertTrue(share > 0.001 && share < 0.01, "share=" + share);
    }

    /**
     * The worst there is: packets of 64 bytes, each alone in its queue, ask, get a credit and say that they have
     * enough. Three frames a credit and not one are 1.2 % of the links and no more: ports hand out no credits faster.
     */
    @Test
    void shouldTakeThreeFramesACreditAtWorst() {
        final FlowSet flows = new FlowSet();
        for (int slot = 0; slot < SLOTS; slot += 4) {
            for (int host = 0; host < 64; host++) {
                flows.add(flows.size(), host, (host + 4 + (slot / 4 * 7 + host) % 60) % 64, 64, 1, slot);
            }
        }
        final double share = share(packetsOf(64), flows, Faults.NONE);
        assertTrue(share > 0.01 && share < 0.013, "share=" + share);
    }

    private static Stardust packetsOf(final int packetBytes) {
        return new Stardust(Fabrics.full(Fabrics.SMALL), 6, new HostSide(4, 1, 1, 230, 1 << 16, 1 << 15, false),
            new CellCut(packetBytes, 256, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, 235, 0, 0, 1, true), LinkRules.USUAL, true, 5);
    }

    private static double share(final Stardust fabric, final FlowSet flows, final Faults faults) {
        final FoldedClos clos = fabric.clos();
        try (StardustEngine engine = new StardustEngine(fabric, flows, faults, ReachTiming.USUAL, 1, false)) {
            engine.advance(SLOTS);
            engine.checkConserved();
            final long bytes = engine.count(NicCounter.CONTROL_BYTES);
            final long most = 4L * StardustControl.frameBytes(StardustControl.CREDIT)
                * (engine.count(NicCounter.CREDITS_SENT) + engine.count(NicCounter.REQUESTS_SENT));
            assertTrue(faults != Faults.NONE || bytes <= most, "bytes=" + bytes + " most=" + most);
            return (double) bytes / clos.ports() / SLOTS / FRAME_BYTES;
        }
    }
}
