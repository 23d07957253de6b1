package dev.skerry.tools.execution;

import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.run.Scenario;

import java.util.concurrent.TimeUnit;

/** Forecasts how long a run takes from its first seconds, in which the JVM is at its slowest. */
public final class RunProbe {
    private static final long PROBE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final double NS = 1e9;

    private long slots;
    private long flows;

    private RunProbe() {
    }

    /**
     * Runs two seconds, or less if the run ends before.
     *
     * @return seconds that all of it will take: by slots, or by flows where it ends with the last of them; NaN if no
     *     flow is done by then.
     */
    public static double seconds(final Scenario scenario) {
        final RunProbe probe = new RunProbe();
        final long start = System.nanoTime();
        try (Engine engine = scenario.engine().engine(scenario.choice(), scenario.faults(), scenario.flows(),
            scenario.check(), null)) {
            engine.run(scenario.slotLimit(), (slot, delivered, completed) -> {
                probe.slots = slot;
                probe.flows = completed;
                return System.nanoTime() - start < PROBE_NS;
            });
        }
        final double seconds = (System.nanoTime() - start) / NS;
        if (seconds < PROBE_NS / NS) {
            return seconds;
        }
        final double share = scenario.slotLimit() > 0 ? (double) probe.slots / scenario.slotLimit()
            : (double) probe.flows / scenario.flows().size();
        return share > 0 ? seconds / share : Double.NaN;
    }
}
