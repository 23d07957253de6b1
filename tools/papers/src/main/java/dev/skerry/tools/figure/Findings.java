package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What measuring a figure brought: checks in the order they are printed, plots, and remarks. One thread. */
public final class Findings {
    /** What comes of comparing a measured value with what is accepted. */
    public enum Verdict {
        /** Accepted. */
        OK,
        /** Not accepted. */
        MISSED,
        /** Nothing says what to accept: the value is there to be read. */
        REPORTED
    }

    /**
     * One measured value beside what the paper has and the rule by which it is accepted. A value that is not a number
     * is never accepted. Immutable.
     *
     * @param what     what is measured, with its unit.
     * @param expected what the paper or our reading of it says, in its own words or digits.
     * @param rule     what is accepted.
     * @param measured the value; a mean if {@code interval} is a number.
     * @param interval to both sides of a mean, its 95 % confidence; NaN for a single value.
     * @param planted  values that a planted deviation gives, one for each direction that the sentence excludes.
     */
    public record Check(String what, String expected, Rule rule, double measured, double interval,
        List<Double> planted) {
        private static final int DIGITS = 5;
        private static final double LARGE = 1e6;
        private static final double SMALL = 1e-3;
        /** Interval in the mean below which values differ by rounding only. */
        private static final double NO_SPREAD = 1e-9;

        /** Whether the rule accepts the value. */
        public Verdict verdict() {
            return !rule.decides() ? Verdict.REPORTED : rule.accepts(measured) ? Verdict.OK : Verdict.MISSED;
        }

        /** Whether nothing speaks against the value. */
        public boolean accepted() {
            return verdict() != Verdict.MISSED;
        }

        /** Whether the rule accepts the value with a planted deviation, too: it is blind. */
        public boolean blind() {
            return verdict() == Verdict.OK && planted.stream().anyMatch(rule::accepts);
        }

        /** The measured value as people read it; of a mean, the digits that its interval leaves. */
        public String measuredText() {
            if (Double.isNaN(interval)) {
                return text(measured);
            }
            if (interval <= NO_SPREAD * Math.abs(measured)) {
                return text(measured) + " \u00b1 0";
            }
            final int decimals = Math.max(0, 1 - (int) Math.floor(Math.log10(interval)));
            final String format = "%." + decimals + "f";
            return String.format(Locale.ROOT, format + " \u00b1 " + format, measured, interval);
        }

        /** Five digits, without noise: 0.95, 12.301, 8388608, 1.2e-05. */
        public static String text(final double value) {
            if (!Double.isFinite(value)) {
                return Double.isNaN(value) ? "none" : value > 0 ? "infinite" : "-infinite";
            }
            if (value == Math.rint(value) && Math.abs(value) < 1e15) {
                return Long.toString((long) value);
            }
            if (Math.abs(value) < SMALL) {
                return String.format(Locale.ROOT, "%.3g", value);
            }
            if (Math.abs(value) >= LARGE) {
                return String.format(Locale.ROOT, "%.0f", value);
            }
            return new BigDecimal(value).round(new MathContext(DIGITS)).stripTrailingZeros().toPlainString();
        }
    }

    /**
     * What is accepted of a mean or a single value.
     *
     * @param words as they are printed; empty if nothing says what to accept.
     * @param low   smallest value accepted; negative infinity if the sentence excludes no small value, NaN if there is
     *              no rule.
     * @param high  largest value accepted.
     */
    public record Rule(String words, double low, double high) {
        /** The value is there to be read. */
        static final Rule NONE = new Rule("", Double.NaN, Double.NaN);

        /** A parameter of ours was fitted to the value, which tests nothing. */
        static final Rule FITTED = new Rule("fitted", Double.NaN, Double.NaN);
        /** Factor of a planted deviation. */
        static final double PLANTED = 1.25;

        /** Accepted up to a bound. */
        static Rule atMost(final double bound) {
            return new Rule("\u2264 " + Check.text(bound), Double.NEGATIVE_INFINITY, bound);
        }

        /** Accepted from a bound up. */
        static Rule atLeast(final double bound) {
            return new Rule("\u2265 " + Check.text(bound), bound, Double.POSITIVE_INFINITY);
        }

        /** Accepted from a bound to another, both included. */
        static Rule between(final double low, final double high) {
            return new Rule(Check.text(low) + " to " + Check.text(high), low, high);
        }

        /** Whether there is a rule. */
        boolean decides() {
            return !Double.isNaN(low);
        }

        /** Whether a value is accepted. */
        boolean accepts(final double value) {
            return value >= low && value <= high;
        }

        /**
         * Values that a deviation of the measured series gives: 1.25 times the value or twice the tolerance from it,
         * whichever is nearer, in each direction that the rule excludes. Of a count of none it is one.
         */
        List<Double> planted(final double value) {
            final double most = high > low ? high - low : Double.POSITIVE_INFINITY;
            final List<Double> planted = new ArrayList<>();
            if (high < Double.POSITIVE_INFINITY) {
                planted.add(value + step(value, PLANTED - 1, most));
            }
            if (low > Double.NEGATIVE_INFINITY) {
                planted.add(value - step(value, 1 - 1 / PLANTED, most));
            }
            return planted;
        }

        private static double step(final double value, final double share, final double most) {
            return value != 0 ? Math.min(Math.abs(value) * share, most) : Double.isInfinite(most) ? 1 : most;
        }
    }

    private final List<Check> checks = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /** Holds a mean over seeds, or a single value, against a rule. */
    public Findings check(final String what, final String expected, final Rule rule, final Sample sample) {
        final double mean = sample.mean();
        checks.add(new Check(what, expected, rule, mean, sample.values().length > 1 ? sample.halfWidth()
            : Double.NaN, rule.planted(mean)));
        return this;
    }

    /**
     * Says what a deviation of its series makes of the last value, where it does not scale with the series: a trend, a
     * difference, the largest of several ratios.
     *
     * @param values one for each direction that the sentence excludes.
     */
    public Findings planted(final Double... values) {
        final Check last = checks.removeLast();
        checks.add(new Check(last.what, last.expected, last.rule, last.measured, last.interval, List.of(values)));
        return this;
    }

    /** Accepted up to a distance. */
    public Findings within(final String what, final double expected, final double distance, final double measured) {
        return check(what, Check.text(expected), new Rule("\u00b1 " + Check.text(distance),
            expected - distance, expected + distance), new Sample(measured));
    }

    /** Accepted up to a share of the expected value. */
    public Findings near(final String what, final double expected, final double share, final Sample sample) {
        final double distance = share * Math.abs(expected);
        return check(what, Check.text(expected), new Rule("\u00b1 " + Check.text(100 * share) + " %",
            expected - distance, expected + distance), sample);
    }

    /** Accepted up to a share of the expected value. */
    public Findings near(final String what, final double expected, final double share, final double measured) {
        return near(what, expected, share, new Sample(measured));
    }

    /** Accepted from a bound to another, both included. */
    public Findings between(final String what, final String expected, final double low, final double high,
        final Sample sample) {
        return check(what, expected, Rule.between(low, high), sample);
    }

    /** Accepted from a bound up. */
    public Findings atLeast(final String what, final String expected, final double bound, final Sample sample) {
        return check(what, expected, Rule.atLeast(bound), sample);
    }

    /** Accepted from a bound up. */
    public Findings atLeast(final String what, final String expected, final double bound, final double measured) {
        return atLeast(what, expected, bound, new Sample(measured));
    }

    /** Accepted up to a bound. */
    public Findings atMost(final String what, final String expected, final double bound, final Sample sample) {
        return check(what, expected, Rule.atMost(bound), sample);
    }

    /** Accepted up to a bound. */
    public Findings atMost(final String what, final String expected, final double bound, final double measured) {
        return atMost(what, expected, bound, new Sample(measured));
    }

    /** Accepted if equal, for whole numbers. */
    public Findings exactly(final String what, final double expected, final double measured) {
        return check(what, Check.text(expected), new Rule("exactly", expected, expected), new Sample(measured));
    }

    /** A mean over seeds that nothing says what to accept of. */
    public Findings reported(final String what, final String expected, final Sample sample) {
        return check(what, expected, Rule.NONE, sample);
    }

    /** A mean over seeds that the paper does not have. */
    public Findings reported(final String what, final Sample sample) {
        return reported(what, "", sample);
    }

    /** A value that the paper does not have. */
    public Findings reported(final String what, final double measured) {
        return reported(what, "", new Sample(measured));
    }

    /** A value to which a parameter of ours was fitted: it tests nothing. */
    public Findings fitted(final String what, final String printed, final Sample sample) {
        return check(what, printed, Rule.FITTED, sample);
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
