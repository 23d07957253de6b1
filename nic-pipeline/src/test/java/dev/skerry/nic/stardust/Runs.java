package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What tests ask of runs, and runs that must have the same outcome. */
final class Runs {
    private Runs() {
    }

    /** Runs lock step under check, with workers, and with threads; returns the outcome that all of them have. */
    static Outcome alike(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final long slots, final String where) {
        final Outcome one = Outcomes.run(new StardustEngine(fabric, flows, faults, healing, 1, true), slots);
        Outcomes.same(one, Outcomes.run(new StardustEngine(fabric, flows, faults, healing, 3, false), slots),
            "3 workers " + where);
        Outcomes.same(one, Outcomes.run(new StardustThreads(fabric, flows, faults, healing, null,
            Threading.separate(2, 3, Idle.BACKOFF)), slots), "threads " + where);
        return one;
    }

    static long[] bytes(final StardustEngine engine, final int hosts) {
        return IntStream.range(0, hosts).mapToLong(engine::bytesTo).toArray();
    }

    static long drops(final StardustEngine engine) {
        engine.checkConserved();
        return NicCounter.DROPS.stream().mapToLong(engine::count).sum();
    }

    /** Asserts what some counters say, written as {@code NAME=number NAME=number}. */
    static void assertCounts(final String expected, final StardustEngine engine) {
        assertEquals(expected, Stream.of(expected.split(" ")).map(count -> count.substring(0, count.indexOf('=')))
            .map(name -> name + "=" + engine.count(NicCounter.valueOf(name))).collect(Collectors.joining(" ")));
    }

    static void assertNoDrops(final StardustEngine engine) {
        engine.checkConserved();
        for (final NicCounter drop : NicCounter.DROPS) {
            assertEquals(0, engine.count(drop), drop.name());
        }
    }
}
