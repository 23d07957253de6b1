package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.lockStep;
import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Runs of the shipped assembly: schedule, determinism, limits and failure, and the memory that it takes. */
final class LockStepTest {
    private static final int WINDOW = 8;
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 3) * 20;
    private static final int FLOWS = 6;
    private static final int OFFERS = 12;
    private static final long MOST_GAP = 2000;

    /**
     * docs/spec/shale.md §2.3: node 0 of N=9, h=2, P=0; worked out by hand, one completion slot for each first two
     * hops.
     */
    @Test
    void shouldFollowTheWorkedExample() {
        // 0 sends in slot 0 to 1. Spray in slot 2 to 4 (then direct 4->5 in slot 4, 5->8 in slot 6)
        // or in slot 3 to 7 (7->8 in slot 4: only digit 0 differs).
        final TreeSet<Long> seen = new TreeSet<>();
        for (long seed = 0; seed < 10; seed++) {
            for (final MechanismSet control : Controls.ALL) {
                final FlowSet flows = new FlowSet();
                flows.add(1, 0, 8, 244, 1, 0);
                final Outcome outcome = lockStep(shale(2, 3, control, 0, seed), flows, 1, true, 0);
                assertEquals(1, outcome.completed().length);
                assertEquals(outcome.completedIn()[0] + 1, outcome.slots(), "FCT of the only flow");
                seen.add(outcome.slots());
            }
        }
        assertEquals(new TreeSet<>(List.of(5L, 7L)), seen);
    }

    /**
     * docs/spec/shale.md §3: the worst FCT of one cell without queues, over starts, pairs and spraying. For h=4, r=2
     * the table's 70 is seven waits of 9 slots and P + 1: all eight hops made, which at r=2 leads back to the source.
     * With one phase skipped it is five waits of 9, one of 10 and P + 1.
     */
    @ParameterizedTest
    @CsvSource({"1, 9, 0, 9", "1, 9, 8, 25", "2, 3, 0, 8", "2, 3, 4, 24", "2, 3, 6, 37", "2, 4, 0, 12", "2, 4, 6, 36",
        "4, 2, 6, 62"})
    void shouldHaveTheWorstLatencyOfTheSpec(final int h, final int r, final int propagation, final long latency) {
        long worst = 0;
        for (long seed = 0; seed < 8; seed++) {
            final Shale shale = shale(h, r, Mechanisms.NONE, propagation, seed);
            for (int start = 0; start < shale.schedule().epochSlots(); start++) {
                for (int to = 1; to < shale.nodes(); to++) {
                    final FlowSet flows = new FlowSet();
                    flows.add(1, 0, to, 244, 1, start);
                    worst = Math.max(worst, lockStep(shale, flows, 1, false, 0).completedIn()[0] + 1 - start);
                }
            }
        }
        assertEquals(latency, worst);
    }

    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 17})
    void shouldNotDependOnWorkersOrOnChecks(final int propagation) {
        checkSame(propagation);
    }

    @Tag("long")
    @Test
    void shouldNotDependOnWorkersOrOnChecksOverLongLinks() {
        checkSame(89);
    }

    private static void checkSame(final int propagation) {
        final Shale shale = shale(2, 8, Mechanisms.HBH_SPRAY, propagation, 3);
        final FlowSet flows = Flows.random(3, 64, 200, 200, 30);
        final Outcome one = lockStep(shale, flows, 1, false, 0);
        assertEquals(flows.size(), one.completed().length);
        for (final int workers : new int[] {1, 2, 3, 5}) {
            same(one, lockStep(shale, flows, workers, false, 0), "workers=" + workers);
        }
        same(one, lockStep(shale, flows, 1, true, 0), "check");
        same(one, lockStep(shale, flows, 3, true, 0), "check, workers=3");
        final Outcome other = lockStep(shale(2, 8, Mechanisms.HBH_SPRAY, propagation, 4), flows, 2, false, 0);
        assertNotEquals(one.digest(), other.digest(), "another seed sprays otherwise");
        assertEquals(one.count(NicCounter.CELLS_DELIVERED), other.count(NicCounter.CELLS_DELIVERED));
    }

    /** Banks of other numbers of workers learn of flows in the same slot; with a check they meet more often. */
    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 40})
    void shouldShareRatesWithAnyWorkers(final int propagation) {
        shareRates(propagation, 100);
    }

    @Tag("long")
    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 7, 40})
    void shouldShareRatesOfManyFlowsWithAnyWorkers(final int propagation) {
        shareRates(propagation, 400);
    }

    private static void shareRates(final int propagation, final int many) {
        for (final String label : List.of("isd", "isd+spray-short", "isd+hbh+spray-short", "isd+priority")) {
            final Shale shale = shale(2, 8, Mechanisms.of(label), propagation, 3);
            final FlowSet flows = Flows.random(5, 64, many, 200, 30);
            final Outcome one = lockStep(shale, flows, 1, false, 0);
            assertEquals(flows.size(), one.completed().length, label);
            for (final int workers : new int[] {2, 3, 5}) {
                same(one, lockStep(shale, flows, workers, false, 0), label + " workers=" + workers);
            }
            same(one, lockStep(shale, flows, 1, true, 0), label + " check");
            same(one, lockStep(shale, flows, 3, true, 0), label + " check, workers=3");
        }
    }

    @Test
    void shouldUseNoMoreWorkersThanNodes() {
        final FlowSet flows = Flows.random(1, 4, 10, 20, 5);
        same(lockStep(shale(2, 2, Mechanisms.HBH, 0, 1), flows, 1, true, 0),
            lockStep(shale(2, 2, Mechanisms.HBH, 0, 1), flows, 9, true, 0), "9 workers on 4 nodes");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 13})
    void shouldStopAtItsSlotLimitOnceWhatIsInFlightHasArrived(final int propagation) {
        final FlowSet flows = Flows.endless(16, 5);
        final Shale shale = shale(2, 4, Mechanisms.HBH_SPRAY, propagation, 1);
        final Outcome one = lockStep(shale, flows, 1, false, 100);
        same(one, lockStep(shale, flows, 3, true, 100), "checked");
        assertEquals(100, one.slots());
        assertEquals(0, one.completed().length);
        assertTrue(one.count(NicCounter.CELLS_DELIVERED) > 0);
        assertEquals(one.count(NicCounter.CELLS_INJECTED), one.count(NicCounter.CELLS_DELIVERED) + one.cellsHeld());
    }

    /** The watch is asked after every slot that is checked, else once in 16 without a delay, else once in a delay. */
    @ParameterizedTest
    @CsvSource({"0, true, 50", "0, false, 64", "1, false, 50", "20, false, 60", "20, true, 50"})
    void shouldStopWhenItsWatchSaysSo(final int propagation, final boolean check, final long stop) {
        final Shale shale = shale(2, 4, Mechanisms.NONE, propagation, 1);
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 5, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        for (int workers = 1; workers < 4; workers++) {
            try (LockStep fabric = new LockStep(Parts.of(shale), flows, workers, check)) {
                fabric.run(0, (slot, delivered, completed) -> slot < 50);
                assertEquals(stop, fabric.outcome().slots(), "workers=" + workers);
            }
        }
    }

    private static Shale shale(final int h, final int r, final MechanismSet control, final int propagation,
        final long seed) {
        return Parts.shale(h, r, control, 1, propagation, seed);
    }

    /** A run in which workers go and come all the time has the result of one worker. */
    @Timeout(300)
    @Sampled(2)
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 30})
    void shouldNotDependOnWhenTheFirstWorkerIsAlone(final int propagation) {
        for (final FabricParts parts : List.of(
            Parts.of(Parts.shale(2, 8, Mechanisms.HBH_SPRAY, 2, propagation, 5)),
            Parts.of(Parts.shoal(64, 2, propagation)))) {
            final FlowSet flows = Flows.random(5, 64, 150, 100, 20);
            for (final boolean check : new boolean[] {false, true}) {
                final Outcome one = runAlone(parts, flows, 1, check, 0);
                for (int seed = 1; seed <= 2; seed++) {
                    same(one, runAlone(parts, flows, 1 + seed, check, seed),
                        parts.fabric() + " workers=" + (1 + seed) + " check=" + check + " seed=" + seed);
                }
            }
        }
    }

    private static Outcome runAlone(final FabricParts parts, final FlowSet flows, final int workers,
        final boolean check, final int seed) {
        try (LockStep engine = new LockStep(parts, new Traffic(flows, Faults.NONE), workers, Idle.SPIN, check,
            LockStepWorkersTest.jumpingClock(seed))) {
            final long[] last = new long[2];
            engine.run(0, (slot, delivered, completed) -> {
                assertTrue(delivered >= last[0] && completed >= last[1], "slot=" + slot + " seed=" + seed);
                last[0] = delivered;
                last[1] = completed;
                return true;
            });
            assertEquals(workers > 1, engine.aloneNs() > 0, parts.fabric() + " seed=" + seed);
            return engine.outcome();
        }
    }

    /** Rates of ISD lie on the heap, and of token mechanisms what marks the active buckets of a small fabric. */
    @ParameterizedTest
    @CsvSource({"1, 16", "2, 4", "2, 8", "4, 3"})
    void shouldTakeWhatItSays(final int h, final int r) {
        for (final Faults faults : List.of(Faults.NONE, Scripts.of(new Fault.Node(100, 3, false)))) {
            final long marks = onHeap(Parts.of(Parts.shale(h, r, Mechanisms.HBH, 2, 5, 3)), faults);
            for (final MechanismSet control : Controls.ALL) {
                final Shale shale = Parts.shale(h, r, control, 2, 5, 3);
                assertEquals((control.label().contains("hbh") ? marks : 0)
                    + (control.label().contains("isd") ? (long) shale.nodes() * Double.BYTES : 0),
                    onHeap(Parts.of(shale), faults), shale + " faults=" + faults);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 1", "16, 1", "16, 2", "70, 1"})
    void shouldTakeWhatItSaysWithOneFlowANode(final int nodes, final int channels) {
        final FabricParts parts = Parts.of(Parts.shoal(nodes, channels, 3));
        for (final Faults faults : List.of(Faults.NONE, Scripts.of(new Fault.Node(100, 3, false)))) {
            assertEquals(0, onHeap(parts, faults), "nodes=" + nodes + " channels=" + channels + " faults=" + faults);
        }
    }

    /** What the fabric says, with a flow from every node, less what it takes off the heap. */
    private static long onHeap(final FabricParts parts, final Faults faults) {
        final int nodes = parts.fabric().nodes();
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < nodes; node++) {
            flows.add(node, node, (node + 1) % nodes, 2440, 10, node);
        }
        final Traffic traffic = new Traffic(flows, faults);
        try (Assembly assembly = new Assembly(new CountedArena(), parts, traffic, Assembly.shares(parts.fabric(), 1),
            WINDOW, (bank, link) -> parts.scheduled(link), false)) {
            return Assembly.bytes(parts, traffic, WINDOW) - assembly.arena.bytes();
        }
    }

    /** Cells from outside, after gaps of any length, leave an idle fabric in the slot that a busy one gives them. */
    @Test
    void shouldTakeCellsInTheSameSlotsAsAFabricThatIsStepped() {
        long delivered = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final CircuitFabric fabric = random.nextInt(3) == 0 ? shale(random) : shoal(random);
            final Plan plan = Plan.of(random, fabric);
            final Outcome stepped = run(fabric, plan, 1, true);
            for (int workers = 1; workers <= 2; workers++) {
                Outcomes.same(stepped, run(fabric, plan, workers, false), "seed=" + seed + " workers=" + workers + " "
                    + fabric);
            }
            assertEquals(plan.total(), stepped.count(NicCounter.CELLS_DELIVERED) + stepped.cellsHeld(), "seed=" + seed);
            delivered += stepped.count(NicCounter.CELLS_DELIVERED);
        }
        assertTrue(delivered > SEEDS, "delivered=" + delivered);
    }

    private static Shale shale(final SplittableRandom random) {
        final boolean deep = random.nextBoolean();
        return Parts.shale(deep ? 2 : 1, deep ? 3 : 7, random.nextBoolean() ? Mechanisms.HBH_SPRAY : Mechanisms.NONE, 3,
            random.nextInt(20), 5);
    }

    private static Shoal shoal(final SplittableRandom random) {
        final int failed = random.nextInt(6);
        final int nodes = failed + 2 + random.nextInt(8);
        final boolean isRearranged = random.nextInt(3) == 0;
        // It must be shorter than the gap that a rearranged schedule has between the two directions of a pair.
        final int propagation = random.nextInt(isRearranged ? Math.max(1, (nodes - 1) / 2) : 12);
        return Shoal.of(isRearranged ? RoundRobin.rearranged(nodes, 1, propagation)
            : RoundRobin.plain(nodes, 1 + random.nextInt(2)), ReleaseRule.EXACT, random.nextBoolean(), propagation)
            .withFailedNodes(failed);
    }

    private static Outcome run(final CircuitFabric fabric, final Plan plan, final int workers, final boolean check) {
        return Outcomes.run(new LockStep(Parts.of(fabric), new Traffic(plan.flows(), Faults.NONE, plan), workers,
            Idle.SPIN, check), plan.end);
    }

    /** Which cells come when. */
    private static final class Plan implements Edges {
        private final int[][] ends;
        private final int[] flow = new int[OFFERS];
        private final int[] cells = new int[OFFERS];
        private final long[] slot = new long[OFFERS];
        private long end;

        private Plan(final int[][] ends) {
            this.ends = ends;
        }

        static Plan of(final SplittableRandom random, final CircuitFabric fabric) {
            final int failed = fabric instanceof final Shoal shoal ? shoal.failedNodes() : 0;
            final int up = fabric.nodes() - failed;
            final int[][] ends = new int[FLOWS][];
            Arrays.setAll(ends, i -> {
                final int from = random.nextInt(up);
                return new int[] {failed + from, failed + (from + 1 + random.nextInt(up - 1)) % up};
            });
            final Plan plan = new Plan(ends);
            for (int i = 0; i < OFFERS; i++) {
                plan.flow[i] = random.nextInt(FLOWS);
                plan.cells[i] = 1 + random.nextInt(4);
                plan.end += random.nextInt(3) == 0 ? random.nextInt(3)
                    : (long) Math.exp(random.nextDouble() * Math.log(MOST_GAP));
                plan.slot[i] = plan.end;
            }
            plan.end += 1 + random.nextInt(1000);
            return plan;
        }

        FlowSet flows() {
            final FlowSet flows = new FlowSet();
            for (int i = 0; i < FLOWS; i++) {
                flows.addOnDemand(i, ends[i][0], ends[i][1]);
            }
            return flows;
        }

        long total() {
            return Arrays.stream(cells).asLongStream().sum();
        }

        @Override
        public CellEdge[] cellEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges,
            final boolean byName) {
            return Arrays.stream(ranges).map(Cells::new).toArray(CellEdge[]::new);
        }

        @Override
        public PacketEdge[] packetEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
            throw new UnsupportedOperationException("a circuit fabric takes cells");
        }

        private final class Cells implements CellEdge {
            private final NodeRange range;
            private Intake intake;
            private int next;

            Cells(final NodeRange range) {
                this.range = range;
            }

            @Override
            public long inject(final long identity) {
                return identity;
            }

            @Override
            public long deliver(final long cell) {
                return cell;
            }

            @Override
            public long identify(final long cell) {
                return cell;
            }

            @Override
            public void discard(final long cell) {
                throw new AssertionError("nothing is lost");
            }

            @Override
            public void join(final Intake of) {
                intake = of;
            }

            @Override
            public long poll(final long now) {
                for (; next < OFFERS && slot[next] <= now; next++) {
                    assertEquals(slot[next], now, "the fabric went past an offer");
                    final int from = ends[flow[next]][0];
                    if (from >= range.first() && from < range.end()) {
                        intake.offer(flow[next], cells[next], now);
                    }
                }
                return next < OFFERS ? slot[next] : ANY_SLOT;
            }
        }
    }
}
