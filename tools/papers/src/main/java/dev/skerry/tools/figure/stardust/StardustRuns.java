package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.tools.figure.Effort;

import java.util.Arrays;

/** Runs of Stardust for figures. */
final class StardustRuns {
    private StardustRuns() {
    }

    /** Runs until a number of flows are complete. */
    static Outcome complete(final StardustEngine engine, final int flows, final Effort effort) {
        engine.run(0, (slot, delivered, completed) -> {
            effort.done((double) completed / flows);
            return completed < flows;
        });
        return engine.outcome();
    }

    /** Payload bytes that the ports of the first endpoints sent to their hosts. */
    static double[] bytes(final StardustEngine engine, final int endpoints) {
        final double[] bytes = new double[endpoints];
        Arrays.setAll(bytes, engine::bytesSentTo);
        return bytes;
    }

    /** The same, of all of them together. */
    static double sent(final StardustEngine engine, final int endpoints) {
        return Arrays.stream(bytes(engine, endpoints)).sum();
    }

    /** Cells dropped, for whatever reason, and packets that were lost with them. */
    static long dropped(final StardustEngine engine) {
        long sum = engine.count(NicCounter.PACKETS_LOST);
        for (final NicCounter drop : NicCounter.DROPS) {
            sum += engine.count(drop);
        }
        return sum;
    }
}
