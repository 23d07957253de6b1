package dev.skerry.tools.execution;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.report.Slowdown;
import dev.skerry.tools.run.Scenario;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Runs flows of a run once more, each alone in a fabric of its own. One thread. */
final class AloneRuns {
    private AloneRuns() {
    }

    /**
     * Completion times of flows alone, from their start slot, in the same fabric.
     *
     * @param outcome of the run.
     * @param group   the members that ran it together, of which the first reports; null for this process alone.
     * @param stopped whether the user has asked for the end.
     * @return slots by flow, 0 for a flow that was not run alone; empty if none was asked for or the user stopped it.
     */
    static long[] of(final Scenario scenario, final Outcome outcome, final MemberGroup group,
        final BooleanSupplier stopped) {
        final int perSize = scenario.arrivals().alone();
        if (perSize == 0 || group != null && group.self() > 0) {
            return new long[0];
        }
        final FlowSet flows = scenario.flows();
        final long[] slots = new long[flows.size()];
        for (final int[] ofSize : Slowdown.counted(flows, outcome, scenario.arrivals().warmUpSlots())) {
            final List<Integer> drawn = Arrays.stream(ofSize).boxed().collect(Collectors.toList());
            Collections.shuffle(drawn, new Random(scenario.seed()));
            for (final int flow : drawn.subList(0, Math.min(perSize, drawn.size()))) {
                if (stopped.getAsBoolean()) {
                    return new long[0];
                }
                slots[flow] = alone(scenario, flows.only(flow));
            }
        }
        return slots;
    }

    private static long alone(final Scenario scenario, final FlowSet one) {
        try (Engine engine = scenario.engine().ofOneWorker().engine(scenario.choice(), Faults.NONE, one, false)) {
            engine.run(0, (_, _, _) -> true);
            final long[] completedIn = engine.outcome().completedIn();
            return completedIn.length == 0 ? 0 : completedIn[0] + 1 - one.startSlot(0);
        }
    }
}
