package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.Outcomes.same;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.together.MemberRuns;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Members that run a fabric together have the outcome of one process. */
final class MemberStepTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 7})
    void shouldEqualOneProcessToTheEndOfAllFlows(final int propagation) {
        checkControls(propagation, 3);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 17, 40, 89})
    void shouldEqualOneProcessWithAnyDelay(final int propagation) {
        checkControls(propagation, 1, 2, 3, 4, 7);
    }

    private static void checkControls(final int propagation, final int... members) {
        for (final MechanismSet control : Controls.ALL) {
            final FabricParts parts = shale(8, control, propagation, 3);
            check(parts, Flows.random(3, 64, 200, 200, 30), Faults.NONE, 0, control.toString(), members);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {1, 13})
    void shouldEqualOneProcessUpToASlotWithAnyDelay(final int propagation) {
        shouldEqualOneProcessUpToASlot(propagation);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 89})
    void shouldEqualOneProcessUpToASlot(final int propagation) {
        check(shale(16, Mechanisms.HBH_SPRAY, propagation, 5), Flows.endless(256, 77), Faults.NONE, 1000, "permutation",
            2, 3);
    }

    /** All rest between flows that are far apart, and end in the slot in which one process ends. */
    @Test
    void shouldRestTogether() {
        check(shale(8, Mechanisms.HBH_SPRAY, 40, 7), farApart(), Faults.NONE, 0, "rest", 2);
    }

    @Tag("long")
    @Test
    void shouldRestTogetherWithAnyMembersAndLimit() {
        final FlowSet flows = farApart();
        check(shale(8, Mechanisms.HBH_SPRAY, 40, 7), flows, Faults.NONE, 0, "rest", 2, 4);
        check(shale(8, Mechanisms.HBH_SPRAY, 40, 7), flows, Faults.NONE, 150_001, "rest, limited", 2, 4);
        check(shale(8, Mechanisms.of("isd"), 40, 7), flows, Faults.NONE, 0, "rest, isd", 2, 4);
    }

    private static FlowSet farApart() {
        final FlowSet flows = new FlowSet();
        for (int i = 0; i < 20; i++) {
            flows.add(i, i, 63 - i, 2440, 10, i * 5000L);
        }
        return flows;
    }

    /** The watch of one member stops all, in one slot; and they go on as if they had not stopped. */
    @ParameterizedTest
    @ValueSource(ints = {0, 7})
    void shouldStopTogetherAndGoOn(final int propagation) {
        final FabricParts parts = shale(8, Mechanisms.HBH_SPRAY, propagation, 3);
        final FlowSet flows = Flows.random(3, 64, 200, 200, 30);
        final Outcome one = Outcomes.run(new LockStep(parts, flows, 1, false), 0);
        final List<Long> stops = Collections.synchronizedList(new ArrayList<>());
        for (final Outcome each : MemberRuns.of(3, exchange -> {
            try (MemberStep engine = new MemberStep(parts, flows, Faults.NONE, exchange)) {
                final long[] seen = new long[1];
                engine.run(0, (slot, delivered, completed) -> {
                    seen[0] = slot;
                    return exchange.member() != 1 || slot < 100;
                });
                stops.add(seen[0]);
                assertFalse(engine.state().isOver());
                engine.run(0);
                return engine.outcome();
            }
        })) {
            same(one, each, "P=" + propagation);
        }
        assertTrue(stops.getFirst() >= 100 && stops.getFirst() < 100 + 4 * 16, stops.toString());
        assertEquals(1, Set.copyOf(stops).size(), stops.toString());
    }

    @Test
    void shouldNameAMemberThatIsLost() {
        final FabricParts parts = shale(8, Mechanisms.HBH_SPRAY, 7, 3);
        final FlowSet flows = Flows.random(3, 64, 200, 200, 30);
        final List<Integer> lost = MemberRuns.of(3, exchange -> {
            try (exchange; MemberStep engine = new MemberStep(parts, flows, Faults.NONE, exchange)) {
                engine.run(0, (slot, delivered, completed) -> {
                    if (exchange.member() == 2 && slot > 100) {
                        throw new IllegalStateException("its watch ends it");
                    }
                    return true;
                });
                return 0;
            } catch (final MemberLostException e) {
                return e.member();
            } catch (final IllegalStateException e) {
                exchange.abort(2, e.getMessage());
                return -1;
            }
        });
        assertEquals(List.of(2, 2, -1), lost);
    }

    private static void check(final FabricParts parts, final FlowSet flows, final Faults faults, final long limit,
        final String where, final int... members) {
        final Outcome one = Outcomes.run(new LockStep(parts, flows, faults, 1, false), limit);
        for (final int count : members) {
            for (final Outcome each : MemberRuns.of(count, exchange -> {
                try (exchange; MemberStep engine = new MemberStep(parts, flows, faults, exchange)) {
                    engine.run(limit);
                    return engine.outcome();
                }
            })) {
                same(one, each, where + " members=" + count + " P=" + parts.fabric().propagationSlots());
            }
        }
    }

    private static FabricParts shale(final int r, final MechanismSet control, final int propagation, final long seed) {
        return Parts.of(Parts.shale(2, r, control, 1, propagation, seed));
    }
}
