package dev.skerry.tools.execution;

import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.EngineChoice;
import dev.skerry.tools.run.Scenario;

/** What several processes can run together. */
public final class MemberScenario {
    private MemberScenario() {
    }

    /**
     * Checks a scenario.
     *
     * @param limited   whether the run stops after some flows.
     * @param published whether it shows counters to other processes.
     * @throws InputException if only one process can run it.
     */
    public static void check(final Scenario scenario, final boolean limited, final boolean published) {
        final EngineChoice engine = scenario.engine();
        if (engine.threading() != null) {
            throw wrong("--mode", "threads", "several processes go in lock step", "leave one of them out");
        }
        if (engine.workers() > 1) {
            throw wrong("--threads", Integer.toString(engine.workers()), "each member has one thread",
                "leave it out and add members, one a processor");
        }
        if (scenario.check()) {
            throw wrong("--check", null, "its laws look at all nodes at once", "leave one of them out");
        }
        if (limited) {
            throw wrong("--max-flows", null, "it finds its last slot in a run of its own", "leave one of them out");
        }
        if (published) {
            throw wrong("--publish", null, "no process has the counters of all nodes", "leave one of them out");
        }
        if (CheckpointOptions.hasLateClocks(scenario)) {
            throw wrong("--faults", null, "a clock of the script is whole slots late, and what is under way from "
                + "such a node is known to its process only", "leave out --members, or late-slots of the script");
        }
        if (scenario.fabric() instanceof final Shoal shoal && shoal.rule() == ReleaseRule.AUTHORS_SIMULATOR) {
            throw wrong("--shoal-rule", shoal.rule().label(), "its count of parked cells is kept in one process",
                "leave one of them out");
        }
    }

    private static InputException wrong(final String option, final String value, final String why,
        final String advice) {
        return new InputException(option, value, "with --members " + why, advice);
    }
}
