package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Random scripts of faults over small fabrics, every law checked in every slot. The model is a ledger: in the end every
 * cell has arrived once, or was not sent and is counted, or is lost and there is a drop that the spec leaves to the
 * layers above. Then what a fabric of nine nodes does slot by slot when a link or a node goes down and comes up
 * (docs/spec/shoal.md §5), and how often damaged cells are sent again (§6.2).
 */
@Timeout(300)
final class ShoalFaultsModelTest {
    private static final NicCounter[] COUNTED = {NicCounter.WRONG_DESTINATION, NicCounter.CELLS_ASTRAY,
        NicCounter.GUARD_VIOLATION, NicCounter.CELLS_DELIVERED, NicCounter.DROPPED_DUPLICATE};
    /** The fabric of the tests that look at every slot, and when its first link is cut. */
    private static final int NODES = 9;
    private static final RoundRobin SCHEDULE = RoundRobin.plain(NODES, 1);
    private static final int EPOCH = SCHEDULE.epochSlots();
    private static final int PROBE = Resilience.DEFAULT.probeEpochs();
    private static final long CUT = 5 * EPOCH + 3;
    /** The rack of {@link #script}. */
    private static final int RACK = 64;
    private static final RoundRobin RACK_SCHEDULE = RoundRobin.rearranged(RACK, 4, 6);
    private static final int RACK_EPOCH = RACK_SCHEDULE.epochSlots();
    private static final Shoal SHOAL = Parts.shoal(RACK_SCHEDULE, 6);
    private static final int[] CRASHES = {7, 30, 31};
    /** In epochs: the first thing goes down, the last comes up, all that was given up starts anew, damage ends. */
    private static final long FIRST = 50;
    private static final long MENDED = 250;
    private static final long ANEW = 300;
    private static final long CLEAN = 420;
    /** A feedback that was read wrong can hold a flow back from a relay for 2N - 2 epochs. */
    private static final long CALM = CLEAN + 2 * RACK;
    private static final long END = CALM + 80;

    @ParameterizedTest
    @CsvSource({
        "2, 1, 0, 1, 0, 0.01, 1", "5, 1, 0, 3, 1, 0, 1", "8, 1, 0, 0, 0, 0.02, 1", "8, 1, 0, 6, 2, 0.01, 1",
        "8, 7, 2, 6, 2, 0.01, 1", "9, 2, 13, 8, 2, 0, 1", "9, 1, 20, 8, 3, 0.02, 1", "16, 4, 3, 20, 4, 0.005, 1",
        "8, 1, 0, 0, 0, 0, 4", "8, 1, 3, 6, 2, 0.01, 3", "16, 2, 0, 10, 3, 0, 2"
    })
    void shouldAccountForEveryCell(final int nodes, final int channels, final int propagation, final int links,
        final int crashes, final double damage, final int classes) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation).with(new Resilience(1, 16, 3, 8, 2));
        final long epoch = shoal.schedule().epochSlots();
        for (long seed = 1; seed <= 2; seed++) {
            final FlowSet flows = classed(seed, Flows.random(seed, nodes, 12 * nodes, 60 * epoch, 60), classes);
            final Faults faults = Scripts.random(seed, nodes, 80 * epoch, links, crashes, damage);
            account(shoal, flows, faults, fabric -> {
                assertLawful(fabric);
                if (links + crashes == 0) {
                    assertEquals(0, fabric.lost());
                    assertEquals(0, fabric.count(NicCounter.CELLS_NOT_SENT));
                    assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_COMPLETED));
                }
            });
        }
    }

    /** Switches of the Clos that stop, beside links, nodes and clocks: several may cut the same way. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 4, 0, 0, 2", "8, 2, 3, 4, 3, 1, 3", "18, 1, 2, 6, 0, 2, 5", "9, 1, 0, 6, 2, 0, 4"})
    void shouldAccountForEveryCellWhereSwitchesFail(final int nodes, final int channels, final int propagation,
        final int ports, final int links, final int crashes, final int switches) {
        for (long seed = 1; seed <= 2; seed++) {
            stopSwitches(seed, nodes, channels, propagation, ports, links, crashes, switches);
        }
    }

    @Tag("long")
    @Timeout(600)
    @Test
    void shouldAccountForEveryCellInHundredsOfScripts() {
        for (long seed = 1; seed <= 500; seed++) {
            final Random random = new Random(seed);
            final int nodes = 6 + random.nextInt(7);
            stopSwitches(seed, nodes, 1 + random.nextInt(3), random.nextInt(12), nodes > 8 ? 6 : 4, random.nextInt(6),
                random.nextInt(3), 1 + random.nextInt(5));
        }
    }

    private static void stopSwitches(final long seed, final int nodes, final int channels, final int propagation,
        final int ports, final int links, final int crashes, final int switches) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation);
        final long epoch = shoal.schedule().epochSlots();
        final Faults faults = Scripts.random(seed, Clos.of(shoal.schedule(), ports).wiring(), 80 * epoch, links,
            crashes, switches, seed % 3 == 0 ? 0.01 : 0);
        final FlowSet flows = Flows.random(seed, nodes, 6 * nodes, 60 * epoch, 40);
        account(shoal, flows, seed % 2 == 0 ? faults
            : Scripts.withClocks(faults, nodes, 80 * epoch, 1 + (int) seed % 3), fabric ->
            assertLawful(fabric));
    }

    /**
     * Cells that come to a node they were not sent to, as a clock is whole slots late: where a header tells, they are
     * dropped by name, and no cell is delivered where it does not belong.
     */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 1, 0, 0", "8, 2, 3, 2, 0, 0", "12, 1, 0, 3, 1, 0", "10, 4, 7, 2, 1, 0.01"})
    void shouldAccountForEveryCellThatLateClocksLeadAstray(final int nodes, final int channels, final int propagation,
        final int clocks, final int crashes, final double damage) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation);
        final long epoch = shoal.schedule().epochSlots();
        final long[] wrong = new long[1];
        for (long seed = 1; seed <= 2; seed++) {
            final Faults faults = late(Scripts.random(seed, nodes, 80 * epoch, crashes, crashes, damage), nodes,
                80 * epoch, clocks);
            account(shoal, Flows.random(seed, nodes, 6 * nodes, 60 * epoch, 40), faults, fabric -> {
                assertTrue(fabric.count(NicCounter.WRONG_DESTINATION) <= fabric.count(NicCounter.CELLS_ASTRAY));
                assertTrue(fabric.count(NicCounter.CELLS_ASTRAY) > 0);
                wrong[0] += fabric.count(NicCounter.WRONG_DESTINATION);
            });
        }
        assertTrue(wrong[0] > 0, "nodes=" + nodes + ": nothing came to a wrong node");
    }

    /** Settles a fabric, and checks its ledger, more laws, and that all connections are up again. */
    private static void account(final Shoal shoal, final FlowSet flows, final Faults faults,
        final Consumer<FaultyShoal> laws) {
        final long epoch = shoal.schedule().epochSlots();
        try (FaultyShoal fabric = new FaultyShoal(shoal, flows, faults, 1 + (int) faults.seed() % 2)) {
            try {
                assertTrue(fabric.settle(5000 * epoch), "unsettled");
                for (int flow = 0; flow < flows.size(); flow++) {
                    assertTrue(fabric.received(flow) <= flows.cells(flow), "flow=" + flow);
                }
                assertEquals(Flows.cells(flows), fabric.count(NicCounter.CELLS_DELIVERED)
                    + fabric.count(NicCounter.CELLS_NOT_SENT) + fabric.lost());
                laws.accept(fabric);
                // All is mended after 80 epochs; after some probes everybody has found everybody.
                fabric.stepTo(Math.max(fabric.slot, (80L + 4 * 16) * epoch + 20L * shoal.propagationSlots()));
                assertEquals(shoal.nodes() * (shoal.nodes() - 1), fabric.up());
            } catch (final AssertionError | IllegalStateException broken) {
                throw new AssertionError("nodes=" + shoal.nodes() + " channels=" + shoal.channels() + " P="
                    + shoal.propagationSlots() + " seed=" + faults.seed() + ": " + fabric.counts(), broken);
            }
        }
    }

    private static void assertLawful(final FaultyShoal fabric) {
        assertTrue(fabric.lost() <= fabric.leftToTransport());
        assertTrue(fabric.count(NicCounter.DROPPED_NO_ROOM) + fabric.count(NicCounter.DROPPED_NO_WAY)
            >= fabric.count(NicCounter.CELLS_REFUSED));
        assertEquals(0, fabric.count(NicCounter.DROPPED_STALE));
    }

    private static FlowSet classed(final long seed, final FlowSet flows, final int classes) {
        final Random random = new Random(seed);
        final FlowSet classed = new FlowSet();
        for (int flow = 0; flow < flows.size(); flow++) {
            classed.add(flows.id(flow), flows.source(flow), flows.destination(flow), flows.bytes(flow),
                flows.cells(flow), flows.startSlot(flow));
            classed.setClass(random.nextInt(classes));
        }
        return classed;
    }

    /** Some clocks are late for a while, by other slots now and then, in the end none is. */
    private static Faults late(final Faults others, final int nodes, final long slots, final int clocks) {
        final Random random = new Random(others.seed() * 17);
        final List<Fault> faults = new ArrayList<>(others.plan().faults());
        for (int i = 0; i < clocks; i++) {
            final int node = (i * 5 + (int) others.seed()) % nodes;
            for (int change = 0; change < 3; change++) {
                faults.add(new Fault.Clock(random.nextLong(slots), node, true, random.nextInt(2 * nodes)));
            }
            faults.add(new Fault.Clock(slots, node, true));
        }
        return new Faults(new FaultPlan(faults), others.seed());
    }

    /** Late clocks give the same with any workers and on threads, dummies included. */
    @ParameterizedTest
    @CsvSource({"8, 1, 0, 4", "16, 4, 3, 8"})
    void shouldGiveTheSameInEveryEngine(final int nodes, final int channels, final int propagation, final int ports) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation);
        final FlowSet flows = Flows.random(3, nodes, 10 * nodes, 1500, 40);
        final Faults faults = late(Scripts.of(), nodes, 2000, 3);
        final Outcome one = Outcomes.lockStep(shoal, flows, faults, 1, true, 0);
        assertTrue(one.count(NicCounter.WRONG_DESTINATION) > 0);
        same(one, Outcomes.lockStep(shoal, flows, faults, 3, false, 0), "workers");
        same(one, Outcomes.threads(shoal, flows, faults, Clos.of(shoal.schedule(), ports).wiring(),
            Threading.separate(3, 2, Idle.BACKOFF), 0), "threads");
    }

    /**
     * Switches that follow another order of columns than nodes: Appendix A's order of seven nodes, where all others
     * take the plain one. Half of the columns lead elsewhere, for ever.
     */
    @Test
    void shouldNoticeSwitchesThatConnectWrongly() {
        final Shoal shoal = Parts.shoal(7, 1, 0);
        final FlowSet flows = Flows.random(5, 7, 60, 400, 40);
        final Faults guarded = Scripts.of(new Fault.Corruption(0, 0));
        final Clos right = Clos.of(shoal.schedule(), 4);
        final Clos wrong = Clos.of(RoundRobin.rearranged(7, 1, 0), 4);
        final Outcome sound = threads(shoal, flows, guarded, right);
        assertEquals(0, sound.count(NicCounter.WRONG_DESTINATION));
        assertEquals(Outcomes.lockStep(shoal, flows, guarded, 1, false, 0).digest(), sound.digest());
        final Outcome astray = threads(shoal, flows, guarded, wrong);
        assertTrue(astray.count(NicCounter.WRONG_DESTINATION) > 0, "nothing was noticed");
    }

    private static Outcome threads(final Shoal shoal, final FlowSet flows, final Faults faults, final Clos clos) {
        return Outcomes.threads(shoal, flows, faults, clos.wiring(), Threading.shared(2, Idle.BACKOFF), 0);
    }

    private static void same(final Outcome expected, final Outcome actual, final String how) {
        assertEquals(expected.digest(), actual.digest(), how);
        assertEquals(expected.slots(), actual.slots(), how);
        assertEquals(expected.sampled().dummies(), actual.sampled().dummies(), how);
        assertTrue(actual.sampled().dummies() > 0, how);
        for (final NicCounter counter : COUNTED) {
            assertEquals(expected.count(counter), actual.count(counter), how + " " + counter);
        }
    }

    /** One cell in a thousand is damaged while links and nodes of a rack go down and up. */
    private static Faults script() {
        final List<Fault> faults = new ArrayList<>();
        faults.add(new Fault.Corruption(0, 0.001));
        faults.add(new Fault.Corruption(CLEAN * RACK_EPOCH, 0));
        for (int i = 0; i < 12; i++) {
            final int from = i * 5 % RACK;
            final int to = (i * 11 + 33) % RACK;
            faults.add(new Fault.Link((FIRST + 9 * i) * RACK_EPOCH + i, from, to, false));
            faults.add(new Fault.Link((MENDED - 4 * i) * RACK_EPOCH + 3 * i, from, to, true));
            if (i % 2 == 0) {
                faults.add(new Fault.Link((FIRST + 9 * i) * RACK_EPOCH + i, to, from, false));
                faults.add(new Fault.Link((MENDED - 4 * i) * RACK_EPOCH + 3 * i, to, from, true));
            }
        }
        for (int i = 0; i < CRASHES.length; i++) {
            faults.add(new Fault.Node((FIRST + 20 + 30 * i) * RACK_EPOCH + 7, CRASHES[i], false));
            faults.add(new Fault.Node((FIRST + 60 + 40 * i) * RACK_EPOCH + 7, CRASHES[i], true));
        }
        return new Faults(new FaultPlan(faults), 3);
    }

    /** Every node sends to another without end; what a crash ends is sent anew when all is mended. */
    private static FlowSet permutation() {
        final FlowSet flows = Flows.endless(RACK, 21);
        for (int from = 0; from < RACK; from++) {
            for (final int crash : CRASHES) {
                if (from == crash || (from + 21) % RACK == crash) {
                    flows.add(RACK + from, from, (from + 21) % RACK, Long.MAX_VALUE, FlowSet.ENDLESS,
                        ANEW * RACK_EPOCH);
                }
            }
        }
        return flows;
    }

    /** Cells delivered in a stretch of epochs. */
    private static long delivered(final LockStep fabric, final long fromEpoch, final long toEpoch) {
        fabric.advance(fromEpoch * RACK_EPOCH - fabric.outcome().slots());
        final long before = fabric.count(NicCounter.CELLS_DELIVERED);
        fabric.advance((toEpoch - fromEpoch) * RACK_EPOCH);
        return fabric.count(NicCounter.CELLS_DELIVERED) - before;
    }

    /** When all is mended, the throughput is that of a rack in which nothing ever failed. */
    @Test
    void shouldRecoverItsThroughput() {
        try (LockStep sound = new LockStep(Parts.of(SHOAL), permutation(), 1, false);
            LockStep fabric = new LockStep(Parts.of(SHOAL), permutation(), script(), 2, false)) {
            final long full = delivered(sound, ANEW + 40, CLEAN);
            final long fullAgain = delivered(sound, CALM, END);
            final double shaken = delivered(fabric, FIRST, MENDED) / (double) (MENDED - FIRST) * (CLEAN - ANEW - 40);
            final double damaged = delivered(fabric, ANEW + 40, CLEAN);
            final long unused = fabric.count(NicCounter.TURNS_UNUSED);
            final double mended = delivered(fabric, CALM, END);
            final String said = "full=" + full + " shaken=" + shaken + " damaged=" + damaged + "; full again="
                + fullAgain + " mended=" + mended;
            assertTrue(shaken > 0.75 * full && shaken < 0.99 * full, said);
            assertTrue(damaged > 0.96 * full, said);
            assertEquals(fullAgain, mended, 0.0005 * fullAgain, said);
            assertEquals(2 * CRASHES.length, fabric.count(NicCounter.FLOWS_FAILED));
            assertEquals(unused, fabric.count(NicCounter.TURNS_UNUSED), "everybody has found everybody");
        }
    }

    @Test
    void shouldLoseNothingElseAndGiveTheSameInBothEngines() {
        final FlowSet flows = Flows.random(11, RACK, 3000, 300L * RACK_EPOCH, 120);
        final long cells = Flows.cells(flows);
        final Outcome lockStep = Outcomes.lockStep(SHOAL, flows, script(), 1, false, 0);
        final Outcome threads = Outcomes.threads(SHOAL, flows, script(), Clos.of(RACK_SCHEDULE, 16).wiring(),
            Threading.separate(5, 2, Idle.BACKOFF), 0);
        assertEquals(lockStep.digest(), threads.digest());
        assertEquals(lockStep.slots(), threads.slots());
        assertEquals(0, lockStep.cellsHeld());
        assertTrue(lockStep.slots() > MENDED * RACK_EPOCH, "slots=" + lockStep.slots());
        long dropped = 0;
        for (final NicCounter drop : NicCounter.DROPS) {
            assertEquals(lockStep.count(drop), threads.count(drop), drop.name());
            dropped += lockStep.count(drop);
        }
        final long lost = dropped - lockStep.count(NicCounter.CELLS_RESENT) - lockStep.count(NicCounter.CELLS_REFUSED)
            - lockStep.count(NicCounter.CELLS_REROUTED);
        assertEquals(cells, lockStep.count(NicCounter.CELLS_DELIVERED) + lockStep.count(NicCounter.CELLS_NOT_SENT)
            + lost);
        assertTrue(lost <= lockStep.count(NicCounter.DROPPED_WITH_LINK) + lockStep.count(NicCounter.DROPPED_NODE_DOWN)
            + lockStep.count(NicCounter.DROPPED_ON_WAY), "lost=" + lost);
        assertTrue(lockStep.count(NicCounter.DROPPED_DAMAGED) > 50);
        assertTrue(lost < 0.01 * cells, "lost=" + lost + " of " + cells);
    }

    /** The first slot from one on in which a node sends to another. */
    private static long turn(final int from, final int to, final long since) {
        return since + Math.floorMod(SCHEDULE.slotTo(from, to) - since, EPOCH);
    }

    private static FlowSet flow(final int from, final int to, final int cells) {
        final FlowSet flows = new FlowSet();
        Flows.add(flows, from, to, cells, 0);
        return flows;
    }

    private static FaultyShoal fabric(final FlowSet flows, final Fault... faults) {
        return new FaultyShoal(Parts.shoal(SCHEDULE, 0), flows, Scripts.of(faults), 2);
    }

    @ParameterizedTest
    @CsvSource({"0, 3, 5", "0, 5, 3", "0, 8, 0", "3, 3, 5", "20, 3, 5"})
    void shouldTakeEachOtherForDownAtTheFirstSilence(final int propagation, final int from, final int to) {
        final long heard = turn(from, to, CUT) + propagation;
        final long answered = turn(to, from, heard + 1) + propagation;
        try (FaultyShoal fabric = new FaultyShoal(Parts.shoal(SCHEDULE, propagation), flow(0, 1, 3),
            Scripts.of(new Fault.Link(CUT, from, to, false)), 2)) {
            fabric.stepTo(heard);
            assertEquals(NODES * (NODES - 1), fabric.up());
            fabric.step();
            assertEquals(NeighbourTable.DOWN, fabric.state(to, from));
            assertEquals(NODES * (NODES - 1) - 1, fabric.up());
            fabric.stepTo(answered);
            assertEquals(NeighbourTable.UP, fabric.state(from, to));
            fabric.step();
            assertEquals(NeighbourTable.DOWN, fabric.state(from, to));
            fabric.stepTo(answered + 5 * EPOCH);
            assertEquals(NODES * (NODES - 1) - 2, fabric.up(), "nobody else is concerned");
        }
    }

    @Test
    void shouldTellTheOthersInTheirNextSlot() {
        final long known = turn(3, 5, CUT);
        try (FaultyShoal fabric = fabric(flow(0, 1, 3), new Fault.Link(CUT, 3, 5, false))) {
            for (fabric.stepTo(known + 1); fabric.slot <= known + EPOCH; fabric.step()) {
                for (int other = 0; other < NODES; other++) {
                    if (other != 5 && other != 3) {
                        assertEquals(turn(5, other, known + 1) >= fabric.slot, fabric.believes(other, 5, 3),
                            "node " + other + " before slot " + fabric.slot);
                    }
                }
            }
        }
    }

    /** A message is a cell: damaged, it is as good as not sent, and the next epoch brings it again. */
    @Test
    void shouldTellAnEpochLaterWhomTheMessageReachedDamaged() {
        final long told = turn(5, 7, turn(3, 5, CUT) + 1);
        try (FaultyShoal fabric = fabric(flow(0, 1, 3), new Fault.Link(CUT, 3, 5, false),
            new Fault.Corruption(told, 1), new Fault.Corruption(told + 1, 0))) {
            fabric.stepTo(told + EPOCH);
            assertTrue(fabric.believes(7, 5, 3));
            fabric.step();
            assertFalse(fabric.believes(7, 5, 3));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 40", "0, 43", "0, 57", "4, 41", "30, 60"})
    void shouldComeTogetherAtTheStartOfAnEpoch(final int propagation, final int mendedEpoch) {
        final long mended = (long) mendedEpoch * EPOCH + 2;
        try (FaultyShoal fabric = new FaultyShoal(Parts.shoal(SCHEDULE, propagation), flow(0, 1, 3),
            Scripts.of(new Fault.Link(CUT, 3, 5, false), new Fault.Link(mended, 3, 5, true)), 1)) {
            fabric.stepTo(mended);
            while (fabric.up() < NODES * (NODES - 1)) {
                final int before = fabric.up();
                fabric.step();
                assertTrue(fabric.up() == before || (fabric.slot - 1) % EPOCH == 0, "up in slot " + (fabric.slot - 1));
                // A probe, its answer and the answer to that, each in its epoch.
                assertTrue(fabric.slot < mended + (PROBE + 5L) * EPOCH + 4 * propagation, fabric.counts());
            }
            fabric.stepTo(fabric.slot + 3 * EPOCH + propagation);
            for (int other = 0; other < NODES; other++) {
                assertTrue(other == 5 || other == 3 || fabric.believes(other, 5, 3) && fabric.believes(other, 3, 5));
                assertTrue(other == 3 || other == 5 || fabric.believes(3, 5, other), "the two have told each other");
            }
        }
    }

    @Test
    void shouldStayApartWhileOneDirectionIsCut() {
        try (FaultyShoal fabric = fabric(flow(0, 1, 3), new Fault.Link(CUT, 3, 5, false))) {
            fabric.stepTo(CUT + 2 * EPOCH);
            for (long end = fabric.slot + 200 * EPOCH; fabric.slot < end; fabric.step()) {
                assertTrue(fabric.state(3, 5) != NeighbourTable.UP && fabric.state(5, 3) != NeighbourTable.UP);
                assertEquals(NeighbourTable.DOWN, fabric.state(5, 3), "hears nothing");
            }
            assertEquals(NeighbourTable.HEARD, fabric.state(3, 5), "hears the other's probes");
        }
    }

    /** The source re-sends what it does not know to have arrived, through others (§5.2 step 3): nothing is lost. */
    @ParameterizedTest
    @CsvSource({"0", "3", "20"})
    void shouldLoseNothingOfASourceThatLosesALink(final int propagation) {
        final int cells = 40 * NODES;
        for (int cut = 1; cut < NODES; cut++) {
            final FlowSet flows = flow(0, 4, cells);
            try (FaultyShoal fabric = new FaultyShoal(Parts.shoal(SCHEDULE, propagation), flows,
                Scripts.of(new Fault.Link(CUT, 0, cut, false)), 1)) {
                assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
                assertEquals(cells, fabric.received(0), "cut=" + cut + " " + fabric.counts());
                assertTrue(fabric.count(NicCounter.DROPPED_ON_WAY) > 0, "the link was in use");
                assertTrue(fabric.count(NicCounter.CELLS_REROUTED) > 0);
                assertEquals(0, fabric.lost(), "cut=" + cut + " " + fabric.counts());
            }
        }
    }

    /** What a relay holds for a neighbour that goes down is dropped; what comes for it later is refused (§5.2, §10). */
    @Test
    void shouldDropWhatWaitsForALostNeighbourAndRefuseWhatComes() {
        final FlowSet flows = new FlowSet();
        for (int from = 1; from < NODES; from++) {
            if (from != 4) {
                Flows.add(flows, from, 4, 200, 0);
            }
        }
        long refused = 0;
        for (long late = 30 * EPOCH; late < 40 * EPOCH; late += 7) {
            try (FaultyShoal fabric = fabric(flows, new Fault.Link(late, 4, 2, false))) {
                fabric.stepTo(turn(4, 2, late));
                final ShoalQueues queues = fabric.banks[0].parts().queues()[0];
                final long waiting = queues.length(queues.queue(1, 2));
                fabric.step();
                assertTrue(waiting > 2, "waiting=" + waiting);
                assertEquals(waiting - fabric.count(NicCounter.CELLS_RETURNED),
                    fabric.count(NicCounter.DROPPED_WITH_LINK));
                fabric.stepTo(fabric.slot + 3 * EPOCH);
                refused += fabric.count(NicCounter.CELLS_REFUSED);
                final long early = fabric.count(NicCounter.DROPPED_NO_WAY);
                assertTrue(fabric.settle(3000 * EPOCH), fabric.counts());
                assertEquals(early, fabric.count(NicCounter.DROPPED_NO_WAY), "once told, they send no more that way");
                assertEquals(fabric.count(NicCounter.DROPPED_NO_WAY), fabric.count(NicCounter.CELLS_REFUSED));
                assertTrue(fabric.lost() <= fabric.leftToTransport(), fabric.counts());
                assertEquals(7 * 200, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.lost());
            }
        }
        assertTrue(refused > 0, "some come before their sources know");
    }

    @Test
    void shouldGiveUpMessagesToANodeThatFailedAndTakeThemAgainLater() {
        final FlowSet flows = new FlowSet();
        Flows.add(flows, 1, 4, 5000, 0);
        Flows.add(flows, 4, 2, 5000, 0);
        Flows.add(flows, 3, 4, 10, CUT + 20 * EPOCH);
        Flows.add(flows, 3, 4, 10, CUT + 100 * EPOCH);
        Flows.add(flows, 4, 3, 10, CUT + 100 * EPOCH);
        try (FaultyShoal fabric = fabric(flows, new Fault.Node(CUT, 4, false),
            new Fault.Node(CUT + 60 * EPOCH, 4, true))) {
            fabric.stepTo(CUT + 1);
            assertEquals(1, fabric.count(NicCounter.FLOWS_FAILED), "what the node was to send");
            assertEquals(1, fabric.banks[0].count(NicCounter.FLOWS_FAILED)
                + fabric.banks[1].count(NicCounter.FLOWS_FAILED));
            fabric.stepTo(CUT + 5 * EPOCH);
            assertEquals(2, fabric.count(NicCounter.FLOWS_FAILED), "what it was to receive");
            assertTrue(fabric.settle(300 * EPOCH), fabric.counts());
            assertEquals(3, fabric.count(NicCounter.FLOWS_FAILED), "what starts while it is down");
            assertEquals(10, fabric.received(3), "what starts when it is up again");
            assertEquals(10, fabric.received(4));
            assertEquals(0, fabric.received(2));
            assertEquals(10030, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.count(NicCounter.CELLS_NOT_SENT)
                + fabric.lost());
            assertTrue(fabric.lost() <= fabric.leftToTransport(), fabric.counts());
        }
    }

    /** A node that starts anew has forgotten all and learns it again: later it tells who else has failed. */
    @Test
    void shouldKnowWhoFailedAfterItStartedAnewItself() {
        final FlowSet flows = new FlowSet();
        Flows.add(flows, 4, 6, 5000, 100 * EPOCH);
        Flows.add(flows, 4, 7, 500, 100 * EPOCH);
        try (FaultyShoal fabric = fabric(flows, new Fault.Node(CUT, 4, false),
            new Fault.Node(CUT + 20 * EPOCH, 4, true), new Fault.Node(110 * EPOCH, 6, false))) {
            fabric.stepTo(110 * EPOCH);
            assertEquals(0, fabric.count(NicCounter.FLOWS_FAILED));
            fabric.stepTo(115 * EPOCH);
            assertEquals(1, fabric.count(NicCounter.FLOWS_FAILED));
            assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
            assertEquals(5500, fabric.count(NicCounter.CELLS_DELIVERED) + fabric.count(NicCounter.CELLS_NOT_SENT)
                + fabric.lost());
            assertTrue(fabric.received(1) >= 498, fabric.counts());
        }
    }

    /** Nobody missed a cell of it, but it knows of nobody: all find that out. */
    @Test
    void shouldNoticeANodeThatStartsAnewBetweenTwoTurns() {
        for (int slots = 1; slots < EPOCH; slots++) {
            final FlowSet flows = new FlowSet();
            Flows.add(flows, 1, 2, 2000, 0);
            Flows.add(flows, 4, 1, 20, 60 * EPOCH);
            Flows.add(flows, 1, 4, 20, 60 * EPOCH);
            try (FaultyShoal fabric = fabric(flows, new Fault.Node(CUT, 4, false),
                new Fault.Node(CUT + slots, 4, true))) {
                fabric.stepTo(CUT + slots + EPOCH);
                for (int other = 0; other < NODES; other++) {
                    assertTrue(other == 4 || fabric.state(other, 4) != NeighbourTable.UP,
                        "slots=" + slots + " node=" + other);
                }
                assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
                assertEquals(NODES * (NODES - 1), fabric.up());
                assertEquals(20, fabric.received(1));
                assertEquals(20, fabric.received(2));
            }
        }
    }

    @Test
    void shouldLetInANodeThatIsLate() {
        final FlowSet flows = new FlowSet();
        Flows.add(flows, 1, 4, 20, 0);
        Flows.add(flows, 1, 2, 200, 0);
        Flows.add(flows, 4, 1, 20, 60 * EPOCH);
        Flows.add(flows, 1, 4, 20, 60 * EPOCH);
        try (FaultyShoal fabric = fabric(flows, new Fault.Node(0, 4, false), new Fault.Node(30 * EPOCH + 1, 4, true))) {
            fabric.step();
            assertEquals((NODES - 1) * (NODES - 2), fabric.up(), "known from the start");
            assertEquals(1, fabric.count(NicCounter.FLOWS_FAILED));
            assertTrue(fabric.settle(1000 * EPOCH), fabric.counts());
            assertEquals(0, fabric.received(0));
            assertEquals(200, fabric.received(1));
            assertEquals(20, fabric.received(2));
            assertEquals(20, fabric.received(3));
            assertEquals(0, fabric.count(NicCounter.NEIGHBOURS_DOWN));
            assertEquals(2 * (NODES - 1), fabric.count(NicCounter.NEIGHBOURS_UP));
        }
    }

    /** Who has no neighbour left has nobody who could report; it waits for two probes of each and gives up. */
    @ParameterizedTest
    @CsvSource({"2", "5"})
    void shouldEndWhenANodeIsCutOff(final int nodes) {
        final Fault[] cuts = IntStream.range(1, nodes)
            .mapToObj(other -> new Fault.Link(30, other, 0, false)).toArray(Fault[]::new);
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        Flows.add(flows, 1, 0, 500, 0);
        try (LockStep fabric = new LockStep(Parts.of(Parts.shoal(nodes, 1, 0)), flows, Scripts.of(cuts), 1, true)) {
            fabric.run(0, (slot, delivered, completed) -> slot < 1000L * nodes);
            assertTrue(fabric.outcome().slots() < 100L * nodes, "slots=" + fabric.outcome().slots());
            assertEquals(2, fabric.count(NicCounter.FLOWS_FAILED));
        }
    }

    /** In one slot every cell is damaged: both ends of every pair that met send their last cells again, once. */
    @ParameterizedTest
    @CsvSource({"5, 1, 0", "8, 1, 0", "8, 2, 0", "9, 1, 4", "9, 2, 30", "8, 1, 13"})
    void shouldRepairOneSlotOfDamage(final int nodes, final int channels, final int propagation) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation);
        final long epoch = shoal.schedule().epochSlots();
        final FlowSet flows = Flows.allToAll(nodes, 60);
        for (long slot = 10 * epoch; slot < 11 * epoch; slot++) {
            try (FaultyShoal fabric = new FaultyShoal(shoal, flows, Scripts.of(new Fault.Corruption(slot, 1),
                new Fault.Corruption(slot + 1, 0)), 1)) {
                assertTrue(fabric.settle(2000 * epoch), fabric.counts());
                final long cells = fabric.count(NicCounter.DROPPED_DAMAGED);
                assertTrue(cells > 0 && cells <= fabric.count(NicCounter.CELLS_DAMAGED), fabric.counts());
                assertTrue(fabric.count(NicCounter.CELLS_DAMAGED) <= (long) channels * nodes, fabric.counts());
                // A damaged cell, and the one that its report was about: that arrived, so it arrives twice.
                assertTrue(fabric.count(NicCounter.CELLS_RESENT) <= 2 * fabric.count(NicCounter.CELLS_DAMAGED),
                    fabric.counts());
                assertEquals(fabric.count(NicCounter.CELLS_RESENT) - cells,
                    fabric.count(NicCounter.DROPPED_DUPLICATE), fabric.counts());
                assertEquals(0, fabric.lost(), fabric.counts());
                assertEquals(flows.size(), fabric.count(NicCounter.FLOWS_COMPLETED), fabric.counts());
            }
        }
    }

    /** The cell goes again in the next turn of its sender, before all others. */
    @Test
    void shouldSendAgainInTheNextTurn() {
        final FlowSet flows = flow(0, 2, 1);
        // The first turn of node 0 is to node 1, in slot 0; node 1 reports in slot 3; the next turn is in slot 4.
        try (FaultyShoal fabric = new FaultyShoal(Parts.shoal(5, 1, 0), flows, Scripts.of(
            new Fault.Corruption(0, 1), new Fault.Corruption(1, 0)), 1)) {
            final List<Long> resent = new ArrayList<>();
            for (int slot = 0; slot < 12; slot++) {
                fabric.step();
                resent.add(fabric.count(NicCounter.CELLS_RESENT));
            }
            assertEquals(List.of(0L, 0L, 0L, 0L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L), resent);
            assertTrue(fabric.isSettled());
            assertEquals(1, fabric.received(0));
        }
    }

    /** After eight repetitions that came to nothing a neighbour counts as down, and the cell goes another way later. */
    @ParameterizedTest
    @CsvSource({"7, 1, 0", "8, 1, 0", "9, 2, 5"})
    void shouldGiveUpANeighbourThatTakesInNothing(final int nodes, final int channels, final int propagation) {
        final Shoal shoal = Parts.shoal(nodes, channels, propagation);
        final long epoch = shoal.schedule().epochSlots();
        final FlowSet flows = flow(0, 2, 40);
        try (FaultyShoal fabric = new FaultyShoal(shoal, flows, Scripts.of(new Fault.Corruption(0, 1),
            new Fault.Corruption(40 * epoch, 0)), 1)) {
            long before = 0;
            while (fabric.count(NicCounter.NEIGHBOURS_DOWN) == 0) {
                before = fabric.count(NicCounter.CELLS_RESENT);
                fabric.step();
                assertTrue(fabric.slot < 60 * epoch, fabric.counts());
            }
            assertTrue(before >= 8, "resent before: " + before);
            fabric.stepTo(40 * epoch);
            int down = 0;
            for (int other = 1; other < nodes; other++) {
                down += fabric.state(0, other) == NeighbourTable.UP ? 0 : 1;
            }
            assertEquals(nodes - 1, down, "the source has lost all");
            // Eight repetitions on each link, fewer where several cells were under way at once.
            assertTrue(fabric.count(NicCounter.CELLS_RESENT) <= 8 * (nodes - 1), fabric.counts());
            assertTrue(fabric.count(NicCounter.CELLS_RESENT) == 8 * (nodes - 1) || nodes != 7, fabric.counts());
            assertTrue(fabric.settle(500 * epoch), fabric.counts());
            assertEquals(40, fabric.received(0) + fabric.count(NicCounter.CELLS_NOT_SENT), fabric.counts());
        }
    }
}
