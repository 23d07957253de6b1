package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
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
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets.FlowPackets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.List;

/** What others do wrong and what an adapter makes of it: the table at the end of docs/spec/stardust.md §11. */
class StardustRoguesTest {
    /** 1 ms in slots of 87.04 ns, and 500 us. */
    private static final int MILLISECOND = 11_489;
    private static final ReachTiming HEALING = new ReachTiming(115, 3, 3, 5744);
    private static final double PORT_BYTES = 230;

    /** A tenth of all requests and credits lost, others twice: from 1 ms on ports have 99 % of their rate. */
    @ParameterizedTest
    @CsvSource({"0.1, 0, false", "0, 0.1, false", "0.1, 0.1, true"})
    void shouldGetOverLostAndRepeatedControl(final double loss, final double repeat, final boolean byBacklog) {
        try (StardustEngine engine = engine(fabric(byBacklog, 1), pairs(), 1, new Fault.Control(0, loss, repeat))) {
            engine.advance(MILLISECOND);
            final long[] before = taken(engine);
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
        try (StardustEngine engine = engine(fabric(false, 1), pairs(), 1, new Fault.Control(0, 1, 0),
            new Fault.Control(1149, 0, 0))) {
            engine.advance(1149);
            assertEquals(0, engine.count(NicCounter.CELLS_INJECTED));
            engine.advance(5744 + 100);
            final long[] before = taken(engine);
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
        try (Arena arena = Arena.ofConfined()) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, 4, 100, 1, 0);
            final SlotLists control = new SlotLists(2);
            final BankCounters tally = new BankCounters();
            final Stardust fabric = new Stardust(Fabrics.full(Fabrics.SMALL), 2, HostSide.of(1, 1, 1024),
                new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(2048, 1024, cap, 0, 1, true),
                LinkRules.USUAL, true, 1);
            final AdapterIngress ingress = new AdapterIngress(arena, fabric, flows, new FlowPackets(flows,
                new int[] {4 * 16},
                16 * 16, 1500), control, tally, 0, 1);
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
    }

    /** Copies and numbers out of order are worth no more than the credits that were meant. */
    @Test
    void shouldCountACreditOnceAndMakeUpForThoseBefore() {
        try (Arena arena = Arena.ofConfined()) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, 4, 1 << 20, 4096, 0);
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
    }

    /** Credits without end make a push fabric of it: links pause, nothing is lost, its ports go on. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldLoseNothingInTheFabricWhenAnAdapterIsRogue(final int workers) {
        final FlowSet flows = pairs();
        for (int host = 0; host < 64; host++) {
            flows.add(64 + host, host, 20 + (host + 1) % 4, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        try (StardustEngine engine = engine(fabric(false, 1), flows, workers, new Fault.Rogue(1000, 5))) {
            engine.advance(1000);
            assertEquals(0, engine.count(NicCounter.PAUSES));
            engine.advance(6000);
            engine.checkConserved();
            for (final NicCounter drop : NicCounter.DROPS) {
                assertEquals(0, engine.count(drop), drop.name());
            }
            assertTrue(engine.count(NicCounter.PAUSES) > 0);
            double rate = 0;
            for (int port = 20; port < 24; port++) {
                rate += engine.bytesTo(port) / PORT_BYTES / 7000;
            }
            assertTrue(rate > 0.9 * 4, "rate=" + rate);
        }
    }

    /** The host of one port takes nothing for a while: only what goes there waits, and it goes on at once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldHoldOnlyWhatGoesToAPortThatIsStopped(final int workers) {
        final int stopped = 4000;
        try (StardustEngine engine = engine(fabric(false, 4), pairs(), workers, new Fault.HostPort(1000, 21, false),
            new Fault.HostPort(1000 + stopped, 21, true))) {
            engine.advance(1000);
            long[] before = taken(engine);
            engine.advance(stopped);
            for (int host = 0; host < 64; host++) {
                final double rate = (engine.bytesTo(host) - before[host]) / PORT_BYTES / stopped;
                // Up to the high mark and what was under way goes into the port.
                assertTrue(host == 21 ? rate < 0.15 : rate > 0.98, "host=" + host + " rate=" + rate);
            }
            assertTrue(engine.maxHeldAt(21) < 100_000, "bytes=" + engine.maxHeldAt(21));
            engine.advance(1000);
            before = taken(engine);
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

    private static long[] taken(final StardustEngine engine) {
        final long[] taken = new long[64];
        for (int host = 0; host < 64; host++) {
            taken[host] = engine.bytesTo(host);
        }
        return taken;
    }

    /** Every host sends without end to the one 21 further on. */
    private static FlowSet pairs() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    private static Stardust fabric(final boolean byBacklog, final int linkSlots) {
        final Credits credits = new Credits(2048, 1.02 * PORT_BYTES, 0, 0, 1, true);
        return new Stardust(Fabrics.full(Fabrics.SMALL), linkSlots, new HostSide(4, 4, 1, PORT_BYTES, 1 << 16, 1 << 15,
            false), new CellCut(1500, 256, true, Packing.CONTINUOUS),
            byBacklog ? credits.with(credits.voqs().sizedByBacklog()) : credits, LinkRules.USUAL, true, 7);
    }

    private static StardustEngine engine(final Stardust fabric, final FlowSet flows, final int workers,
        final Fault... faults) {
        return new StardustEngine(fabric, flows, new Faults(new FaultPlan(List.of(faults)), 3), HEALING, workers,
            false);
    }
}
