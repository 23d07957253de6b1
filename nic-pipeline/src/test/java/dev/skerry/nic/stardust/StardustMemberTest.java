package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Resumable.EngineState;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.together.MemberRuns;
import dev.skerry.together.MemoryExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Members that run a Stardust fabric together have the outcome of one process. */
class StardustMemberTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 1000);
    private static final LinkRules FULL = new LinkRules(2, 4, 8, 16, 12, true, Spraying.RENEWED);
    private static final Reno TCP = new Reno(40, 4, 600, 40, 12, 3);
    private static final Faults SCRIPT = script(new Fault.Node(0, Fabrics.full(Fabrics.SMALL).clos().tierStart(2),
        false), new Fault.Link(200, 16, 2, false), new Fault.Corruption(400, 1e-3),
        new Fault.Control(450, 0.05, 0.05), new Fault.Node(500, 7, false), new Fault.Node(700,
        Fabrics.full(Fabrics.SMALL).clos().tierStart(2), true), new Fault.Node(900, 7, true));

    private record Run(String name, Stardust fabric, FlowSet flows, Faults faults, ReachTiming healing, long slots,
        NicCounter shown) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Run> runs() {
        final Stardust nearby = Fabrics.packed(1, LinkRules.USUAL, true);
        final Stardust usual = Fabrics.packed(5, LinkRules.USUAL, false);
        final Stardust pausing = Fabrics.packed(2, FULL, true);
        final Stardust riding = Fabrics.packed(3, LinkRules.USUAL.carryingControl(), true);
        final Stardust push = new Stardust(Fabrics.full(Fabrics.SMALL), 2, new HostSide(4, 4, 1, 256, 1 << 16, 1 << 15,
            true), new CellCut(256, 256, false, Packing.CONTINUOUS), Credits.paced(256),
            LinkRules.dropping(12, Spraying.HASHED), false, 5);
        return Stream.of(
            calm("nearby", nearby, Fabrics.mixed(64, 400), 0, NicCounter.PACKETS_DELIVERED),
            calm("usual", usual, Fabrics.mixed(64, 400), 0, NicCounter.CREDITS_SENT),
            calm("pauses", pausing, incast(), 1500, NicCounter.PAUSES),
            calm("drops", push, Fabrics.allToAll(64, 1), 400, NicCounter.DROPPED_TAIL),
            calm("control on links", riding, Fabrics.mixed(64, 300), 0, NicCounter.CONTROL_BYTES),
            new Run("faults", Fabrics.packed(2, LinkRules.USUAL, true), Fabrics.mixed(64, 900), SCRIPT, HEALING, 0,
                NicCounter.PACKETS_LOST),
            new Run("faults, control on links", riding, Fabrics.mixed(64, 300), SCRIPT, HEALING, 1200,
                NicCounter.CONTROL_LOST),
            new Run("from nothing", usual, Fabrics.mixed(64, 100), Faults.NONE, HEALING.fromNothing(), 3000,
                NicCounter.PACKETS_DELIVERED),
            new Run("TCP, faults", Fabrics.withHosts(TCP, HostSignals.NONE), Fabrics.mixed(64, 300), SCRIPT, HEALING, 0,
                NicCounter.TIMEOUTS),
            calm("TCP, long flows", Fabrics.withHosts(new Reno(24, 2, 12, 40, 3000, 3), HostSignals.NONE),
                longFlows(), 0, NicCounter.FLOWS_COMPLETED),
            calm("DCTCP", Fabrics.withHosts(TCP.with(Congestion.Dctcp.USUAL),
                HostSignals.marking(MarkLaw.above(9000)).pausing(15_000)), incast(),
                0, NicCounter.PACKETS_MARKED),
            calm("MPTCP", Fabrics.withHosts(TCP.with(new Congestion.Mptcp(3)), HostSignals.NONE.pausing(15_000)),
                incast(), 0, NicCounter.HOST_PAUSES),
            calm("DCQCN", Fabrics.withHosts(TCP.with(new Congestion.Dcqcn(500, 550, 1L << 20, 8, 5, 0.5, 5)),
                HostSignals.marking(MarkLaw.above(9000)).pausing(15_000)), incast(), 4000, NicCounter.HOST_PAUSES));
    }

    private static Run calm(final String name, final Stardust fabric, final FlowSet flows, final long slots,
        final NicCounter shown) {
        return new Run(name, fabric, flows, Faults.NONE, HEALING, slots, shown);
    }

    private static FlowSet incast() {
        final FlowSet flows = new FlowSet();
        for (int from = 4; from < 64; from++) {
            flows.add(flows.size(), from, flows.size() % 4, 30_000, 118, from / 8);
        }
        return flows;
    }

    /** Of more packets than the log of a stream has room for. */
    private static FlowSet longFlows() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 16; from++) {
            flows.add(from, from, 63 - from, 400_000, 1563, from);
        }
        return flows;
    }

    private static Faults script(final Fault... faults) {
        return new Faults(new FaultPlan(List.of(faults)), 3);
    }

    @Sampled
    @ParameterizedTest
    @MethodSource("runs")
    void shouldEqualOneProcess(final Run run) {
        final Outcome one = alone(run);
        assertTrue(one.count(run.shown) > 0, run.shown + "=0");
        for (final int members : new int[] {1, 2, 3}) {
            for (final Outcome each : MemberRuns.of(members, exchange -> {
                try (exchange; StardustMember engine = member(run, exchange)) {
                    engine.run(run.slots);
                    return engine.outcome();
                }
            })) {
                Outcomes.same(one, each, run.name + " members=" + members);
            }
        }
    }

    /** The watch of one member stops all, in one slot, and new engines go on from what was written. */
    @ParameterizedTest
    @ValueSource(strings = {"usual", "TCP, faults"})
    void shouldGoOnFromCheckpoints(final String name, @TempDir final Path folder) {
        final Run run = runs().filter(of -> of.name.equals(name)).findFirst().orElseThrow();
        final Set<Long> stops = Set.copyOf(MemberRuns.of(3, exchange -> {
            final long[] seen = new long[1];
            try (StardustMember engine = member(run, exchange)) {
                engine.run(run.slots, (slot, delivered, completed) -> {
                    seen[0] = slot;
                    return exchange.member() != 1 || slot < 300;
                });
                assertFalse(engine.state().isOver());
                engine.state().save(folder.resolve("part-" + exchange.member()), "test");
                return seen[0];
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
        assertEquals(1, stops.size(), stops.toString());
        final Outcome one = alone(run);
        for (final Outcome each : MemberRuns.of(3, exchange -> {
            try (StardustMember engine = member(run, exchange)) {
                final EngineState state = engine.state();
                state.restore(Checkpoint.open(folder.resolve("part-" + exchange.member())));
                engine.run(run.slots);
                return engine.outcome();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        })) {
            Outcomes.same(one, each, name);
        }
    }

    @Test
    void shouldRefuseMoreMembersThanAdapters() {
        final Stardust fabric = Fabrics.packed(1, LinkRules.USUAL, true);
        assertThrows(IllegalArgumentException.class, () -> new StardustMember(fabric, new FlowSet(), Faults.NONE,
            HEALING, MemoryExchange.of(fabric.clos().fas() + 1)[0]));
    }

    private static StardustMember member(final Run run, final RowExchange exchange) {
        return new StardustMember(run.fabric, run.flows, run.faults, run.healing, exchange);
    }

    private static Outcome alone(final Run run) {
        return Outcomes.run(new StardustEngine(run.fabric, run.flows, run.faults, run.healing, 1, false), run.slots);
    }
}
