package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.lockStep;
import static dev.skerry.nic.engine.Outcomes.same;
import static dev.skerry.nic.engine.Outcomes.threads;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.FreeRunningThreads.AgentGraph;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.schedule.Wiring;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Threads give what lock step gives, whoever runs when, with faults, classes and messages beside the cells too. */
@Timeout(300)
final class FreeRunningTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    /** Fabrics of which every law is checked after every slot, which grows with the square of the nodes. */
    private static final int CHECKED = 150;
    /** Between the classes of interleaved schedules, in bytes. */
    private static final long CUTOFF = 2_000;
    /** What goes on after the last cell has arrived, until the engine finds that out. */
    private static final Set<NicCounter> GO_ON = EnumSet.of(NicCounter.CELLS_DAMAGED, NicCounter.HEADERS_DAMAGED,
        NicCounter.NEIGHBOURS_DOWN, NicCounter.NEIGHBOURS_UP, NicCounter.TURNS_UNUSED, NicCounter.PROBES_SENT,
        NicCounter.NOTICES_SENT, NicCounter.NOTICES_IGNORED);

    @ParameterizedTest
    @CsvSource({
        "2, 4, 0, 1, SPIN", "2, 4, 0, 2, PARK", "2, 4, 7, 4, YIELD", "2, 4, 89, 14, BACKOFF", "4, 2, 5, 3, PARK",
        "2, 16, 13, 1, BACKOFF", "2, 16, 13, 4, YIELD", "4, 4, 30, 2, BACKOFF", "4, 4, 30, 14, PARK"
    })
    void shouldGiveWhatLockStepGives(final int h, final int radix, final int propagation, final int threads,
        final Idle idle) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            final Shale shale = shale(h, radix, propagation, seed);
            assertSame(shale, Flows.random(seed, shale.nodes(), 200, 200, 30),
                PhaseGroupSwitches.wiring(shale.schedule()), 150, "seed=" + seed,
                Threading.shared(threads, idle), Threading.separate(1 + threads / 2, threads, idle));
        }
    }

    /** Shoal's NICs and the leaves and spines of its Clos. */
    @ParameterizedTest
    @CsvSource({
        "8, 1, 0, 4, 1, SPIN", "8, 1, 0, 4, 14, PARK", "8, 1, 0, 4, 2, YIELD", "8, 2, 5, 4, 4, BACKOFF",
        "64, 1, 0, 16, 2, BACKOFF", "64, 4, 20, 16, 4, YIELD", "64, 4, 20, 16, 14, PARK"
    })
    void shouldGiveWhatLockStepGivesWithShoal(final int nodes, final int channels, final int propagation,
        final int ports, final int threads, final Idle idle) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, false, propagation);
        final Wiring wiring = Clos.of(shoal.schedule(), ports).wiring();
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertSame(shoal, Flows.random(seed, nodes, 6 * nodes, 300, 40), wiring, 200, "seed=" + seed,
                Threading.shared(threads, idle), Threading.separate(1 + threads / 3, threads, idle));
        }
    }

    /** The 24 switches of 64 ports of each of two channels. */
    @ParameterizedTest
    @CsvSource({"1, SPIN", "4, YIELD"})
    void shouldCrossTwoPlanesOfTwentyFourSwitches(final int threads, final Idle idle) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(512, 2), ReleaseRule.EXACT, true, 0);
        final Wiring wiring = Clos.of(shoal.schedule(), 64).wiring();
        assertEquals(48, wiring.switches());
        final FlowSet flows = Flows.random(5, 512, 1000, 400, 40);
        final Outcome expected = lockStep(shoal, flows, 1, false, 0);
        assertEquals(flows.size(), expected.completed().length);
        same(expected, threads(shoal, flows, Faults.NONE, wiring, Threading.shared(threads, idle), 0),
            "threads=" + threads);
    }

    private static void assertSame(final CircuitFabric fabric, final FlowSet flows, final Wiring wiring,
        final long limit, final String where, final Threading... threadings) {
        for (final long end : new long[] {0, limit}) {
            final Outcome expected = lockStep(fabric, flows, 1, false, end);
            for (final Threading threading : threadings) {
                same(expected, threads(fabric, flows, Faults.NONE, wiring, threading, end),
                    fabric + " " + where + " " + threading + " limit=" + end);
            }
        }
    }

    /** With payloads checked, too, where nodes find the flow of a cell in its payload. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldRankAsLockStepDoes(final int threads) {
        for (final MechanismSet control : List.of(Mechanisms.of("priority"),
            Mechanisms.of("priority+hbh+spray-short"))) {
            for (final boolean byBucket : new boolean[] {true, false}) {
                final Shale shale = Parts.shale(2, 8, control.with(new Priority(0.5, FlowLength.SIZE, byBucket)), 2, 9,
                    threads);
                final FlowSet flows = Flows.random(threads, shale.nodes(), 400, 200, 30);
                final Outcome expected = lockStep(shale, flows, 1, false, 0);
                final String where = shale + " threads=" + threads;
                same(expected, free(shale, flows, Threading.shared(threads, Idle.YIELD)), where);
                for (final boolean check : new boolean[] {false, true}) {
                    same(expected, lockStep(shale, flows, threads, check, 0), where + " check=" + check);
                }
            }
        }
    }

    @Test
    void shouldRefuseWhatNoNetworkCanDo() {
        final Shale shale = Parts.shale(2, 4, Mechanisms.of("isd"), 1, 3, 1);
        final FlowSet flows = Flows.random(1, 16, 10, 10, 10);
        Outcomes.refused("nodes on separate threads cannot immediately know",
            () -> free(shale, flows, Threading.shared(1, Idle.YIELD)));
        Outcomes.refused("a single node cannot immediately know", () -> new NodeModel(Parts.of(shale), flows, 0));
    }

    @Test
    void shouldNotDependOnTheSwitches() {
        final Shale shale = shale(2, 5, 11, 4);
        final FlowSet flows = Flows.random(4, 25, 150, 100, 20);
        final Outcome expected = lockStep(shale, flows, 1, false, 0);
        same(expected, threads(shale, flows, Faults.NONE, Crossbar.wiring(shale.schedule()),
            Threading.shared(2, Idle.YIELD), 0), "one switch");
        same(expected, free(shale, flows, Threading.separate(25, 10, Idle.PARK)),
            "a thread for each NIC and each switch");
    }

    @Test
    void shouldGiveTheSameAgainAndAgain() {
        final Shale shale = shale(2, 4, 3, 9);
        final FlowSet flows = Flows.random(9, 16, 300, 50, 10);
        final Outcome expected = lockStep(shale, flows, 1, false, 0);
        for (int run = 0; run < 5 * SEEDS; run++) {
            same(expected, free(shale, flows, Threading.shared(1 + run % 5, Idle.values()[run % 4])), "run=" + run);
        }
    }

    @Test
    void shouldStopBetweenTwoSlotsWhenToldTo() {
        final Shale shale = shale(2, 4, 7, 1);
        final FlowSet flows = Flows.endless(16, 1);
        try (Engine engine = new FreeRunning(Parts.of(shale), flows, PhaseGroupSwitches.wiring(shale.schedule()),
            Threading.shared(3, Idle.BACKOFF), false)) {
            engine.run(0, (slot, delivered, completed) -> slot < 1000);
            final Outcome outcome = engine.outcome();
            assertTrue(outcome.slots() >= 1000, "slots=" + outcome.slots());
            assertEquals(outcome.count(NicCounter.CELLS_INJECTED),
                outcome.count(NicCounter.CELLS_DELIVERED) + outcome.cellsHeld());
            assertEquals(lockStep(shale, flows, 1, false, outcome.slots() - 7).digest(), outcome.digest(),
                "slots=" + outcome.slots());
        }
    }

    /** Faults and classes. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 4, 1, BACKOFF", "8, 2, 5, 4, 3, YIELD", "16, 4, 20, 8, 4, PARK"})
    void shouldGiveWhatLockStepGivesAmidFaults(final int nodes, final int channels, final int propagation,
        final int ports, final int threads, final Idle idle) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation);
        final Wiring wiring = Clos.of(shoal.schedule(), ports).wiring();
        final long epoch = shoal.schedule().epochSlots();
        for (long seed = 1; seed <= 2; seed++) {
            final FlowSet flows = Flows.random(seed, nodes, nodes == 8 ? 64 : 128, 60 * epoch, 60)
                .classedBySize(seed == 1 ? new long[0] : new long[] {244 * 5, 244 * 20});
            final Faults faults = Scripts.random(seed, nodes, 80 * epoch, nodes / 4, 2, 0.001);
            for (final long limit : new long[] {0, 40 * epoch}) {
                final String where = shoal + " seed=" + seed + " limit=" + limit;
                final Outcome expected = lockStep(shoal, flows, faults, 1, nodes == 8, limit);
                assertTrue(expected.count(NicCounter.NEIGHBOURS_DOWN) > 0, where);
                sameAmidFaults(expected, lockStep(shoal, flows, faults, 2, false, limit), limit, where);
                for (final Threading threading : List.of(Threading.shared(threads, idle),
                    Threading.separate(1 + threads, threads, idle))) {
                    sameAmidFaults(expected, threads(shoal, flows, faults, wiring, threading, limit), limit,
                        where + " " + threading);
                }
            }
        }
    }

    @Tag("long")
    @Test
    void shouldGiveWhatLockStepGivesAmidFaultsInALargeFabric() {
        shouldGiveWhatLockStepGivesAmidFaults(64, 4, 20, 16, 4, Idle.PARK);
    }

    private static void sameAmidFaults(final Outcome expected, final Outcome actual, final long limit,
        final String where) {
        assertEquals(expected.digest(), actual.digest(), where);
        assertEquals(expected.slots(), actual.slots(), where);
        assertEquals(expected.cellsHeld(), actual.cellsHeld(), where);
        assertArrayEquals(expected.completedIn(), actual.completedIn(), where);
        assertArrayEquals(expected.nodes().bufferOccupancy(), actual.nodes().bufferOccupancy(), where);
        assertArrayEquals(expected.nodes().queueLength(), actual.nodes().queueLength(), where);
        for (final NicCounter counter : NicCounter.values()) {
            if (limit > 0 || !GO_ON.contains(counter)) {
                assertEquals(expected.count(counter), actual.count(counter), where + " " + counter);
            }
        }
    }

    @Test
    void shouldRefuseWhatCannotFail() {
        final FlowSet flows = new FlowSet();
        flows.add(1, 0, 1, 56, 1, 0);
        final FlowSet classed = flows.classedBySize(10);
        final Faults faults = Scripts.of(new Fault.Node(3, 2, false));
        final Shoal authors = Shoal.of(RoundRobin.plain(4, 1), ReleaseRule.AUTHORS_SIMULATOR, true, 0);
        Outcomes.refused("only Shoal has traffic classes",
            () -> lockStep(Parts.shale(2, 3, Mechanisms.HBH, 1, 0, 1), classed, 1, false, 0));
        Outcomes.refused("no such node", () -> lockStep(Parts.shoal(2, 1, 0), flows, faults, 1, false, 0));
        Outcomes.refused("rule=authors-simulator", () -> lockStep(authors, flows, faults, 1, false, 0));
        Outcomes.refused("rule=authors-simulator", () -> lockStep(authors, classed, 1, false, 0));
    }

    /** Messages beside the cells; payloads too. */
    @ParameterizedTest
    @CsvSource({"2, 4, 0, 20", "2, 4, 7, 20", "3, 3, 5, 40"})
    void shouldCarryMessagesBesideCellsTheSameWay(final int h, final int radix, final int propagation,
        final int cells) {
        for (final MechanismSet control : Controls.END_TO_END) {
            final Shale shale = Parts.shale(h, radix, control, 2, propagation, 3);
            final Outcome one = sameInEveryEngine(shale, Flows.random(3, shale.nodes(), 4 * shale.nodes(), 100, cells));
            assertTrue(one.count(NicCounter.PULLS_SENT) > shale.nodes(), shale.toString());
        }
    }

    @Tag("long")
    @Test
    void shouldCarryMessagesBesideCellsTheSameWayWithManyNodes() {
        shouldCarryMessagesBesideCellsTheSameWay(2, 16, 13, 30);
        shouldCarryMessagesBesideCellsTheSameWay(4, 4, 30, 30);
    }

    /** The rules that break ties: with pointers of a node, what it does depends on no other node. */
    @Test
    void shouldBreakTiesTheSameWay() {
        for (final TieRule rule : List.of(TieRule.LOWEST, TieRule.ROTATING)) {
            for (final MechanismSet control : List.of(Mechanisms.HBH_SPRAY, Mechanisms.of("hbh+spray-bucket"))) {
                sameInEveryEngine(Parts.shale(2, 12, control.with(rule), 2, 5, 3), Flows.random(3, 144, 576, 100, 20));
            }
        }
    }

    /** Which local flow is next: the same over workers, threads and checks, and not what pointers of links choose. */
    @Test
    void shouldServeLocalFlowsTheSameWay() {
        final LocalRule own = (all, nodes) -> (id, node, link, flows) ->
            link % 3 == 0 ? LocalChoice.NONE : flows.count() - 1;
        final FlowSet flows = Flows.random(3, 144, 432, 50, 12);
        for (final LocalRule rule : List.of(LocalRule.NODE, LocalRule.DESTINATION, own)) {
            for (final MechanismSet control : List.of(Mechanisms.HBH_SPRAY, Mechanisms.of("hbh+isd"))) {
                final Outcome one = sameInEveryEngine(Parts.shale(2, 12, control.serving(rule), 2, 5, 3), flows);
                assertNotEquals(lockStep(Parts.shale(2, 12, control, 2, 5, 3), flows, 1, false, 0).digest(),
                    one.digest(), control.label());
            }
        }
    }

    /** Runs flows to their end with workers, checked, and on threads that check payloads. */
    private static Outcome sameInEveryEngine(final Shale shale, final FlowSet flows) {
        final String where = shale.toString();
        final Outcome one = lockStep(shale, flows, 1, false, 0);
        assertEquals(flows.size(), one.count(NicCounter.FLOWS_COMPLETED), where);
        for (int workers = 2; workers <= 3; workers++) {
            same(one, lockStep(shale, flows, workers, false, 0), where + " workers=" + workers);
        }
        if (shale.nodes() < CHECKED) {
            same(one, lockStep(shale, flows, 2, true, 0), where + " checked");
        }
        if (!shale.mechanisms().label().contains("isd")) {
            same(one, Outcomes.run(new FreeRunning(Parts.of(shale), flows, PhaseGroupSwitches.wiring(shale.schedule()),
                Threading.shared(3, Idle.BACKOFF), true), 0), where + " threads");
        }
        return one;
    }

    private static Outcome free(final Shale shale, final FlowSet flows, final Threading threading) {
        return threads(shale, flows, Faults.NONE, PhaseGroupSwitches.wiring(shale.schedule()), threading, 0);
    }

    private static Shale shale(final int h, final int radix, final int propagation, final long seed) {
        return Parts.shale(h, radix, Mechanisms.HBH_SPRAY, 2, propagation, seed);
    }

    private record Named(String roleName) implements Agent {
        @Override
        public int doWork() {
            return -1;
        }
    }

    /** Which agents share a processor: each thread has its own, or leaves are carried with their banks. */
    @Test
    void shouldShareProcessorsAmongAgents() {
        final Threading eight = Threading.separate(2, 6, Idle.YIELD);
        final AgentGraph graph = clos(AgentGraph.ANY_BATCH);
        assertEquals("0|1|2|3|4|5|6|7", carriers(graph, eight, 8));
        assertEquals("0|1|2|3|4|5|6|7", carriers(graph, eight, 99));
        assertEquals("0 2 3 6|1 4 5 7", carriers(graph, eight, 2), "few processors");
        assertEquals("0 1 2 3 4 5 6 7", carriers(graph, eight, 1));
        assertEquals("0 4|1 5|2 6|3 7", carriers(graph, Threading.shared(4, Idle.YIELD), 4), "agents of a thread");
        assertEquals("0 1 4 5|2 3 6 7", carriers(graph, Threading.shared(4, Idle.YIELD), 2));
        assertEquals("0 1 2 3 4 5 6 7", carriers(clos(105), eight, 2), "handing over costs more than the work");
        assertEquals("0 2 3 6|1 4 5 7", carriers(clos(106), eight, 2));
        assertEquals("0|1|2|3|4|5|6|7", carriers(clos(1), eight, 8));
        final Threading pinned = Threading.separate(2, 6, Idle.YIELD, 3, 1, 3, 3, 1, 1, 3, 7, 9);
        assertEquals("1 4 5|0 2 3 6|7", carriers(graph, pinned, 2), "pinned to one processor");
        assertArrayEquals(new int[] {1, 3, 7}, graph.cpus(pinned));
        assertEquals(0, graph.cpus(eight).length);
        graph.loads()[0] = 1_000;
        graph.loads()[1] = 0;
        assertEquals("0|1 2 3 4 5 6 7", carriers(graph, eight, 2), "a bank that has most of the work");
    }

    private static String carriers(final AgentGraph graph, final Threading threading, final int processors) {
        return graph.carriers(threading, processors).stream()
            .map(of -> of.stream().map(Agent::roleName).collect(Collectors.joining(" ")))
            .collect(Collectors.joining("|"));
    }

    /** Two banks, four leaves and two spines: banks 0 and 1, leaves 2 to 5, spines 6 and 7. */
    private static AgentGraph clos(final int batch) {
        final int[][] fibres = new int[8][8];
        final long[] loads = {128, 128, 8, 8, 8, 8, 8, 8};
        final List<List<? extends Agent>> agents = new ArrayList<>();
        for (int agent = 0; agent < 8; agent++) {
            agents.add(List.of(new Named(Integer.toString(agent))));
        }
        for (int leaf = 2; leaf < 6; leaf++) {
            join(fibres, (leaf - 2) / 2, leaf, 4);
            join(fibres, leaf, 6, 2);
            join(fibres, leaf, 7, 2);
        }
        return new AgentGraph(agents, loads, fibres, batch);
    }

    private static void join(final int[][] fibres, final int one, final int other, final int count) {
        fibres[one][other] += count;
        fibres[other][one] += count;
    }

    /**
     * Schedules that share the slots (docs/spec/shale.md §2.4): every engine gives the same, every payload arrives,
     * every law holds after every slot.
     */
    @Sampled
    @ParameterizedTest
    @CsvSource({"16, '4,2', '1,1', 5, hbh+spray, 0, 1", "16, '4,1', '2,3', 0, hbh, 0, 2",
        "64, '6,3,2', '1,2,3', 13, hbh+spray, 0, 3", "64, '3,2', '1,2', 1, spray-short, 0, 4",
        "64, '3,2', '3,1', 20, hbh+spray, 4, 5", "81, '4,2', '9,1', 7, none, 0, 6",
        "64, '3,2', '1,4', 9, hbh+spray-bucket, 0, 7"})
    void shouldInterleaveTheSameWay(final int nodes, final String phases, final String slots,
        final int propagation, final String cc, final int failed, final long seed) {
        final Interleaved fabric = fabric(nodes, phases, slots, propagation, cc, failed, seed, FailureRules.PAPER);
        final FlowSet flows = flows(fabric, seed);
        final Outcome expected = lockStep(fabric, flows, 1, false, 0);
        assertEquals(flows.size(), expected.count(NicCounter.FLOWS_COMPLETED), "seed=" + seed);
        same(expected, lockStep(fabric, flows, 3, false, 0), "three workers, seed=" + seed);
        same(expected, lockStep(fabric, flows, 1, true, 0), "checked, seed=" + seed);
        for (final boolean check : new boolean[] {false, true}) {
            same(expected, Outcomes.run(new FreeRunning(Parts.of(fabric), flows, Crossbar.wiring(fabric.schedule()),
                Threading.separate(2, 1, Idle.YIELD), check), 0), "threads, seed=" + seed);
        }
    }

    /** Flows of one schedule never meet those of another: each alone, in the same slots, does the same. */
    @Test
    void shouldKeepSchedulesApart() {
        final Interleaved fabric = fabric(64, "3,2", "2,3", 9, "hbh+spray", 0, 11, FailureRules.PAPER);
        final FlowSet all = flows(fabric, 11);
        final long[] together = completions(fabric, all, -1);
        for (int number = 0; number < 2; number++) {
            final long[] alone = completions(fabric, all, number);
            int compared = 0;
            for (int flow = 0; flow < all.size(); flow++) {
                if (all.trafficClass(flow) == number) {
                    assertEquals(together[flow], alone[flow], "flow=" + flow);
                    compared++;
                }
            }
            assertTrue(compared > 50, "flows=" + compared);
        }
    }

    /** A fabric with one slot in two behaves as one with all slots, at half the pace. */
    @Test
    void shouldRunAScheduleInItsOwnSlotsAsIfAlone() {
        // Spraying draws by the slot; with two nodes in a phase group there is nothing to draw.
        final Interleaved narrow = fabric(16, "4,2", "1,1", 20, "hbh", 0, 12, FailureRules.PAPER);
        final Phased binary = narrow.fabrics().getFirst().schedule();
        final FlowSet flows = new FlowSet();
        final FlowSet halved = new FlowSet();
        for (int flow = 0; flow < 300; flow++) {
            final int from = flow * 7 % 16;
            final int to = (from + 1 + flow * 5 % 15) % 16;
            flows.add(flow, from, to, 100, 1 + flow % 9, 2 * (flow / 3));
            halved.add(flow, from, to, 100, 1 + flow % 9, flow / 3);
        }
        final Shale alone = new Shale(binary, Population.complete(binary), Mechanisms.HBH, 1, 2, 10, 12);
        final Outcome expected = lockStep(alone, halved, 1, false, 0);
        final Outcome actual = lockStep(narrow, flows, 1, false, 0);
        assertArrayEquals(expected.completed(), actual.completed());
        for (int i = 0; i < expected.completed().length; i++) {
            assertEquals(2 * expected.completedIn()[i] + 1, actual.completedIn()[i], "flow=" + expected.completed()[i]);
        }
    }

    /** Faults hit every schedule: all laws hold in every slot, engines agree, nothing is left behind after repair. */
    @Sampled
    @ParameterizedTest
    @CsvSource({"16, '4,2', '1,1', 5, hbh+spray, 1, 1", "64, '3,2', '1,2', 0, hbh, 1, 2",
        "64, '6,3,2', '1,2,3', 13, hbh+spray, 3, 3", "16, '4,1', '2,3', 7, spray-short, 2, 4"})
    void shouldFailAndMendInEverySchedule(final int nodes, final String phases, final String slots,
        final int propagation, final String cc, final int missLimit, final long seed) {
        final Interleaved fabric = fabric(nodes, phases, slots, propagation, cc, 0, seed,
            new FailureRules(missLimit, seed % 2 == 0));
        final FlowSet flows = flows(fabric, seed);
        final Faults faults = Scripts.random(seed, nodes, 900, nodes, 2, 0.003);
        final String where = "h=" + phases + " missLimit=" + missLimit + " seed=" + seed;
        final Outcome whole = lockStep(fabric, flows, faults, 1, true, 0);
        assertTrue(whole.dropped() > 0, where);
        assertTrue(whole.count(NicCounter.NEIGHBOURS_UP) > 0, where);
        assertEquals(0, whole.cellsHeld(), where);
        assertEquals(0, whole.count(NicCounter.TOKEN_ANOMALY), where);
        assertEquals(whole.count(NicCounter.CELLS_INJECTED),
            whole.count(NicCounter.CELLS_DELIVERED) + whole.dropped(), where);
        // Before the end: after it, engines go on for as long as they take to find out.
        final long limit = 450;
        final Outcome expected = lockStep(fabric, flows, faults, 1, false, limit);
        assertTrue(expected.cellsHeld() > 0, where);
        assertTrue(expected.count(NicCounter.NEIGHBOURS_DOWN) > 0, where);
        same(expected, lockStep(fabric, flows, faults, 3, false, limit), "3 workers: " + where);
        same(expected, threads(fabric, flows, faults, Crossbar.wiring(fabric.schedule()),
            Threading.separate(2, 1, Idle.YIELD), limit), "threads: " + where);
    }

    @Test
    void shouldRefuseClassesItDoesNotHave() {
        final Interleaved fabric = fabric(16, "4,2", "1,1", 5, "hbh", 0, 1, FailureRules.PAPER);
        final FlowSet three = flows(fabric, 1).classedBySize(500, 1_000);
        Outcomes.refused("classes=3", () -> lockStep(fabric, three, 1, false, 0));
    }

    private static long[] completions(final Interleaved fabric, final FlowSet flows, final int only) {
        final List<Integer> kept = new ArrayList<>();
        final FlowSet some = Flows.only(flows, flow -> only < 0 || flows.trafficClass(flow) == only, kept);
        final long[] in = Outcomes.completions(lockStep(fabric, some, 1, false, 0), some.size());
        final long[] completed = new long[flows.size()];
        for (int i = 0; i < in.length; i++) {
            completed[kept.get(i)] = in[i];
        }
        return completed;
    }

    private static FlowSet flows(final Interleaved fabric, final long seed) {
        final int endpoints = fabric.population().endpoints();
        final FlowSet flows = Flows.random(seed, endpoints, 6 * endpoints, 400, 40);
        return fabric.fabrics().size() == 2 ? flows.classedBySize(CUTOFF) : flows.classedBySize(CUTOFF, 2 * CUTOFF);
    }

    static Interleaved fabric(final int nodes, final String phases, final String slots, final int propagation,
        final String cc, final int failed, final long seed, final FailureRules failures) {
        final String[] h = phases.split(",");
        final SlotShares shares = new SlotShares(Arrays.stream(slots.split(",")).mapToInt(Integer::parseInt).toArray());
        final List<Shale> fabrics = new ArrayList<>();
        for (final SlotShare share : shares.shares()) {
            final int number = Integer.parseInt(h[share.number()]);
            final Phased schedule = new Phased(number, Population.radixFor(number, nodes));
            final Population population = fabrics.isEmpty() ? Population.of(schedule, nodes, failed)
                : fabrics.getFirst().population().in(schedule);
            fabrics.add(new Shale(schedule, population, Mechanisms.of(cc), 1, 2, propagation, seed, failures, share));
        }
        return new Interleaved(fabrics, shares);
    }
}
