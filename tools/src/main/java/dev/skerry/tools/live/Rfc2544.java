package dev.skerry.tools.live;

import dev.skerry.tools.live.TrialRig.Offer;
import dev.skerry.tools.live.TrialRig.Trial;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * The tests of RFC 2544, and rate ramps. A trial offers a number of packets at a rate. Packets count as lost if they
 * are not accepted within the duration of the trial plus a grace period, or do not arrive undamaged. Not thread-safe.
 */
final class Rfc2544 {
    /**
     * A search starts at this multiple of the rate that is accepted without a limit, and increases in steps while
     * trials pass.
     */
    private static final double ABOVE = 1.05;
    private static final double STEP = 1.25;
    private static final double MOST_ABOVE = 4;
    /** The loss test uses multiples of one tenth of the highest rate. */
    private static final int TENTHS = 10;
    /** Maximum number of warm-up trials. Warm-up ends when two consecutive rates differ by no more than 5 %. */
    private static final int MOST_WARM = 8;
    private static final double WARM = 0.05;
    /** Resolution of the search for a burst, as a fraction of the longest one. */
    private static final int BURST_PARTS = 64;
    static final double LEAST_RATE = 0.01;
    /** Maximum rate of a generator. A trial that is stopped immediately may yield a higher one. */
    private static final double MOST_RATE = 1e9;

    private final TrialRig rig;
    private final Settings settings;
    private final BooleanSupplier isStopped;
    private final Consumer<String> progress;
    /** All trials after the warm-up, in order. */
    private final List<Judged> trials = new ArrayList<>();

    /** The tests. */
    enum Test {
        /** Highest rate without loss. */
        THROUGHPUT,
        /** Latency at this rate. */
        LATENCY,
        /** Loss by rate. */
        LOSS,
        /** Longest burst without loss. */
        BACK_TO_BACK
    }

    /**
     * Parameters of a measurement.
     *
     * @param sizes      packet sizes.
     * @param tests      tests to run.
     * @param ramp       rates of a ramp in packets per second and sender; empty to run the tests.
     * @param seconds    duration of a trial.
     * @param seeds      number of repetitions, with seeds from 1.
     * @param tolerance  share of packets that may be lost.
     * @param resolution resolution of the search, as a share of the highest rate.
     */
    record Settings(List<String> sizes, Set<Test> tests, double[] ramp, double seconds, int seeds, double tolerance,
        double resolution) {
    }

    /**
     * A trial with its test and verdict.
     *
     * @param test   the test; null for a ramp.
     * @param trial  the trial.
     * @param isPass whether the loss was within the tolerance.
     */
    record Judged(Test test, Trial trial, boolean isPass) {
    }

    /**
     * The trials at one rate.
     *
     * @param rate    packets per second and sender.
     * @param offered packets offered in all trials.
     * @param seen    packets and latencies received in all trials.
     * @param loss    loss of each seed as a share, in ascending order.
     */
    record AtRate(double rate, long offered, FlowReport seen, double[] loss) {
    }

    /**
     * Results for a packet size.
     *
     * @param size       the size.
     * @param top        packets per second and sender that are accepted without a limit.
     * @param throughput throughput of each seed, in ascending order; empty if it was not measured.
     * @param isTop      whether no trial failed.
     * @param failed     lowest rate at which a trial of the search failed; infinite if none did.
     * @param passed     highest rate at which a trial passed; 0 if none did.
     * @param pauseNs    longest pause of the measuring thread in a failed trial.
     * @param latency    results at the median throughput; null if they were not measured.
     * @param rates      results by rate, of the loss test or a ramp.
     * @param bursts     longest burst without loss for each seed, in ascending order.
     * @param mostBurst  longest burst tried.
     */
    record OfSize(String size, double top, double[] throughput, boolean isTop, double failed, double passed,
        long pauseNs, AtRate latency, List<AtRate> rates, long[] bursts, long mostBurst) {
        /** Returns the median throughput. */
        double median() {
            return throughput.length == 0 ? 0 : throughput[throughput.length / 2];
        }

        /** Tells whether some trials failed at a rate at or below one at which another trial passed. */
        boolean isUndecided() {
            return failed < passed;
        }
    }

    /**
     * Prepares the measurements.
     *
     * @param isStopped returns whether to stop after the current trial.
     * @param progress  receives a line per packet size.
     */
    Rfc2544(final TrialRig rig, final Settings settings, final BooleanSupplier isStopped,
        final Consumer<String> progress) {
        this.rig = rig;
        this.settings = settings;
        this.isStopped = isStopped;
        this.progress = progress;
    }

    /** Measures all sizes; returns the completed ones if the measurement is stopped. */
    List<OfSize> run() {
        final List<OfSize> results = new ArrayList<>();
        warm();
        for (final String size : settings.sizes) {
            final int before = trials.size();
            final OfSize result = settings.ramp.length > 0 ? ramp(size) : tests(size);
            if (isStopped.getAsBoolean()) {
                break;
            }
            results.add(result);
            progress.accept(size + ": " + (trials.size() - before) + " trials done");
        }
        return results;
    }

    /** Returns all trials after the warm-up, in order. */
    List<Judged> trials() {
        return trials;
    }

    /** Runs trials until the JVM has compiled the code. */
    private void warm() {
        double last = 0;
        for (int i = 0; i < MOST_WARM && !isStopped.getAsBoolean(); i++) {
            final double now = top(settings.sizes.getFirst(), 1);
            if (Math.abs(now - last) <= WARM * now) {
                return;
            }
            last = now;
        }
    }

    /** Returns the packets per second and sender that are accepted if packets are offered without a rate limit. */
    private double top(final String size, final long seed) {
        final Trial trial = rig.run(new Offer(size, PacketRate.UNLIMITED, GeneratorSettings.ENDLESS, settings.seconds,
            seed));
        return Math.clamp(trial.received() / trial.seconds() / rig.senders(), LEAST_RATE, MOST_RATE);
    }

    private OfSize ramp(final String size) {
        final List<AtRate> rates = new ArrayList<>();
        for (final double rate : settings.ramp) {
            rates.add(at(null, size, rate));
        }
        return new OfSize(size, 0, new double[0], false, Double.POSITIVE_INFINITY, 0, 0, null, rates, new long[0], 0);
    }

    private OfSize tests(final String size) {
        final Set<Test> tests = settings.tests;
        final int before = trials.size();
        final double top = LongStream.rangeClosed(1, settings.seeds).mapToDouble(seed -> top(size, seed)).max()
            .orElseThrow();
        final boolean isSearched = tests.contains(Test.THROUGHPUT) || tests.contains(Test.LATENCY);
        final double[] throughput = !isSearched ? new double[0] : LongStream.rangeClosed(1, settings.seeds)
            .mapToDouble(seed -> search(size, top, seed)).sorted().toArray();
        double failed = Double.POSITIVE_INFINITY;
        double passed = 0;
        long pauseNs = 0;
        for (final Judged one : trials.subList(before, trials.size())) {
            final double rate = one.trial.offer().rate().packetsPerSecond();
            failed = one.isPass ? failed : Math.min(failed, rate);
            passed = one.isPass ? Math.max(passed, rate) : passed;
            pauseNs = one.isPass ? pauseNs : Math.max(pauseNs, one.trial.pauseNs());
        }
        final double median = throughput.length == 0 ? 0 : throughput[throughput.length / 2];
        final AtRate latency = tests.contains(Test.LATENCY) && median > 0 ? at(Test.LATENCY, size, median) : null;
        final long mostBurst = Math.max(1, (long) (top * settings.seconds));
        final long[] bursts = !tests.contains(Test.BACK_TO_BACK) ? new long[0] : LongStream
            .rangeClosed(1, settings.seeds).map(seed -> burst(size, mostBurst, seed)).sorted().toArray();
        return new OfSize(size, top, throughput, isSearched && failed == Double.POSITIVE_INFINITY, failed, passed,
            pauseNs, latency, tests.contains(Test.LOSS) ? losses(size, top) : List.of(), bursts, mostBurst);
    }

    /** Returns the highest rate that passes, found by bisection. */
    private double search(final String size, final double top, final long seed) {
        double low = 0;
        double high = Math.min(top * ABOVE, MOST_RATE);
        while (isPass(size, high, seed)) {
            low = high;
            high = Math.min(high * STEP, MOST_RATE);
            if (low > top * MOST_ABOVE || low == MOST_RATE || isStopped.getAsBoolean()) {
                return low;
            }
        }
        while (high - low > settings.resolution * top && !isStopped.getAsBoolean()) {
            final double middle = (low + high) / 2;
            if (isPass(size, middle, seed)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean isPass(final String size, final double rate, final long seed) {
        return judge(Test.THROUGHPUT, new Offer(size, PacketRate.packets(Math.max(LEAST_RATE, rate)),
            count(rate), settings.seconds, seed)).isPass;
    }

    private long count(final double rate) {
        return Math.max(1, Math.round(rate * settings.seconds));
    }

    private Judged judge(final Test test, final Offer offer) {
        final Trial trial = rig.run(offer);
        final Judged judged = new Judged(test, trial, loss(trial) <= settings.tolerance);
        trials.add(judged);
        return judged;
    }

    /** Returns the share of the offered packets that was lost. */
    private double loss(final Trial trial) {
        final double offered = (double) trial.offer().count() * rig.senders();
        return (offered - trial.received()) / offered;
    }

    /** Runs one trial per seed at a rate. */
    private AtRate at(final Test test, final String size, final double rate) {
        final double[] loss = new double[settings.seeds];
        FlowReport seen = FlowReport.empty(0, 0);
        for (int i = 0; i < loss.length && !isStopped.getAsBoolean(); i++) {
            final Trial trial = judge(test, new Offer(size, PacketRate.packets(Math.max(LEAST_RATE, rate)),
                count(rate), settings.seconds, i + 1)).trial;
            loss[i] = loss(trial);
            seen = seen.plus(trial.seen());
        }
        Arrays.sort(loss);
        return new AtRate(rate, count(rate) * rig.senders() * settings.seeds, seen, loss);
    }

    /** Tests tenths of the highest rate in descending order, until two consecutive rates pass. */
    private List<AtRate> losses(final String size, final double top) {
        final List<AtRate> rates = new ArrayList<>();
        int clean = 0;
        for (int tenth = TENTHS; tenth > 0 && clean < 2; tenth--) {
            rates.add(at(Test.LOSS, size, top * tenth / TENTHS));
            clean = rates.getLast().loss[settings.seeds - 1] <= settings.tolerance ? clean + 1 : 0;
        }
        return rates;
    }

    /** Returns the longest burst that passes at an unlimited rate. */
    private long burst(final String size, final long most, final long seed) {
        long low = 0;
        long high = most + 1;
        while (high - low > Math.max(1, most / BURST_PARTS) && !isStopped.getAsBoolean()) {
            final long count = low == 0 && high > most ? most : (low + high) / 2;
            if (judge(Test.BACK_TO_BACK, new Offer(size, PacketRate.UNLIMITED, count, settings.seconds, seed)).isPass) {
                low = count;
            } else {
                high = count;
            }
        }
        return low;
    }
}
