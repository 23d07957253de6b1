package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.EngineContractTest.EngineKind;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalParts;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustMember;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.reference.ReferenceShale;
import dev.skerry.reference.ReferenceShoal;
import dev.skerry.reference.ReferenceStardust;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.together.MemberRuns;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Flows that wait for others start in the same slot whatever runs the fabric, and when the rule says. */
@Timeout(600)
final class WaitingFlowsTest {
    private static final int RING = 16;
    private static final int STEPS = 30;
    private static final List<Fabric> FABRICS = List.of(EngineKind.SHALE_LOCKSTEP.fabric,
        EngineKind.SHALE_LOCKSTEP_NO_DELAY.fabric, shale(1), shale(2), EngineKind.SHOAL_LOCKSTEP_3.fabric,
        Parts.shoal(8, 1, 0), stardust(HostModel.IDEAL), stardust(HostModel.PACED), stardust(Reno.usual(400)),
        FreeRunningTest.fabric(16, "4,2", "2,1", 7, "hbh+spray", 0, 1, FailureRules.PAPER));
    /** Those for which there is a reference engine come first. */
    private static final int REFERENCES = 7;

    @TempDir
    private Path folder;

    private static Shale shale(final int propagation) {
        return Parts.shale(2, 4, Mechanisms.HBH_SPRAY, 1, propagation, 1);
    }

    private static Stardust stardust(final HostModel hosts) {
        return new Stardust(Deployment.full(new FoldedClos(new FoldedClosConfig(8, 4, 1, 4, 4, List.of(4)))), 3,
            new HostSide(2, 2, 1, 460, 1 << 16, 1 << 15, hosts), new CellCut(1500, 256, true, Packing.CONTINUOUS),
            new Credits(4096, 470, 0, 0, 1, true), LinkRules.USUAL, true, 7);
    }

    /** Each row three graphs of one fabric; every fourth row has each of the fabrics once. */
    @Sampled(4)
    @ParameterizedTest
    @MethodSource("graphs")
    void shouldRunRandomGraphsAlikeOnAllEngines(final int row) throws IOException {
        final int which = row / 4;
        final Fabric fabric = FABRICS.get(which);
        for (long seed = row; seed < 120; seed += 40) {
            final String where = fabric.getClass().getSimpleName() + " P=" + fabric.propagationSlots() + " seed="
                + seed;
            final FlowSet flows = random(seed, fabric, -1);
            final Outcome expected = Outcomes.run(lockStep(fabric, flows, Faults.NONE, 1, false), 0);
            assertEquals(flows.size(), expected.completed().length, where);
            if (which < REFERENCES) {
                Outcomes.sameAsReference(Outcomes.run(reference(fabric, flows), 0), fabric instanceof final Shoal shoal
                    ? Outcomes.run(new LockStep(new ShoalParts(shoal, true), flows, 1, false), 0) : expected,
                    where + " reference");
            }
            Outcomes.same(expected, Outcomes.run(lockStep(fabric, flows, Faults.NONE, 3, false), 0), where + " 3");
            Outcomes.same(expected, Outcomes.run(lockStep(fabric, flows, Faults.NONE, 2, true), 0), where + " check");
            Outcomes.same(expected, Outcomes.run(threads(fabric, flows, Faults.NONE), 0), where + " threads");
            for (final Outcome member : MemberRuns.of(3,
                exchange -> Outcomes.run(member(fabric, flows, Faults.NONE, exchange), 0))) {
                Outcomes.same(expected, member, where + " members");
            }
            Outcomes.same(expected, resumed(lockStep(fabric, flows, Faults.NONE, 2, false),
                lockStep(fabric, flows, Faults.NONE, 2, false), expected.slots() / 3), where + " resumed");
            Outcomes.same(expected, resumed(threads(fabric, flows, Faults.NONE), threads(fabric, flows, Faults.NONE),
                expected.slots() / 2), where + " threads resumed");
            final long limit = expected.slots() / 2;
            Outcomes.same(Outcomes.run(lockStep(fabric, flows, Faults.NONE, 1, false), limit),
                Outcomes.run(threads(fabric, flows, Faults.NONE), limit), where + " limit=" + limit);
            sameAsIfKnown(fabric, flows, expected, where);
        }
    }

    static IntStream graphs() {
        return IntStream.range(0, 40);
    }

    /** The same flows, with the starts that came about as the starts of flows that wait for none. */
    private static void sameAsIfKnown(final Fabric fabric, final FlowSet flows, final Outcome waited,
        final String where) {
        final FlowSet started = flows.started(waited.completed(), waited.completedIn(), fabric.noticeSlots());
        final FlowSet known = new FlowSet();
        IntStream.range(0, flows.size()).boxed().sorted(Comparator.comparingLong(started::startSlot))
            .forEach(flow -> {
                known.add(flows.id(flow), flows.source(flow), flows.destination(flow), flows.bytes(flow),
                    flows.cells(flow), started.startSlot(flow));
                known.setClass(flows.trafficClass(flow));
            });
        final Outcome outcome = Outcomes.run(lockStep(fabric, known, Faults.NONE, 1, false), 0);
        assertArrayEquals(endsById(flows, waited), endsById(known, outcome), where + " known");
    }

    private static long[] endsById(final FlowSet flows, final Outcome outcome) {
        final long[] ends = new long[flows.size()];
        for (int i = 0; i < outcome.completed().length; i++) {
            ends[(int) flows.id(outcome.completed()[i])] = outcome.completedIn()[i];
        }
        return ends;
    }

    /** A chain of flows, of which there is never more than one: each takes as long as it would in a new fabric. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void shouldTakeAsLongAsItsStepsInAnEmptyFabric(final int which) {
        final Fabric fabric = FABRICS.get(which);
        final int nodes = fabric.population().endpoints();
        final FlowSet flows = new FlowSet();
        final int[] before = IntStream.range(0, STEPS).toArray();
        final int[] after = IntStream.rangeClosed(1, STEPS).toArray();
        for (int step = 0; step <= STEPS; step++) {
            flows.add(step, step % nodes, (step + 1) % nodes, 244L * 40, 40, 0);
        }
        // Until all tokens and reports are back.
        final long delay = 2000;
        final long[] delays = new long[STEPS + 1];
        Arrays.fill(delays, delay);
        flows.setWaits(new FlowWaits(before, after, STEPS, delays, 0));
        long slot = 0;
        final long[] ends = new long[STEPS + 1];
        for (int step = 0; step <= STEPS; step++) {
            final FlowSet alone = new FlowSet();
            alone.add(step, step % nodes, (step + 1) % nodes, 244L * 40, 40, slot);
            ends[step] = Outcomes.run(lockStep(fabric, alone, Faults.NONE, 1, false), 0).completedIn()[0];
            slot = ends[step] + 1 + delay;
        }
        final Outcome outcome = Outcomes.run(lockStep(fabric, flows, Faults.NONE, 2, false), 0);
        assertArrayEquals(ends, outcome.completedIn(), fabric + Arrays.toString(ends));
    }

    /**
     * Every node sends a sixteenth of 1 MB to the next one as soon as it has that of the step before from the one
     * before it: a step takes at least its cells at the rate of a node and the delay, and no more than if all waited
     * for each other after each step and each flow found queues for as many cells again.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void shouldReduceInARing(final int which) {
        final Fabric fabric = FABRICS.get(which);
        final long bytes = (1 << 20) / RING;
        final double perSlot = fabric instanceof final Stardust stardust ? stardust.hosts().bytesPerSlot() : 244;
        final int cells = (int) Math.ceil(bytes / perSlot);
        final FlowSet flows = ring(bytes, cells);
        final Outcome outcome = Outcomes.run(lockStep(fabric, flows, Faults.NONE, 1, false), 0);
        assertEquals(RING * STEPS, outcome.completed().length);
        final long least = STEPS * (cells + fabric.propagationSlots());
        assertTrue(outcome.slots() >= least, outcome.slots() + " < " + least);
        assertTrue(outcome.slots() <= 8 * least, outcome.slots() + " > 8 * " + least);
        sameAsIfKnown(fabric, flows, outcome, "ring");
        Outcomes.same(outcome, Outcomes.run(threads(fabric, flows, Faults.NONE), 0), "ring");
    }

    private static FlowSet ring(final long bytes, final int cells) {
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < RING * STEPS; flow++) {
            flows.add(flow, flow % RING, (flow + 1) % RING, bytes, cells, 0);
        }
        final int[] after = IntStream.range(RING, RING * STEPS).toArray();
        final int[] before = Arrays.stream(after).map(flow -> flow - RING - (flow % RING == 0 ? 1 - RING : 1))
            .toArray();
        flows.setWaits(new FlowWaits(before, after, after.length, new long[flows.size()], 0));
        return flows;
    }

    /** Node 5 sends nothing and never answers: flows to it are not complete, others wait for ever, and the run ends. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 6})
    void shouldEndWhenFlowsWaitForOnesThatFail(final int which) {
        final Fabric fabric = FABRICS.get(which);
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Node(fabric instanceof Stardust ? 1 : 0, 5,
            false))), 3);
        final FlowSet flows = IntStream.range(0, 99).mapToObj(seed -> random(seed, fabric, 5))
            .filter(some -> IntStream.range(0, some.size()).anyMatch(flow -> some.destination(flow) == 5
                && some.waits().waitingFor(flow).count() > 0)).findFirst().orElseThrow();
        final Outcome expected = Outcomes.run(lockStep(fabric, flows, faults, 1, false), 0);
        assertTrue(expected.count(NicCounter.FLOWS_STARTED) < flows.size(), "all started");
        assertTrue(expected.completed().length > 0, "none is complete");
        Outcomes.same(expected, Outcomes.run(lockStep(fabric, flows, faults, 3, false), 0), "3 workers");
        Outcomes.same(expected, Outcomes.run(threads(fabric, flows, faults), 0), "threads");
    }

    /**
     * A flow waits for two and is never released: one fails, and the other one is complete so shortly before a slot in
     * which a run may end that this is known only later. Each row has every third of 50 slots.
     */
    @Sampled
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "0, 2", "1, 1", "1, 2", "1, 0", "4, 2", "4, 0", "4, 1"})
    void shouldEndInTheSameSlotWhileOneOfTwoIsBeingKnown(final int which, final int from) throws IOException {
        final Fabric fabric = FABRICS.get(which);
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Node(0, 5, false))), 3);
        for (long start = 990 + from; start < 1040; start += 3) {
            final FlowSet flows = new FlowSet();
            flows.add(0, 2, 5, 244, 1, 0);
            flows.add(1, 0, 1, 244, 1, start);
            // Its source is in another bank.
            flows.add(2, fabric.nodes() - 1, 4, 244, 1, start);
            flows.setWaits(new FlowWaits(new int[] {0, 1}, new int[] {2, 2}, 2, new long[3], 0));
            final Outcome expected = Outcomes.run(lockStep(fabric, flows, faults, 1, false), 0);
            assertEquals(1, expected.completed().length, "start=" + start);
            Outcomes.same(expected, Outcomes.run(lockStep(fabric, flows, faults, 3, false), 0), "3 start=" + start);
            Outcomes.same(expected, Outcomes.run(threads(fabric, flows, faults), 0), "threads start=" + start);
            for (final Outcome member : MemberRuns.of(3,
                exchange -> Outcomes.run(member(fabric, flows, faults, exchange), 0))) {
                Outcomes.same(expected, member, "members start=" + start);
            }
        }
    }

    @Test
    void shouldRefuseCycles() {
        final FlowSet flows = Flows.random(1, 16, 5, 10, 3);
        final FlowWaits cycle = new FlowWaits(new int[] {0, 1, 2, 3}, new int[] {1, 2, 3, 1}, 4, new long[5], 0);
        assertEquals("flow 1003 waits for flow 1002 waits for flow 1001 waits for flow 1003",
            assertThrows(IllegalArgumentException.class, () -> flows.setWaits(cycle)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> new FlowWaits(new int[] {0}, new int[] {5}, 1, new long[5],
            0));
        assertThrows(IllegalArgumentException.class, () -> flows.setWaits(new FlowWaits(new int[0], new int[0], 0,
            new long[4], 0)));
    }

    /** Each flow but the first ones of 64 nodes waits for the one before it there. */
    @Test
    void shouldRunAMillionFlows() {
        final Shale shale = Parts.shale(2, 8, Mechanisms.HBH_SPRAY, 1, 7, 1);
        final int count = 1_000_000;
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < count; flow++) {
            flows.add(flow, flow % 64, (flow + 1 + flow / 64 % 63) % 64, 244, 1, 0);
        }
        flows.setWaits(new FlowWaits(IntStream.range(0, count - 64).toArray(), IntStream.range(64, count).toArray(),
            count - 64, new long[count], 0));
        final Outcome outcome = Outcomes.run(lockStep(shale, flows, Faults.NONE, 2, false), 20_000);
        assertTrue(outcome.completed().length > 64 * 100, () -> "completed=" + outcome.completed().length);
        assertEquals(outcome.digest(), Outcomes.run(threads(shale, flows, Faults.NONE), 20_000).digest());
    }

    /**
     * Half of the flows wait for up to three others, near and far, some with a delay, and some for joins, which wait
     * for three flows and for another join; ids are places in the set. One node sends nothing.
     */
    private static FlowSet random(final long seed, final Fabric fabric, final int silent) {
        final Random random = new Random(seed);
        final FlowSet made = Flows.random(seed, fabric.population().endpoints(), 60, 300, 25);
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < made.size(); flow++) {
            if (made.source(flow) != silent) {
                flows.add(flows.size(), made.source(flow), made.destination(flow), made.bytes(flow), made.cells(flow),
                    made.startSlot(flow));
            }
        }
        final List<Integer> order = new ArrayList<>(IntStream.range(0, flows.size()).boxed().toList());
        Collections.shuffle(order, random);
        final List<int[]> pairs = new ArrayList<>();
        final Map<Integer, Integer> joins = new HashMap<>();
        int count = 0;
        for (int i = 1; i < order.size(); i++) {
            final int waiting = order.get(i);
            if (random.nextInt(3) == 0) {
                final List<Integer> before = order.subList(Math.max(0, i - 3), i);
                // Every other join waits for the one before it at its node, too.
                final Integer older = joins.get(flows.source(waiting));
                if (older == null || random.nextBoolean()) {
                    final int join = flows.size() + count++;
                    before.forEach(flow -> pairs.add(new int[] {flow, join}));
                    if (older != null) {
                        pairs.add(new int[] {older, join});
                    }
                    joins.put(flows.source(waiting), join);
                }
                pairs.add(new int[] {joins.get(flows.source(waiting)), waiting});
            }
            final List<Integer> near = order.subList(0, i).stream()
                .filter(flow -> flows.destination(flow) == flows.source(waiting)).toList();
            for (int left = random.nextInt(2) * random.nextInt(1, 4); left > 0; left--) {
                final List<Integer> from = near.isEmpty() || random.nextBoolean() ? order.subList(0, i) : near;
                pairs.add(new int[] {from.get(random.nextInt(from.size())), waiting});
            }
        }
        final long[] delay = new long[flows.size() + count];
        Arrays.setAll(delay, flow -> random.nextInt(3) == 0 ? random.nextInt(400) : 0);
        flows.setWaits(new FlowWaits(pairs.stream().mapToInt(pair -> pair[0]).toArray(),
            pairs.stream().mapToInt(pair -> pair[1]).toArray(), pairs.size(), delay, count));
        return fabric instanceof Interleaved ? flows.classedBySize(2440) : flows;
    }

    /** Stops the first engine behind a slot and goes on in the second. */
    private Outcome resumed(final Resumable first, final Resumable second, final long stop) throws IOException {
        final Path file = folder.resolve("checkpoint");
        try (first; second) {
            first.run(0, (slot, delivered, completed) -> slot < stop);
            if (first.state().isOver()) {
                return first.outcome();
            }
            first.state().save(file, "");
            second.state().restore(Checkpoint.open(file));
            second.run(0);
            assertTrue(second.state().isOver());
            return second.outcome();
        }
    }

    private static Engine reference(final Fabric fabric, final FlowSet flows) {
        return switch (fabric) {
            case final Stardust stardust -> new ReferenceStardust(stardust, flows);
            case final Shale shale -> new ReferenceShale(shale, flows);
            default -> new ReferenceShoal((Shoal) fabric, flows);
        };
    }

    private static Resumable lockStep(final Fabric fabric, final FlowSet flows, final Faults faults, final int workers,
        final boolean check) {
        return fabric instanceof final Stardust stardust
            ? new StardustEngine(stardust, flows, faults, ReachTiming.USUAL, workers, check)
            : new LockStep(parts(fabric), flows, faults, workers, check);
    }

    private static Resumable threads(final Fabric fabric, final FlowSet flows, final Faults faults) {
        final Threading threading = Threading.shared(3, Idle.YIELD);
        return switch (fabric) {
            case final Stardust stardust ->
                new StardustThreads(stardust, flows, faults, ReachTiming.USUAL, null, threading);
            case final Shale shale -> new FreeRunning(parts(shale), flows, faults,
                PhaseGroupSwitches.wiring(shale.schedule()), threading, false);
            case final Interleaved interleaved -> new FreeRunning(parts(interleaved), flows, faults,
                Crossbar.wiring(interleaved.schedule()), threading, false);
            default -> new FreeRunning(parts(fabric), flows, faults,
                Clos.of(((Shoal) fabric).schedule(), 4).wiring(), threading, false);
        };
    }

    private static Engine member(final Fabric fabric, final FlowSet flows, final Faults faults,
        final RowExchange exchange) {
        return fabric instanceof final Stardust stardust
            ? new StardustMember(stardust, flows, faults, ReachTiming.USUAL, exchange)
            : new MemberStep(parts(fabric), flows, faults, exchange);
    }

    private static FabricParts parts(final Fabric fabric) {
        return Parts.of((CircuitFabric) fabric);
    }
}
