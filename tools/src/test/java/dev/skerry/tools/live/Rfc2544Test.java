package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.live.Rfc2544.OfSize;
import dev.skerry.tools.live.Rfc2544.Settings;
import dev.skerry.tools.live.Rfc2544.Test;
import dev.skerry.tools.live.TrialRig.Offer;
import dev.skerry.tools.live.TrialRig.Trial;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/** The search against devices whose limits are known. */
final class Rfc2544Test {
    private static final double[] NO_RAMP = {};

    /** A device of two senders that carries a rate and keeps a burst, and has a bad moment in some trials. */
    private record FakeRig(double limit, long buffer, LongPredicate isBad, int[] trial) implements TrialRig {
        @Override
        public Trial run(final Offer offer) {
            final boolean isUnlimited = Double.isInfinite(offer.rate().packetsPerSecond());
            final double carried = limit * offer.seconds() + buffer;
            final boolean isEndless = offer.count() == Long.MAX_VALUE;
            long received = (long) Math.min(isEndless ? limit * offer.seconds() : offer.count(),
                isUnlimited && !isEndless ? buffer : carried);
            received -= !isUnlimited && isBad.test(trial[0]++) ? 1 : 0;
            return new Trial(offer, offer.seconds(), received, new FlowReport(0, 0,
                new FlowReport.Counts(received, 2 * received, 0, 0, 0, 0), new Histogram(2)), 7_000_000);
        }

        @Override
        public String headline() {
            return "fake";
        }

        @Override
        public int senders() {
            return 2;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private static Rfc2544Report measure(final FakeRig rig, final double... ramp) {
        return stopped(rig, Integer.MAX_VALUE, ramp);
    }

    /** Stops in the trial at a rate after so many. */
    private static Rfc2544Report stopped(final FakeRig rig, final int trials, final double... ramp) {
        final Settings settings = new Settings(List.of("64B"), EnumSet.allOf(Test.class), ramp, 1, 3, 0, 0.01);
        final BooleanSupplier isStopped = () -> rig.trial()[0] > trials;
        final Rfc2544 measured = new Rfc2544(rig, settings, isStopped, line -> { });
        return new Rfc2544Report(rig.headline(), rig.clock(), 2, settings, measured.run(), measured.trials(),
            isStopped.getAsBoolean());
    }

    @ParameterizedTest
    @CsvSource({"1000, 10", "123456, 500", "3.7, 1", "50000000, 1"})
    void shouldFindTheRateAndTheBurst(final double limit, final long buffer) {
        final Rfc2544Report report = measure(new FakeRig(limit, buffer, _ -> false, new int[1]), NO_RAMP);
        final OfSize of = report.results().getFirst();
        for (final double found : of.throughput()) {
            assertEquals(limit + buffer, found, 0.01 * limit + 1, "found " + found);
        }
        assertEquals(buffer, of.bursts()[0], Math.max(1, of.mostBurst() / 64), "burst");
        assertTrue(!of.isUndecided() && !of.isTop() && report.doubts().isEmpty(), () -> report.doubts().toString());
        assertTrue(of.rates().size() >= 2 && of.rates().getLast().loss()[2] == 0, () -> report.text());
        // Each trial that is said to pass brought all packets, and the others did not.
        report.trials().forEach(one -> assertEquals(one.isPass(), one.trial().received()
            >= 2 * one.trial().offer().count(), one::toString));
    }

    /** One lost packet of a million is loss; that it happens below rates that pass is said, with the pause. */
    @org.junit.jupiter.api.Test
    void shouldSayWhatItCannotTell() {
        final Rfc2544Report noisy = measure(new FakeRig(1_000_000, 0, trial -> trial == 1, new int[1]), NO_RAMP);
        final OfSize of = noisy.results().getFirst();
        assertTrue(of.isUndecided() && of.failed() < of.passed(), of::toString);
        assertTrue(noisy.text().contains("64B: trials failed at ") && noisy.text().contains("7.0 ms"), noisy::text);
        final Rfc2544Report fast = measure(new FakeRig(1_000, 1L << 40, _ -> false, new int[1]), NO_RAMP);
        assertTrue(fast.text().contains("the device may be faster"), fast::text);
        assertFalse(fast.text().contains("PARTIAL"), fast::text);
        final Rfc2544Report faster = measure(new FakeRig(1e12, 1L << 40, _ -> false, new int[1]), NO_RAMP);
        assertEquals(1e9, faster.results().getFirst().median());
        final Rfc2544Report broken = measure(new FakeRig(1_000, 0, _ -> true, new int[1]), NO_RAMP);
        assertTrue(broken.text().contains("no rate passed"), broken::text);
        final Rfc2544Report dead = measure(new FakeRig(0, 0, _ -> false, new int[1]), NO_RAMP);
        assertTrue(dead.text().contains("no packet was received"), dead::text);
        assertEquals(List.of(0, 0, 0, 1), Stream.of(noisy, fast, broken, dead).map(Rfc2544Report::exitCode).toList());
    }

    /** What was complete is in the table; a search that was stopped is not. */
    @org.junit.jupiter.api.Test
    void shouldShowWhatWasCompleteBeforeAStop() {
        final Set<Integer> searches = new TreeSet<>();
        for (int trials = 0; trials < 30; trials++) {
            final Rfc2544Report stopped = stopped(new FakeRig(1_000, 0, _ -> false, new int[1]), trials, NO_RAMP);
            final OfSize of = stopped.results().getFirst();
            assertTrue(stopped.text().contains("PARTIAL RESULT") && stopped.text().contains("\n64B "), stopped::text);
            assertEquals(trials, stopped.trials().stream().filter(one -> one.test() != Test.BACK_TO_BACK).count());
            assertEquals(of.throughput().length == 0 ? 0 : 1_000, of.median(), 11, stopped::text);
            searches.add(of.throughput().length);
        }
        assertEquals(Set.of(0, 1, 2, 3), searches);
    }

    @org.junit.jupiter.api.Test
    void shouldTakeTheMeanOfTheMiddleOfAnEvenNumber() {
        assertEquals(List.of(0.0, 7.0, 2.5, 3.0), Stream.of(new double[] {}, new double[] {7},
            new double[] {1, 2, 3, 9}, new double[] {1, 3, 9}).map(Rfc2544::median).toList());
    }

    @org.junit.jupiter.api.Test
    void shouldOfferTheRatesOfARamp() {
        final Rfc2544Report report = measure(new FakeRig(100, 0, _ -> false, new int[1]), 50, 100, 200);
        final DoubleUnaryOperator lost = rate -> report.results().getFirst().rates().stream()
            .filter(at -> at.rate() == rate).findFirst().orElseThrow().loss()[1];
        assertEquals(0, lost.applyAsDouble(50) + lost.applyAsDouble(100));
        assertEquals(0.5, lost.applyAsDouble(200));
        assertEquals(9, report.trials().size());
    }
}
