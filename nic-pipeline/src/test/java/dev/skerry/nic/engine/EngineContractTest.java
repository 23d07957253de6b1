package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Wiring;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** What every engine promises, whatever the fabric and however many threads it has. */
@Isolated("it counts the threads of the JVM")
@Timeout(300)
final class EngineContractTest {
    /** Looks after which a test gives up waiting for what should have ended the run. */
    private static final int MANY_LOOKS = 20_000;

    private Set<Thread> before;

    @BeforeEach
    void lookAtThreads() {
        before = workers();
    }

    @AfterEach
    void forgetTheInterrupt() {
        Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource
    void shouldStopWhenInterruptedWhileRunning(final EngineKind kind) {
        try (Engine engine = kind.of(endless(kind))) {
            final int[] looks = new int[1];
            final IllegalStateException failure = assertThrows(IllegalStateException.class,
                () -> engine.run(0, (slot, delivered, completed) -> {
                    if (++looks[0] == 3) {
                        Thread.currentThread().interrupt();
                    }
                    return looks[0] < 50;
                }));
            assertEquals("interrupted", failure.getMessage());
            assertTrue(Thread.currentThread().isInterrupted(), "the interrupt is kept");
            assertNoWorkers();
        }
    }

    /** The last worker is held up in its bank when another thread fails and the owner is interrupted. */
    @ParameterizedTest
    @EnumSource
    void shouldJoinItsWorkersWhenInterruptedWhileJoining(final EngineKind kind) throws InterruptedException {
        if (kind.lockStep && kind.workers == 1) {
            return;
        }
        final Held held = new Held(Thread.currentThread());
        final HookedEdges edges = new HookedEdges(held::hold, false);
        final RuntimeException planted = new IllegalArgumentException("planted");
        final Thread releaser = Thread.ofPlatform().start(held::release);
        final boolean left;
        try (Engine engine = kind.of(edges.flows(kind.fabric.population().endpoints()), edges)) {
            try {
                assertSame(planted, assertThrows(RuntimeException.class, () -> engine.run(0,
                    (slot, delivered, completed) -> {
                        // Free-running agents that share the held worker's thread may never reach that slot.
                        if (!kind.lockStep || slot >= HookedEdges.FROM) {
                            held.isHeld.acquireUninterruptibly();
                            Thread.currentThread().interrupt();
                            held.joining.set(true);
                            throw planted;
                        }
                        return true;
                    })));
                left = held.left.get();
            } finally {
                held.returned.set(true);
            }
            assertTrue(Thread.interrupted(), "the interrupt is kept");
            releaser.join();
            assertTrue(left, "the run returned while a worker was in its bank");
            assertNoWorkers();
        }
    }

    /** Between slots, and in one, when a bank asks for a cell. */
    @ParameterizedTest
    @EnumSource
    void shouldNameTheWorkerThatFails(final EngineKind kind) {
        shouldNameTheWorkerThatFails(kind, false);
        shouldNameTheWorkerThatFails(kind, true);
    }

    private void shouldNameTheWorkerThatFails(final EngineKind kind, final boolean atCell) {
        final RuntimeException planted = new IllegalArgumentException("planted");
        final HookedEdges edges = new HookedEdges(() -> {
            throw planted;
        }, atCell);
        try (Engine engine = kind.of(edges.flows(kind.fabric.population().endpoints()), edges)) {
            final int[] looks = new int[1];
            final IllegalStateException failure = assertThrows(IllegalStateException.class,
                () -> engine.run(0, (slot, delivered, completed) -> looks[0]++ < MANY_LOOKS));
            assertTrue(failure.getMessage().startsWith(kind.worker(edges.lastBank, edges.lastFirst)),
                failure::getMessage);
            assertTrue(failure.getMessage().endsWith(planted.toString()), failure::getMessage);
            assertSame(planted, failure.getCause());
            assertNoWorkers();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldHandOnWhatTheWatchThrows(final EngineKind kind) {
        try (Engine engine = kind.of(endless(kind))) {
            final RuntimeException planted = new IllegalArgumentException("planted");
            assertSame(planted, assertThrows(RuntimeException.class,
                () -> engine.run(0, (slot, delivered, completed) -> {
                    throw planted;
                })));
            assertNoWorkers();
        }
    }

    /** Flows are done long before the watch stops the run, so what it saw last is what was counted. */
    @ParameterizedTest
    @EnumSource
    void shouldTellTheWatchOfCellsDeliveredAndFlowsCompleted(final EngineKind kind) {
        final FlowSet flows = withOneThatNeverStarts(kind);
        try (Engine engine = kind.of(flows)) {
            final long[] seen = watched(engine, 3_000);
            assertEquals(flows.size() - 1, seen[2]);
            assertEquals(engine.count(NicCounter.FLOWS_COMPLETED), seen[2]);
            assertEquals(engine.count(NicCounter.CELLS_DELIVERED), seen[1]);
            assertEquals(engine.outcome().completed().length, seen[2]);
        }
    }

    /** Only Stardust knows of flows that can never be complete. */
    @ParameterizedTest
    @EnumSource(names = "STARDUST.*", mode = EnumSource.Mode.MATCH_ALL)
    void shouldNotTellTheWatchOfFlowsThatFailed(final EngineKind kind) {
        final Faults faults = new Faults(new FaultPlan(List.of(new Fault.Corruption(0, 0.05))), 3);
        try (Engine engine = kind.of(withOneThatNeverStarts(kind), kind.workers, faults)) {
            final long[] seen = watched(engine, 9_000);
            assertTrue(engine.count(NicCounter.FLOWS_FAILED) > 0);
            assertEquals(engine.count(NicCounter.FLOWS_COMPLETED), seen[2]);
        }
    }

    /** Circuit fabrics go on for the propagation delay after the limit, Stardust does not. */
    @ParameterizedTest
    @EnumSource
    void shouldGoOnForThePropagationDelayWhereCircuitsAre(final EngineKind kind) {
        final long limit = 101;
        final FlowSet flows = endless(kind);
        try (Engine engine = kind.of(flows); Engine reference = kind.reference(flows)) {
            engine.run(limit);
            EngineKind.advance(reference, limit + kind.slotsMore());
            assertEquals(limit, engine.outcome().slots());
            assertSameCounts(reference, engine);
            assertTrue(engine.count(NicCounter.CELLS_DELIVERED) > 0);
            assertTrue(engine.outcome().cellsHeld() > 0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = ".*LOCKSTEP.*", mode = EnumSource.Mode.MATCH_ALL)
    void shouldEndInTwoPartsAsInOne(final EngineKind kind) {
        final FlowSet flows = Flows.random(3, kind.fabric.population().endpoints(), 100, 80, 20);
        try (Engine one = kind.of(flows); Engine parts = kind.of(flows); Engine rest = kind.of(flows)) {
            EngineKind.advance(one, 120);
            EngineKind.advance(parts, 37);
            EngineKind.advance(parts, 83);
            assertSameCounts(one, parts);
            EngineKind.advance(rest, 37);
            rest.run(120 - kind.slotsMore());
            assertSameCounts(one, rest);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveTheSameTwiceInARow(final EngineKind kind) {
        final FlowSet flows = Flows.random(5, kind.fabric.population().endpoints(), 100, 80, 20);
        final Outcome first = Outcomes.run(kind.of(flows), 0);
        Outcomes.same(first, Outcomes.run(kind.of(flows), 0), "twice");
        assertNoWorkers();
        assertEquals(flows.size(), first.completed().length);
    }

    /** Runs until long after all flows that start are done; what the watch was told last. */
    private static long[] watched(final Engine engine, final long end) {
        final long[] seen = new long[3];
        engine.run(0, (slot, delivered, completed) -> {
            assertTrue(slot >= seen[0] && delivered >= seen[1] && completed >= seen[2], "numbers fall");
            seen[0] = slot;
            seen[1] = delivered;
            seen[2] = completed;
            return slot < end;
        });
        assertTrue(seen[0] >= end, () -> "slot=" + seen[0]);
        return seen;
    }

    private static FlowSet withOneThatNeverStarts(final EngineKind kind) {
        final FlowSet flows = Flows.random(7, kind.fabric.population().endpoints(), 60, 80, 10);
        flows.add(1, 0, 1, 244, 1, 1 << 30);
        return flows;
    }

    private static FlowSet endless(final EngineKind kind) {
        return Flows.endless(kind.fabric.population().endpoints(), 5);
    }

    private static void assertSameCounts(final Engine expected, final Engine actual) {
        for (final NicCounter counter : NicCounter.values()) {
            assertEquals(expected.count(counter), actual.count(counter), counter::name);
        }
        assertEquals(expected.outcome().digest(), actual.outcome().digest());
    }

    private void assertNoWorkers() {
        final Set<Thread> left = new HashSet<>(workers());
        left.removeAll(before);
        assertEquals(Set.of(), left, "threads of the engine are still there");
    }

    private static Set<Thread> workers() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("skerry-"))
            .collect(Collectors.toSet());
    }

    /** Holds a worker up until the owner of the run waits for it, or does not. */
    private static final class Held {
        private final Thread owner;
        private final Semaphore isHeld = new Semaphore(0);
        private final Semaphore goOn = new Semaphore(0);
        private final AtomicBoolean joining = new AtomicBoolean();
        private final AtomicBoolean returned = new AtomicBoolean();
        private final AtomicBoolean left = new AtomicBoolean();

        Held(final Thread owner) {
            this.owner = owner;
        }

        /** On the worker. */
        void hold() {
            isHeld.release();
            goOn.acquireUninterruptibly();
            left.set(true);
        }

        /** On a thread of its own. */
        void release() {
            while (!returned.get() && !(joining.get() && isWaiting(owner.getState()))) {
                Thread.yield();
            }
            goOn.release(MANY_LOOKS);
        }

        private static boolean isWaiting(final Thread.State state) {
            return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        }
    }

    /** Every engine with every fabric it runs. */
    enum EngineKind {
        SHALE_LOCKSTEP(true, 1, shale(7)),
        SHALE_LOCKSTEP_3(true, 3, shale(7)),
        SHALE_LOCKSTEP_NO_DELAY(true, 1, shale(0)),
        SHALE_LOCKSTEP_NO_DELAY_3(true, 3, shale(0)),
        SHOAL_LOCKSTEP_3(true, 3, Parts.shoal(8, 2, 3)),
        SHALE_THREADS(false, 3, shale(7)),
        SHOAL_THREADS(false, 3, Parts.shoal(8, 2, 3)),
        STARDUST_LOCKSTEP(true, 1, stardust()),
        STARDUST_LOCKSTEP_3(true, 3, stardust()),
        STARDUST_THREADS(false, 3, stardust());

        final boolean lockStep;
        final int workers;
        final Fabric fabric;

        EngineKind(final boolean lockStep, final int workers, final Fabric fabric) {
            this.lockStep = lockStep;
            this.workers = workers;
            this.fabric = fabric;
        }

        boolean isStardust() {
            return fabric instanceof Stardust;
        }

        /** Slots done beyond the limit of a run. */
        long slotsMore() {
            return isStardust() ? 0 : fabric.propagationSlots();
        }

        /** What the message of a failure calls whoever runs a bank. */
        String worker(final int bank, final int firstEndpoint) {
            return (lockStep ? "worker " + bank : isStardust() ? "adapters-" + firstEndpoint / 2
                : "nic-" + firstEndpoint) + " failed";
        }

        Engine of(final FlowSet flows) {
            return of(flows, workers, Faults.NONE);
        }

        Engine of(final FlowSet flows, final int threads, final Faults faults) {
            if (fabric instanceof final Stardust of) {
                return lockStep ? new StardustEngine(of, flows, faults, ReachTiming.USUAL, threads, false)
                    : new StardustThreads(of, flows, faults, ReachTiming.USUAL, null, threading(threads));
            }
            return lockStep ? new LockStep(Parts.of(circuits()), flows, faults, threads, false)
                : new FreeRunning(Parts.of(circuits()), flows, faults, wiring(), threading(threads), false);
        }

        Engine of(final FlowSet flows, final Edges edges) {
            if (fabric instanceof final Stardust of) {
                return lockStep ? new StardustEngine(of, flows, Faults.NONE, ReachTiming.USUAL, workers, false, edges,
                    Idle.YIELD)
                    : new StardustThreads(of, flows, Faults.NONE, ReachTiming.USUAL, edges, threading(workers));
            }
            final Traffic traffic = new Traffic(flows, Faults.NONE, edges);
            return lockStep ? new LockStep(Parts.of(circuits()), traffic, workers, Idle.YIELD, false)
                : new FreeRunning(Parts.of(circuits()), traffic, wiring(), threading(workers), false);
        }

        /** Lock step over the same fabric, one worker. */
        Engine reference(final FlowSet flows) {
            return fabric instanceof final Stardust of ? new StardustEngine(of, flows, 1)
                : new LockStep(Parts.of(circuits()), flows, 1, false);
        }

        /** Goes on by some slots; lock step only. */
        static void advance(final Engine engine, final long slots) {
            switch (engine) {
                case final LockStep circuits -> circuits.advance(slots);
                case final StardustEngine stardust -> stardust.advance(slots);
                default -> throw new IllegalArgumentException("not in lock step: " + engine);
            }
        }

        private CircuitFabric circuits() {
            return (CircuitFabric) fabric;
        }

        private Wiring wiring() {
            return fabric instanceof final Shale shale ? PhaseGroupSwitches.wiring(shale.schedule())
                : Clos.of(((Shoal) fabric).schedule(), 4).wiring();
        }

        private static Threading threading(final int threads) {
            return Threading.shared(threads, Idle.YIELD);
        }

        private static Shale shale(final int propagation) {
            return Parts.shale(2, 4, Mechanisms.HBH_SPRAY, 1, propagation, 1);
        }

        private static Stardust stardust() {
            return new Stardust(Deployment.full(new FoldedClos(new FoldedClosConfig(8, 4, 1, 4, 4, List.of(4)))), 3,
                new HostSide(2, 2, 1, 460, 1 << 16, 1 << 15, false),
                new CellCut(1500, 256, true, CellPacker.Packing.NONE), new Credits(4096, 470, 0, 0, 1, true),
                LinkRules.USUAL, true, 7);
        }
    }
}
