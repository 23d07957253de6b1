package dev.skerry.tools.live;

import dev.skerry.tools.live.Rfc2544.AtRate;
import dev.skerry.tools.live.Rfc2544.Judged;
import dev.skerry.tools.live.Rfc2544.OfSize;
import dev.skerry.tools.live.Rfc2544.Settings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.Page;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Results of {@link Rfc2544} as a table, as JSON and as an HTML page.
 *
 * @param headline    the fabric or device under test.
 * @param clock       definition of the latencies.
 * @param senders     number of generators that sent at the same time.
 * @param settings    parameters of the measurement.
 * @param results     results by packet size.
 * @param trials      all trials.
 * @param interrupted whether the measurement was stopped.
 */
record Rfc2544Report(String headline, String clock, int senders, Settings settings, List<OfSize> results,
    List<Judged> trials, boolean interrupted) {
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double PER_CENT = 100;
    private static final double GIGA = 1e9;
    private static final String NONE = "-";

    private boolean isRamp() {
        return settings.ramp().length > 0;
    }

    private String terms() {
        return String.format(Locale.ROOT, "%d %s; trials of %s s with %s, %s. Rates are per sender; sizes exclude "
            + "the frame check sequence.", senders, senders == 1 ? "sender" : "senders", plain(settings.seconds()),
            settings.seeds() == 1 ? "seed 1" : "seeds 1 to " + settings.seeds(), isRamp() ? "a ramp"
            : "search to " + plain(PER_CENT * settings.resolution()) + " % of the highest rate, loss at most "
            + plain(PER_CENT * settings.tolerance()) + " %");
    }

    /** Returns a number as text, without a fraction of zero. */
    static String plain(final double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static List<String> heads() {
        return List.of("size", "packets/s", "least", "most", "Gb/s", "p50 us", "p99 us", "p99.9 us", "max us",
            "burst");
    }

    private List<String> cells(final OfSize of) {
        final double[] all = of.throughput();
        final List<String> cells = new ArrayList<>(List.of(of.size()));
        cells.addAll(all.length == 0 ? List.of(NONE, NONE, NONE, NONE) : List.of((of.isTop() ? ">= " : "")
            + count(of.median()), count(all[0]), count(all[all.length - 1]), gigabits(of)));
        cells.addAll(quantiles(of.latency()));
        final double[] bursts = of.bursts();
        cells.add(bursts.length == 0 ? NONE : (bursts[0] == of.mostBurst() ? ">= " : "")
            + count(Rfc2544.median(bursts)));
        return cells;
    }

    private static List<String> quantiles(final AtRate at) {
        if (at == null || at.seen().latency().getTotalCount() == 0) {
            return List.of(NONE, NONE, NONE, NONE);
        }
        final Histogram latency = at.seen().latency();
        return List.of(us(latency.getValueAtPercentile(50)), us(latency.getValueAtPercentile(99)),
            us(latency.getValueAtPercentile(99.9)), us(latency.getMaxValue()));
    }

    private static String us(final long ns) {
        return String.format(Locale.ROOT, "%,.1f", ns / NS_PER_US);
    }

    private static String count(final double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    /** Returns the throughput in Gb/s; a dash if packets have different sizes. */
    private static String gigabits(final OfSize of) {
        return of.size().matches("\\d+B") ? String.format(Locale.ROOT, "%.3f", of.median() * Byte.SIZE
            * Integer.parseInt(of.size().replace("B", "")) / GIGA) : NONE;
    }

    private static List<String> rateHeads() {
        return List.of("size", "packets/s", "offered", "received", "lost", "least", "most", "p50 us", "p99 us",
            "p99.9 us", "max us");
    }

    private List<List<String>> rates() {
        final List<List<String>> rows = new ArrayList<>();
        for (final OfSize of : results) {
            for (final AtRate at : of.rates()) {
                final double[] loss = at.loss();
                final List<String> row = new ArrayList<>(List.of(of.size(), count(at.rate()), count(at.offered()),
                    count(at.seen().counts().received()), percent(Rfc2544.median(loss)), percent(loss[0]),
                    percent(loss[loss.length - 1])));
                row.addAll(quantiles(at));
                rows.add(row);
            }
        }
        return rows;
    }

    private static String percent(final double share) {
        return String.format(Locale.ROOT, share == 0 ? "0 %%" : "%.4f %%", PER_CENT * share);
    }

    /** Returns sentences about what the measurement could not determine. */
    List<String> doubts() {
        final List<String> doubts = new ArrayList<>();
        if (interrupted) {
            doubts.add("PARTIAL RESULT: stopped before all tests were complete; --json has the trials that were "
                + "complete");
        }
        for (final OfSize of : results) {
            if (of.isUndecided()) {
                doubts.add(String.format(Locale.ROOT, "%s: trials failed at %,.0f and passed at %,.0f packets/s: "
                    + "between these rates the search cannot distinguish loss in the device from pauses of this "
                    + "machine, the longest of which in a failed trial was %,.1f "
                    + "ms", of.size(), of.failed(), of.passed(),
                    of.pauseNs() / NS_PER_MS));
            }
            if (of.isTop()) {
                doubts.add(of.size() + ": nothing was lost at the highest rate offered; the device may be faster");
            }
            if (isDead(of)) {
                doubts.add(of.size() + ": no packet was received; check the device and --rx");
            } else if (of.throughput().length > 0 && of.median() == 0) {
                doubts.add(of.size() + ": no rate passed; use a longer --duration, or --loss above 0");
            }
        }
        return doubts;
    }

    /** Tells whether trials of a size were complete, and none of them received a packet. */
    private boolean isDead(final OfSize of) {
        final List<Judged> own = trials.stream().filter(one -> one.trial().offer().size().equals(of.size())).toList();
        return !own.isEmpty() && own.stream().allMatch(one -> one.trial().received() == 0);
    }

    /** Returns the exit code: 1 if no packet of some size was received. */
    int exitCode() {
        return results.stream().anyMatch(this::isDead) ? 1 : 0;
    }

    /** Returns the table, followed by a line feed. */
    String text() {
        final StringBuilder out = new StringBuilder(headline).append('\n').append(terms()).append('\n');
        if (!isRamp()) {
            table(out.append('\n'), "%-9s %13s %11s %11s %8s %10s %10s %10s %10s %13s%n", heads(), results.stream()
                .map(this::cells).toList());
        }
        final List<List<String>> rates = rates();
        if (!rates.isEmpty()) {
            table(out.append('\n'), "%-9s %11s %13s %13s %10s %10s %10s %9s %9s %9s %9s%n", rateHeads(), rates);
        }
        out.append("\nlatency: ").append(clock).append('\n');
        doubts().forEach(doubt -> out.append(doubt).append('\n'));
        return out.toString();
    }

    private static void table(final StringBuilder out, final String format, final List<String> heads,
        final List<List<String>> rows) {
        out.append(String.format(Locale.ROOT, format, heads.toArray()));
        rows.forEach(row -> out.append(String.format(Locale.ROOT, format, row.toArray())));
    }

    /** Returns the results and all trials as a JSON object, followed by a line feed. */
    String json() {
        final Json json = Json.document().put("what", headline).put("senders", senders)
            .put("seconds", settings.seconds()).put("seeds", settings.seeds()).put("tolerance", settings.tolerance())
            .put("resolution", settings.resolution()).put("interrupted", interrupted)
            .put("latencyClock", clock).open("doubts", '[');
        doubts().forEach(doubt -> json.put(null, doubt));
        json.close(']').open("results", '[');
        for (final OfSize of : results) {
            json.open(null, '{').put("size", of.size()).put("topRate", of.top());
            if (of.throughput().length > 0) {
                json.put("throughput", of.median()).open("throughputs", '[');
                for (final double one : of.throughput()) {
                    json.put(null, one);
                }
                json.close(']').put("atLeast", of.isTop());
            }
            if (of.isUndecided()) {
                json.put("lowestFailed", of.failed()).put("highestPassed", of.passed());
            }
            if (of.latency() != null) {
                at(json, "latency", of.latency());
            }
            if (of.bursts().length > 0) {
                json.open("bursts", '[');
                for (final double one : of.bursts()) {
                    json.put(null, (long) one);
                }
                json.close(']').put("longestBurstTried", of.mostBurst());
            }
            json.open("rates", '[');
            of.rates().forEach(at -> at(json, null, at));
            json.close(']').close('}');
        }
        json.close(']').open("trials", '[');
        trials.forEach(trial -> trial(json, trial));
        return json.close(']').close('}').toString();
    }

    private static void at(final Json json, final String name, final AtRate at) {
        json.open(name, '{').put("rate", at.rate()).put("offered", at.offered())
            .put("received", at.seen().counts().received()).open("loss", '[');
        for (final double one : at.loss()) {
            json.put(null, one);
        }
        FlowResults.latency(json.close(']'), "latencyNs", at.seen().latency());
        FlowResults.buckets(json, at.seen().latency());
        json.close('}');
    }

    private static void trial(final Json json, final Judged one) {
        final TrialRig.Offer offer = one.trial().offer();
        json.open(null, '{').put("test", one.test() == null ? "ramp" : one.test().toString()).put("size", offer.size())
            .put("seed", offer.seed());
        if (!offer.rate().equals(GeneratorSettings.PacketRate.UNLIMITED)) {
            json.put("rate", offer.rate().packetsPerSecond());
        }
        json.put("count", offer.count()).put("seconds", one.trial().seconds()).put("sent", one.trial().sent())
            .put("received", one.trial().received()).put("reordered", one.trial().seen().counts().reordered())
            .put("duplicates", one.trial().seen().counts().duplicates())
            .put("damaged", one.trial().seen().counts().damaged()).put("longestPauseNs", one.trial().pauseNs())
            .put("pass", one.isPass()).close('}');
    }

    private List<Plot> plots() {
        final List<Plot> plots = new ArrayList<>();
        final Map<String, Histogram> latency = new LinkedHashMap<>();
        final Plot loss = new Plot("loss", "Loss by rate", "packets per second of a sender", Scale.LINEAR,
            "packets lost, %", Scale.LINEAR);
        final Plot delay = new Plot("delay", "p99 of latency by rate", "packets per second of a sender", Scale.LINEAR,
            "p99, us", Scale.LOGARITHMIC);
        for (final OfSize of : results) {
            if (of.latency() != null) {
                latency.put(of.size(), of.latency().seen().latency());
            }
            if (!of.rates().isEmpty()) {
                final List<AtRate> rates = of.rates().stream()
                    .sorted((one, other) -> Double.compare(one.rate(), other.rate())).toList();
                loss.add(of.size(), Style.DOTS, rates.stream().map(at -> new double[] {at.rate(),
                    PER_CENT * Rfc2544.median(at.loss())}).toList());
                delay.add(of.size(), Style.DOTS, rates.stream().map(at -> new double[] {at.rate(),
                    Math.max(1, at.seen().latency().getValueAtPercentile(99)) / NS_PER_US}).toList());
            }
        }
        if (!latency.isEmpty()) {
            plots.add(FlowResults.histogram("latency", "Latency at the throughput", latency));
        }
        if (!loss.lines().isEmpty()) {
            plots.addAll(List.of(loss, delay));
        }
        return plots;
    }

    /** Writes report.html, its plots and results.json. */
    void write(final List<String> words, final Path folder) throws IOException {
        final Page page = new Page("RFC 2544: " + headline);
        page.heading("Skerry RFC 2544", headline).text(terms()).command("./skerry rfc2544", words);
        doubts().forEach(page::alert);
        if (!isRamp()) {
            page.section("Throughput, latency and bursts", "Packets per second and sender: median, minimum and "
                + "maximum over the seeds. Latency at the median rate, " + clock + ".")
                .table(heads(), results.stream().map(this::cells).toList(), false).end();
        }
        final List<List<String>> rates = rates();
        if (!rates.isEmpty()) {
            page.section("By rate", "Loss: median, minimum and maximum over the seeds.")
                .table(rateHeads(), rates, false).end();
        }
        final List<Plot> plots = plots();
        plots.forEach(plot -> page.section(plot.title(), "").plot(plot).end());
        Files.writeString(folder.resolve("report.html"), page.finish(), StandardCharsets.UTF_8);
        PlotFigure.writeAll(plots, folder);
        Files.writeString(folder.resolve("results.json"), json(), StandardCharsets.UTF_8);
    }
}
