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
import java.util.function.LongToDoubleFunction;
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
     * @param throughput throughput of the seeds, in ascending order, without searches that were stopped.
     * @param isTop      whether no trial failed.
     * @param failed     lowest rate at which a trial of the search failed; infinite if none did.
     * @param passed     highest rate at which a trial passed; 0 if none did.
     * @param pauseNs    longest pause of the measuring thread in a failed trial.
     * @param latency    results at the median throughput; null if they were not measured.
     * @param rates      results by rate, of the loss test or a ramp.
     * @param bursts     longest burst without loss of the seeds, in ascending order.
     * @param mostBurst  longest burst tried.
     */
    record OfSize(String size, double top, double[] throughput, boolean isTop, double failed, double passed,
        long pauseNs, AtRate latency, List<AtRate> rates, double[] bursts, long mostBurst) {
        /** Returns the median throughput. */
        double median() {
            return Rfc2544.median(throughput);
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

    /** Returns the median of ascending values: of an even number, the mean of the two in the middle; of none, 0. */
    static double median(final double... ascending) {
        final int half = ascending.length / 2;
        return ascending.length == 0 ? 0 : ascending.length % 2 == 1 ? ascending[half]
            : (ascending[half - 1] + ascending[half]) / 2;
    }

    /** Measures all sizes; after a stop, the last result may be incomplete. */
    List<OfSize> run() {
        final List<OfSize> results = new ArrayList<>();
        warm();
        for (final String size : settings.sizes) {
            if (!isStopped.getAsBoolean()) {
                final int before = trials.size();
                results.add(settings.ramp.length > 0 ? ramp(size) : tests(size));
                progress.accept(size + ": " + (trials.size() - before) + " trials done");
            }
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
        final List<AtRate> rates = Arrays.stream(settings.ramp).mapToObj(rate -> at(null, size, rate))
            .filter(at -> at.loss.length > 0).toList();
        return new OfSize(size, 0, new double[0], false, Double.POSITIVE_INFINITY, 0, 0, null, rates, new double[0],
            0);
    }

    private OfSize tests(final String size) {
        final Set<Test> tests = settings.tests;
        final int before = trials.size();
        final double top = Arrays.stream(bySeed(seed -> top(size, seed))).max().orElse(LEAST_RATE);
        final double[] throughput = !tests.contains(Test.THROUGHPUT) && !tests.contains(Test.LATENCY) ? new double[0]
            : bySeed(seed -> search(size, top, seed));
        double failed = Double.POSITIVE_INFINITY;
        double passed = 0;
        long pauseNs = 0;
        for (final Judged one : trials.subList(before, trials.size())) {
            final double rate = one.trial.offer().rate().packetsPerSecond();
            failed = one.isPass ? failed : Math.min(failed, rate);
            passed = one.isPass ? Math.max(passed, rate) : passed;
            pauseNs = one.isPass ? pauseNs : Math.max(pauseNs, one.trial.pauseNs());
        }
        final double median = median(throughput);
        final AtRate latency = tests.contains(Test.LATENCY) && median > 0 ? at(Test.LATENCY, size, median) : null;
        final long mostBurst = Math.max(1, (long) (top * settings.seconds));
        final double[] bursts = tests.contains(Test.BACK_TO_BACK) ? bySeed(seed -> burst(size, mostBurst, seed))
            : new double[0];
        return new OfSize(size, top, throughput, throughput.length > 0 && failed == Double.POSITIVE_INFINITY, failed,
            passed, pauseNs, latency, tests.contains(Test.LOSS) ? losses(size, top) : List.of(), bursts, mostBurst);
    }

    /** Returns the results of a measurement with each seed, in ascending order, without those that were stopped. */
    private double[] bySeed(final LongToDoubleFunction measurement) {
        return LongStream.rangeClosed(1, settings.seeds).filter(_ -> !isStopped.getAsBoolean())
            .mapToDouble(measurement).filter(_ -> !isStopped.getAsBoolean()).sorted().toArray();
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
        if (!isStopped.getAsBoolean()) {
            trials.add(judged);
        }
        return judged;
    }

    /** Returns the share of the offered packets that was lost. */
    private double loss(final Trial trial) {
        final double offered = (double) trial.offer().count() * rig.senders();
        return (offered - trial.received()) / offered;
    }

    /** Runs one trial per seed at a rate. */
    private AtRate at(final Test test, final String size, final double rate) {
        final int before = trials.size();
        for (int seed = 1; seed <= settings.seeds && !isStopped.getAsBoolean(); seed++) {
            judge(test, new Offer(size, PacketRate.packets(Math.max(LEAST_RATE, rate)), count(rate), settings.seconds,
                seed));
        }
        final List<Trial> complete = trials.subList(before, trials.size()).stream().map(Judged::trial).toList();
        return new AtRate(rate, count(rate) * rig.senders() * complete.size(), complete.stream().map(Trial::seen)
            .reduce(FlowReport.empty(0, 0), FlowReport::plus), complete.stream().mapToDouble(this::loss).sorted()
            .toArray());
    }

    /** Tests tenths of the highest rate in descending order, until two consecutive rates pass. */
    private List<AtRate> losses(final String size, final double top) {
        final List<AtRate> rates = new ArrayList<>();
        int clean = 0;
        for (int tenth = TENTHS; tenth > 0 && clean < 2 && !isStopped.getAsBoolean(); tenth--) {
            final AtRate at = at(Test.LOSS, size, top * tenth / TENTHS);
            rates.add(at);
            clean = at.loss.length > 0 && at.loss[at.loss.length - 1] <= settings.tolerance ? clean + 1 : 0;
        }
        rates.removeIf(at -> at.loss.length == 0);
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
