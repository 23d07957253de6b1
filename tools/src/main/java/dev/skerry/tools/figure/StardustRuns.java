package dev.skerry.tools.figure;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.stardust.StardustEngine;

import java.util.Arrays;

/** Runs of Stardust for figures. */
final class StardustRuns {
    private static final int STEPS = 200;

    private StardustRuns() {
    }

    /** Goes on by some slots. */
    static void advance(final StardustEngine engine, final long slots, final FigureProgress progress) {
        final long step = Math.max(1, Math.ceilDiv(slots, STEPS));
        for (long done = 0; done < slots; done += step) {
            progress.done((double) done / slots);
            engine.advance(Math.min(step, slots - done));
        }
    }

    /** Runs until a number of flows are complete. */
    static Outcome complete(final StardustEngine engine, final int flows, final FigureProgress progress) {
        engine.run(0, (slot, delivered, completed) -> {
            progress.done((double) completed / flows);
            return completed < flows;
        });
        return engine.outcome();
    }

    /** Payload bytes that the ports of so many endpoints took in. */
    static double[] bytes(final StardustEngine engine, final int endpoints) {
        final double[] bytes = new double[endpoints];
        Arrays.setAll(bytes, engine::bytesTo);
        return bytes;
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
