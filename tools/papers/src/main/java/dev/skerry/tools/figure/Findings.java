package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What measuring a figure brought: checks in the order they are printed, plots, and remarks. One thread. */
public final class Findings {
    private final List<Check> checks = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /** Nothing yet. */
    public Findings() {
    }

    private Findings add(final Check check) {
        checks.add(check);
        return this;
    }

    /** Accepted up to a distance. */
    public Findings within(final String what, final double expected, final double distance,
        final double measured) {
        return add(new Check(what, Check.text(expected), "\u00b1 " + Check.text(distance), measured,
            verdict(Math.abs(measured - expected) <= distance)));
    }

    /** Accepted up to a share of the expected value. */
    public Findings near(final String what, final double expected, final double share, final double measured) {
        return add(new Check(what, Check.text(expected), "\u00b1 " + Check.text(100 * share) + " %", measured,
            verdict(Math.abs(measured - expected) <= share * Math.abs(expected))));
    }

    /** Accepted from a bound to another, both included. */
    public Findings between(final String what, final String expected, final double low, final double high,
        final double measured) {
        return add(new Check(what, expected, Check.text(low) + " to " + Check.text(high), measured,
            verdict(measured >= low && measured <= high)));
    }

    /** Accepted from a bound up. */
    public Findings atLeast(final String what, final String expected, final double bound, final double measured) {
        return add(new Check(what, expected, "\u2265 " + Check.text(bound), measured, verdict(measured >= bound)));
    }

    /** Accepted up to a bound. */
    public Findings atMost(final String what, final String expected, final double bound, final double measured) {
        return add(new Check(what, expected, "\u2264 " + Check.text(bound), measured, verdict(measured <= bound)));
    }

    /** Accepted if equal, for whole numbers. */
    public Findings exactly(final String what, final double expected, final double measured) {
        return add(new Check(what, Check.text(expected), "exactly", measured, verdict(measured == expected)));
    }

    /** A mean over seeds, accepted up to a bound. */
    public Findings atMost(final String what, final String expected, final double bound, final Sample sample) {
        return add(what, expected, "\u2264 " + Check.text(bound), sample, sample.mean() <= bound);
    }

    /** A mean over seeds, accepted from a bound up. */
    public Findings atLeast(final String what, final String expected, final double bound, final Sample sample) {
        return add(what, expected, "\u2265 " + Check.text(bound), sample, sample.mean() >= bound);
    }

    /** A mean over seeds, accepted from a bound to another, both included. */
    public Findings between(final String what, final String expected, final double low, final double high,
        final Sample sample) {
        return add(what, expected, Check.text(low) + " to " + Check.text(high), sample,
            sample.mean() >= low && sample.mean() <= high);
    }

    /** A mean over seeds, accepted up to a share of the expected value. */
    public Findings near(final String what, final double expected, final double share, final Sample sample) {
        return add(what, Check.text(expected), "\u00b1 " + Check.text(100 * share) + " %", sample,
            Math.abs(sample.mean() - expected) <= share * Math.abs(expected));
    }

    /** A mean over seeds that nothing says what to accept of. */
    public Findings reported(final String what, final String expected, final Sample sample) {
        return reported(what, expected, sample.mean(), interval(sample));
    }

    private Findings add(final String what, final String expected, final String rule, final Sample sample,
        final boolean accepted) {
        return add(new Check(what, expected, rule, sample.mean(), interval(sample), verdict(accepted)));
    }

    private static double interval(final Sample sample) {
        return sample.values().length > 1 ? sample.halfWidth() : Double.NaN;
    }

    /** A mean that nothing says what to accept of, with its interval. */
    public Findings reported(final String what, final String expected, final double mean, final double interval) {
        return add(new Check(what, expected, "", mean, interval, Verdict.REPORTED));
    }

    /** A value that nothing says what to accept of. */
    public Findings reported(final String what, final String expected, final double measured) {
        return add(new Check(what, expected, "", measured, Verdict.REPORTED));
    }

    /** How far the values of several seeds lie apart, which nothing says what to accept of; nothing for one seed. */
    public Findings spread(final String what, final Sample sample) {
        if (sample.values().length > 1) {
            final String of = "  " + what + ", " + sample.values().length + " seeds: ";
            reported(of + "95 % interval of the mean, \u00b1", "", sample.halfWidth());
            reported(of + "least", "", sample.least());
            reported(of + "most", "", sample.most());
        }
        return this;
    }

    private static Verdict verdict(final boolean accepted) {
        return accepted ? Verdict.OK : Verdict.MISSED;
    }

    /** Adds a plot. */
    public Findings add(final Plot plot) {
        plots.add(plot);
        return this;
    }

    /** Adds what a reader must know to judge the values, a sentence: what differs from the paper, for example. */
    public Findings remark(final String sentence) {
        remarks.add(sentence);
        return this;
    }

    /** The checks. */
    public List<Check> checks() {
        return Collections.unmodifiableList(checks);
    }

    /** The plots. */
    public List<Plot> plots() {
        return Collections.unmodifiableList(plots);
    }

    /** The remarks. */
    public List<String> remarks() {
        return Collections.unmodifiableList(remarks);
    }

    /** Whether no value missed its rule. */
    public boolean accepted() {
        return checks.stream().allMatch(Check::accepted);
    }
}
