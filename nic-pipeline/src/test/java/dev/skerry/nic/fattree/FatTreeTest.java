package dev.skerry.nic.fattree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fattree.FatTree.SwitchRules;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Packet switches: times, queues against an obvious model, steady states of their transports, faults, and workers. */
final class FatTreeTest {
    private static final int PACKET = 1000;
    private static final int CELL = 100;
    private static final int LINK = 10;
    private static final Reno RENO = Reno.usual(1000);
    private static final FoldedClosConfig TREE = FatTree.ofPods(16);

    private static SwitchRules droppingAfter(final long bytes) {
        return new SwitchRules(PACKET, bytes, MarkLaw.NONE);
    }

    private static FatTree of(final FoldedClosConfig config, final SwitchRules rules, final Reno hosts,
        final long seed) {
        return new FatTree(new FoldedClos(config), LINK, CELL, CELL, rules, hosts, 50, seed);
    }

    /** Every device sends a packet again when it has all of it; each link takes its delay. */
    @ParameterizedTest
    @CsvSource({"1, 2", "2, 4", "4, 6", "15, 6"})
    void shouldTakeTheTimeOfItsWay(final int to, final int hops) {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, to, 777, 8, 5);
        try (FatTreeEngine engine = new FatTreeEngine(of(TREE, droppingAfter(5000), RENO, 3), flows, Faults.NONE, 1,
            true)) {
            engine.run(0);
            // 777 bytes take 7.77 slots of a link: a device has all of them, and begins, at the end of the eighth.
            assertEquals(5 + hops * (8L + LINK) + 1, engine.completedBefore(0));
            assertEquals(777, engine.receivedOf(0));
            assertEquals(8, engine.count(NicCounter.CELLS_DELIVERED));
        }
    }

    /** A first window that leaves its host in more slots than a packet has bits for where it has a path too. */
    @Test
    void shouldMeasureLongLatencies() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 15, 1_100 * PACKET, 1_100 * PACKET, 5);
        final FatTree fabric = new FatTree(new FoldedClos(TREE), 1_000, 1, 1, droppingAfter(5_000),
            Reno.usual(1 << 24).window(2_000).initial(1_100), 50, 1);
        try (FatTreeEngine engine = new FatTreeEngine(fabric, flows, Faults.NONE, 1, false)) {
            engine.run(1_200_000);
            final long[] longest = {0};
            engine.outcome().latency().forEach((slots, cells) -> longest[0] = slots);
            assertEquals(1_100 * PACKET + 6_000 + 5 * PACKET, longest[0], 0.01 * longest[0]);
        }
    }

    @Test
    void shouldKnowTheShapesOfNetworks() {
        assertEquals(List.of(8, 16), IntStream.rangeClosed(8, 17).filter(n -> FatTree.ofPods(n) != null).boxed()
            .toList());
        final FoldedClos tree = new FoldedClos(FatTree.ofPods(1024));
        assertEquals(1024 + 128 + 128 + 64, tree.devices());
        assertEquals(FoldedClosConfig.largest(16, 1, 3), FatTree.ofPods(1024));
        final FoldedClos leaves = new FoldedClos(FatTree.ofLeaves(64, 8, 2));
        assertEquals(64 + 8 + 1, leaves.devices());
        assertEquals(8 * 2, leaves.links(1));
        assertNull(FatTree.ofLeaves(64, 8, 1));
        assertThrows(IllegalArgumentException.class, () -> droppingAfter(PACKET - 1));
    }

    /** A port as one would write it down: a packet is done when those before it and its own bytes are sent. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldQueueAsTheObviousPortDoes(final long seed) {
        final Random random = new Random(seed);
        final long limit = 1500 + random.nextInt(4000);
        final long mark = 500 + random.nextInt((int) limit - 1400);
        final FatTree fabric = of(TREE, new SwitchRules(PACKET, limit, MarkLaw.above(mark)),
            RENO.with(Congestion.Dctcp.USUAL), seed);
        final BankCounters tally = new BankCounters();
        final List<String> sent = new ArrayList<>();
        final PacketQueues queues = new PacketQueues(fabric, allOf(fabric), tally, (slot, port, first, second) ->
            sent.add(slot + ":" + TcpPacket.number(first) + (TcpPacket.isMarked(first) ? "m" : "")));
        final int port = fabric.clos().firstPort(16);
        final List<String> expected = new ArrayList<>();
        long doneAt = 0;
        int dropped = 0;
        for (int slot = 0; slot < 3000; slot++) {
            queues.turn(slot);
            for (int i = random.nextInt(4) == 0 ? random.nextInt(4) : 0; i > 0; i--) {
                final boolean isAck = random.nextInt(3) == 0;
                final int bytes = isAck ? 40 : 64 + random.nextInt(PACKET - 63);
                final long waits = Math.max(0, doneAt - slot * CELL);
                final boolean fits = waits + bytes <= limit;
                final long first = isAck ? TcpPacket.ack(0, slot) : TcpPacket.segment(0, slot);
                assertEquals(fits, queues.join(slot, port, first, PacketWord.of(isAck ? PacketWord.ACK
                    : PacketWord.SEGMENT, bytes, 0, slot)), "slot=" + slot);
                if (fits) {
                    doneAt = Math.max(doneAt, slot * CELL) + bytes;
                    expected.add(Math.ceilDiv(doneAt, CELL) + LINK + ":" + slot + (!isAck && waits > mark ? "m" : ""));
                }
                dropped += fits ? 0 : 1;
            }
        }
        IntStream.range(3000, 3400).forEach(queues::turn);
        assertEquals(expected, sent);
        assertTrue(queues.isEmpty());
        assertTrue(dropped > 10 && tally.count(NicCounter.PACKETS_MARKED) > 10, "dropped=" + dropped);
    }

    private static boolean[] allOf(final FatTree fabric) {
        final boolean[] all = new boolean[fabric.clos().devices()];
        Arrays.fill(all, true);
        return all;
    }

    /** A switch that pauses links: what it holds of one is what came less what left, and says so at its marks. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldPauseAsTheObviousSwitchDoes(final long seed) {
        final Random random = new Random(seed);
        final long mark = 2000 + random.nextInt(2000);
        final FatTree fabric = of(TREE, new SwitchRules(PACKET, PACKET, MarkLaw.NONE, mark), RENO, seed);
        final FoldedClos clos = fabric.clos();
        final Deque<Integer> inside = new ArrayDeque<>();
        final long[] held = new long[1];
        final boolean[] isPaused = new boolean[1];
        final PacketQueues[] queues = new PacketQueues[1];
        queues[0] = new PacketQueues(fabric, allOf(fabric), new BankCounters(), (slot, port, first, second) -> {
            final int kind = PacketWord.kind(second);
            if (kind == PacketWord.PAUSE || kind == PacketWord.RESUME) {
                assertEquals(clos.peer(clos.firstPort(16)), port);
                assertEquals(isPaused[0], kind == PacketWord.RESUME);
                isPaused[0] = kind == PacketWord.PAUSE;
            }
        });
        final int from = 0;
        final int to = clos.firstPort(16) + 1;
        long busyUntil = 0;
        int pauses = 0;
        for (int slot = 0; slot < 4000; slot++) {
            queues[0].turn(slot);
            for (; !inside.isEmpty() && busyUntil <= slot * (long) CELL; ) {
                held[0] -= inside.poll();
                busyUntil += inside.isEmpty() ? 0 : inside.peek();
            }
            assertEquals(isPaused[0], isPaused[0] ? held[0] > mark - 2 * PACKET : held[0] > mark, "slot=" + slot);
            if (!isPaused[0] && random.nextInt(6) == 0) {
                final int bytes = 64 + random.nextInt(PACKET - 63);
                busyUntil = inside.isEmpty() ? slot * (long) CELL + bytes : busyUntil;
                inside.add(bytes);
                held[0] += bytes;
                assertTrue(queues[0].join(slot, to, TcpPacket.segment(0, slot), PacketWord.cameBy(
                    PacketWord.of(PacketWord.SEGMENT, bytes, 0, slot), from)));
                pauses += isPaused[0] ? 1 : 0;
            }
        }
        assertTrue(pauses > 5, "pauses=" + pauses);
    }

    /** One bank with everything, stepped slot by slot. */
    private static final class Net {
        final FatTree fabric;
        final FatTreeBank bank;
        final FatTreeBank.FatTreeEnds ends;
        long slot;

        Net(final FatTree fabric, final FlowSet flows) {
            this.fabric = fabric;
            this.ends = FatTreeBank.FatTreeEnds.of(Arena.ofAuto(), fabric, flows);
            this.bank = new FatTreeBank(fabric, 0, new int[fabric.clos().devices()],
                new LinkPackets[][] {{new LinkPackets(1 << 12)}}, ends, Faults.NONE);
        }

        void advance(final long slots) {
            for (final long end = slot + slots; slot < end; slot++) {
                bank.step(slot);
            }
        }

        long received() {
            return Arrays.stream(ends.received()).sum();
        }

        long count(final NicCounter counter) {
            return bank.tally.count(counter);
        }
    }

    /** Leaves of one host each under one spine, and slower links between them, of a packet in eight slots. */
    private static FatTree bottleneck(final int leaves, final double times, final SwitchRules rules, final Reno hosts,
        final int linkSlots) {
        return new FatTree(new FoldedClos(FatTree.ofLeaves(leaves, leaves, 1)), linkSlots, (int) (125 * times), 125,
            rules, hosts, 0, 1);
    }

    private static FlowSet endless(final int senders) {
        final FlowSet flows = new FlowSet();
        for (int from = 1; from <= senders; from++) {
            flows.add(from, from, 0, 1L << 40, 1, 0);
        }
        return flows;
    }

    /**
     * DCTCP on one bottleneck against the analysis of its paper (Alizadeh et al., SIGCOMM 2010, §3.3): with a pipe of
     * C·RTT packets and marks above K, a window of W* = C·RTT + K swings by W*·alpha / 2, the queue swings by
     * sqrt((C·RTT + K) / 2), its longest is K + 1, and no rate is lost for K above C·RTT / 7.
     */
    @ParameterizedTest
    @ValueSource(ints = {20, 40, 80})
    void shouldSwingAsThePaperOfDctcpSays(final int mark) {
        final int link = 80;
        final Net net = new Net(bottleneck(2, 4, new SwitchRules(PACKET, 1000L * PACKET,
            MarkLaw.above(mark * (long) PACKET)), new Reno(1000, 2, 1000, 40, 100_000, 0, Congestion.Dctcp.USUAL),
            link), endless(1));
        final int port = net.fabric.clos().firstPort(2 + 1) + 1;
        net.advance(400_000);
        final long before = net.received();
        long most = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20_000; i++) {
            net.advance(8);
            final long queue = net.bank.queues.backlog(net.slot, port) / PACKET;
            most = Math.max(most, queue);
            least = Math.min(least, queue);
        }
        final double pipe = (8 * link + 2 + 8 + 8 + 2 + 4) / 8.0;
        final double swing = Math.sqrt((pipe + mark) / 2);
        final String what = "most=" + most + " least=" + least + " swing=" + swing;
        assertTrue((net.received() - before) / (20_000.0 * PACKET) > 0.995, what);
        assertTrue(most >= mark && most <= mark + 4 && least > 0, what);
        assertTrue(most - least > 0.6 * swing && most - least < 1.6 * swing + 2, what);
        assertEquals(0, net.count(NicCounter.TIMEOUTS));
    }

    /**
     * DCQCN on a bottleneck of 40 Gb/s against its law of rest: p is where additive increase brings between two
     * notifications what these take away, and the queue is where RED marks p (docs/spec/stardust.md §10, row 14).
     */
    @ParameterizedTest
    @CsvSource({"2, 0.01", "4, 0.01", "8, 0.05"})
    void shouldRestWhereTheLawOfDcqcnDoes(final int senders, final double most) {
        final Congestion.Dcqcn law = Congestion.Dcqcn.usual(25);
        final MarkLaw red = new MarkLaw(5000, 200_000, most);
        final Net net = new Net(bottleneck(senders + 2, 1, new SwitchRules(PACKET, PACKET, red, 400L * PACKET),
            new Reno(1000, 2, 1000, 40, 1 << 22, 0, law), 10), endless(senders));
        final int port = net.fabric.clos().firstPort(2 * (senders + 2));
        net.advance(60L * 40_000);
        final long marked = net.count(NicCounter.PACKETS_MARKED);
        final long before = net.received();
        double queue = 0;
        final int samples = 60 * 40_000 / 64;
        for (int i = 0; i < samples; i++) {
            net.advance(64);
            queue += (double) net.bank.queues.backlog(net.slot, port) / samples;
        }
        final double packets = (net.received() - before) / (double) PACKET;
        final double p = (net.count(NicCounter.PACKETS_MARKED) - marked) / packets;
        final double model = rest(law, 1 / 8.0 / senders);
        final double rests = red.from() + model / most * (red.to() - red.from());
        final String what = "p=" + p + " model=" + model + " queue=" + queue + " model=" + rests;
        assertTrue(packets * 8 / samples / 64 > 0.98, what);
        assertEquals(model, p, 0.25 * model, what);
        assertEquals(rests, queue, 0.3 * rests, what);
        assertEquals(0, net.bank.tally.dropped() + net.count(NicCounter.TIMEOUTS), what);
    }

    /** Where what the target gains between notifications is what they take: bisected over p. */
    private static double rest(final Congestion.Dcqcn law, final double rate) {
        double low = 1e-6;
        double high = 0.5;
        for (int i = 0; i < 60; i++) {
            final double p = Math.sqrt(low * high);
            double periods = 0;
            double gap = 1;
            double added = 0;
            for (int k = 1; k < 100_000; k++) {
                final double reaches = Math.exp(-p * rate * Math.max(0, (double) k * law.periodSlots()
                    - law.cnpSlots()));
                periods += reaches;
                gap -= reaches * Math.pow(0.5, k);
                added += k >= law.steps() ? reaches * (1 - Math.pow(0.5, k - law.steps() + 1.0)) : 0;
            }
            final boolean gains = law.addBytes() / PACKET * added > rate * gap / 2 / (1 + periods);
            low = gains ? p : low;
            high = gains ? high : p;
        }
        return low;
    }

    /** A random network with random hosts and flows, perhaps faults and flows that wait for others. */
    private record Drawn(FatTree fabric, FlowSet flows, Faults faults) {
        static Drawn of(final long seed) {
            final Random random = new Random(seed);
            final FoldedClosConfig[] configs = {TREE, FatTree.ofPods(8), FatTree.ofPods(18),
                FatTree.ofLeaves(12, 3, 4), FatTree.ofLeaves(16, 4, 2)};
            final Congestion[] controls = {Congestion.NEW_RENO, Congestion.Dctcp.USUAL, new Congestion.Mptcp(3),
                new Congestion.Dcqcn(100, 100, 1 << 14, 6, 3, 1, 10), new Congestion.Ndp()};
            final Congestion control = controls[random.nextInt(5)];
            final boolean pauses = control instanceof Congestion.Dcqcn
                || !(control instanceof Congestion.Ndp) && random.nextInt(4) == 0;
            final MarkLaw marks = !control.readsMarks() ? MarkLaw.NONE : random.nextBoolean() ? MarkLaw.above(1500)
                : new MarkLaw(500, 4000, 0.3);
            final FatTree fabric = new FatTree(new FoldedClos(configs[random.nextInt(configs.length)]),
                1 + random.nextInt(12), 64, random.nextBoolean() ? 64 : 40,
                new SwitchRules(300 + random.nextInt(700), 2000 + random.nextInt(4000), marks,
                pauses ? 2000 + random.nextInt(3000) : Long.MAX_VALUE), new Reno(32, 1 + random.nextInt(10), 100, 40,
                500 + random.nextInt(500), 0, control), random.nextInt(300), seed);
            final FlowSet flows = new FlowSet();
            final int count = 2 + random.nextInt(40);
            final boolean incast = random.nextInt(3) == 0;
            long start = 0;
            for (int flow = 0; flow < count; flow++) {
                final int to = incast ? 0 : random.nextInt(fabric.nodes());
                final int from = (to + 1 + random.nextInt(fabric.nodes() - 1)) % fabric.nodes();
                final int bytes = 1 + random.nextInt(random.nextInt(4) == 0 ? 30_000 : 3000);
                start += random.nextInt(3) == 0 ? random.nextInt(2000) : random.nextInt(20);
                flows.add(flow, from, to, bytes, (bytes - 1) / 64 + 1, start);
            }
            if (random.nextInt(3) == 0) {
                final int[] even = IntStream.range(0, count / 2).map(pair -> 2 * pair).toArray();
                flows.setWaits(new FlowWaits(even, Arrays.stream(even).map(flow -> flow + 1).toArray(), even.length,
                    new long[count], 0));
            }
            return new Drawn(fabric, flows, random.nextBoolean() ? Faults.NONE : faults(random, fabric.clos(), start));
        }

        private static Faults faults(final Random random, final FoldedClos clos, final long last) {
            final List<Fault> faults = new ArrayList<>();
            final int node = random.nextInt(clos.devices());
            final long at = random.nextLong(last + 500);
            faults.add(new Fault.Node(at, node, false));
            faults.add(new Fault.Node(at + 1 + random.nextInt(3000), node, true));
            final int port = random.nextInt(clos.ports());
            if (clos.peer(port) != FoldedClos.NONE) {
                faults.add(new Fault.Link(at / 2, clos.deviceOf(port), clos.deviceOf(clos.peer(port)), false));
                faults.add(new Fault.Link(at / 2 + 2000, clos.deviceOf(port), clos.deviceOf(clos.peer(port)), true));
            }
            faults.add(new Fault.Corruption(random.nextInt(500), random.nextInt(3) * 0.01));
            return new Faults(new FaultPlan(faults), 1);
        }

        Outcome run(final int workers, final boolean check) {
            try (FatTreeEngine engine = new FatTreeEngine(fabric, flows, faults, workers, check)) {
                engine.run(0);
                return engine.outcome();
            }
        }
    }

    private static String text(final Outcome of) {
        return of.slots() + " " + of.digest() + " " + Arrays.toString(of.counts()) + Arrays.toString(of.completedIn())
            + of.cellsHeld() + Arrays.toString(of.nodes().queueLength()) + Arrays.toString(of.timeline().cells())
            + of.firstDrop() + of.maxReorder();
    }

    /** All flows end, whatever is lost; and the result depends neither on workers nor on a stop in between. */
    @Sampled(2)
    @ParameterizedTest
    @ValueSource(longs = {1, 13, 25, 37})
    void shouldHaveOneResult(final long first, @TempDir final Path folder) throws IOException {
        long dropped = 0;
        for (long seed = first; seed < first + 12; seed++) {
            final Drawn drawn = Drawn.of(seed);
            final Outcome one = drawn.run(1, true);
            assertEquals(drawn.flows.size(), one.completed().length, "seed=" + seed);
            dropped += one.dropped();
            for (final int workers : new int[] {2, 3, 7}) {
                assertEquals(text(one), text(drawn.run(workers, false)), "seed=" + seed + " workers=" + workers);
            }
            final Path file = folder.resolve("state");
            try (FatTreeEngine engine = new FatTreeEngine(drawn.fabric, drawn.flows, drawn.faults, 2, false)) {
                final long stop = one.slots() / 2;
                engine.run(0, (slot, delivered, completed) -> slot < stop);
                engine.state().save(file, "");
            }
            try (FatTreeEngine engine = new FatTreeEngine(drawn.fabric, drawn.flows, drawn.faults, 2, false)) {
                engine.state().restore(Checkpoint.open(file));
                engine.run(0);
                assertEquals(text(one), text(engine.outcome()), "resumed, seed=" + seed);
            }
        }
        assertTrue(dropped > 100, "dropped=" + dropped);
    }

    /** A leaf goes round a link that is down at once, others once they have heard of it. */
    @Test
    void shouldGoRoundWhatFails() {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < 400; flow++) {
            flows.add(flow, flow % 2, 14 + flow / 2 % 2, 900, 9, flow * 12L);
        }
        final FoldedClos clos = new FoldedClos(TREE);
        final int lastAgg = clos.tierStart(3) - 1;
        final int lastLeaf = clos.tierStart(2) - 1;
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Link(1000, lastAgg, lastLeaf, false))), 1);
        try (FatTreeEngine engine = new FatTreeEngine(of(TREE, droppingAfter(50_000), RENO, 1), flows, faults, 1,
            true)) {
            engine.run(0);
            final long lost = engine.count(NicCounter.DROPPED_NO_ROUTE) + engine.count(NicCounter.DROPPED_ON_WAY);
            assertEquals(400, engine.count(NicCounter.FLOWS_COMPLETED));
            assertTrue(lost > 0 && lost < 20 * 9, "the news takes 50 slots and packets on the way are lost: " + lost);
            assertEquals(0, engine.count(NicCounter.DROPPED_TAIL));
        }
    }

    /** A sender repeats its segments for ever; the run does not. */
    @Test
    void shouldEndWhereNothingCanCome() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 9, 900, 9, 10);
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Node(0, 9, false))), 1);
        try (FatTreeEngine engine = new FatTreeEngine(of(TREE, droppingAfter(5000), RENO, 1), flows, faults, 2,
            false)) {
            engine.run(0);
            assertEquals(0, engine.count(NicCounter.FLOWS_COMPLETED));
            assertTrue(engine.count(NicCounter.DROPPED_NO_ROUTE) > 9);
        }
    }
}
