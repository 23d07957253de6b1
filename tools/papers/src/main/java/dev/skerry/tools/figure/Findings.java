package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The results of a figure: checks in the order of printing, plots, and remarks. One thread. */
public final class Findings {
    /** The result of comparing a measured value with its rule. */
    public enum Verdict {
        /** The rule accepts the value. */
        OK,
        /** The rule does not accept the value. */
        MISSED,
        /** There is no rule; the value is for information. */
        REPORTED
    }

    /**
     * One measured value with the value of the paper and the rule that accepts it. A value that is not a number is
     * never accepted. Immutable.
     *
     * @param what quantity, with its unit.
     * @param expected statement of the paper, or of our reading of it, in its own words or digits.
     * @param rule rule that accepts the value.
     * @param measured the value; a mean if {@code interval} is a number.
     * @param interval half of the 95 % confidence interval of a mean; NaN for a single value.
     * @param planted values that a planted deviation gives, one for each direction that the statement excludes.
     */
    public record Check(String what, String expected, Rule rule, double measured, double interval,
        List<Double> planted) {
        private static final int DIGITS = 5;
        private static final double LARGE = 1e6;
        private static final double SMALL = 1e-3;
        /** Interval, as a share of the mean, below which the values differ only by rounding. */
        private static final double NO_SPREAD = 1e-9;

        /** Returns the verdict of the rule. */
        public Verdict verdict() {
            return !rule.decides() ? Verdict.REPORTED : rule.accepts(measured) ? Verdict.OK : Verdict.MISSED;
        }

        /** Tells whether the rule does not exclude the value. */
        public boolean accepted() {
            return verdict() != Verdict.MISSED;
        }

        /** Tells whether the rule is blind: it accepts the value, and accepts it with a planted deviation too. */
        public boolean blind() {
            return verdict() == Verdict.OK && planted.stream().anyMatch(rule::accepts);
        }

        /** Returns the measured value for people, and of a mean only the digits that its interval justifies. */
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

        /** Returns a value with five digits and without rounding noise: 0.95, 12.301, 8388608, 1.2e-05. */
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
     * The rule for a mean or a single value.
     *
     * @param words words as they are printed; empty if there is no rule.
     * @param low smallest value accepted; negative infinity if the statement excludes no small value, NaN if there is
     *            no rule.
     * @param high largest value accepted.
     */
    public record Rule(String words, double low, double high) {
        /** No rule: the value is for information. */
        static final Rule NONE = new Rule("", Double.NaN, Double.NaN);

        /** No rule: a parameter of ours was fitted to the value, which therefore tests nothing. */
        static final Rule FITTED = new Rule("fitted", Double.NaN, Double.NaN);
        /** Factor of a planted deviation. */
        static final double PLANTED = 1.25;

        /** Returns a rule that accepts values up to a bound. */
        static Rule atMost(final double bound) {
            return new Rule("\u2264 " + Check.text(bound), Double.NEGATIVE_INFINITY, bound);
        }

        /** Returns a rule that accepts values from a bound upwards. */
        static Rule atLeast(final double bound) {
            return new Rule("\u2265 " + Check.text(bound), bound, Double.POSITIVE_INFINITY);
        }

        /** Returns a rule that accepts values between two bounds, both included. */
        static Rule between(final double low, final double high) {
            return new Rule(Check.text(low) + " to " + Check.text(high), low, high);
        }

        /** Tells whether there is a rule. */
        boolean decides() {
            return !Double.isNaN(low);
        }

        /** Tells whether a value is accepted. */
        boolean accepts(final double value) {
            return value >= low && value <= high;
        }

        /**
         * Returns the values of a planted deviation of the measured series: 1.25 times the value or twice the tolerance
         * from it, whichever is nearer, in each direction that the rule excludes. For a count of zero the deviation is
         * one.
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

    /** Checks a mean over seeds, or a single value, against a rule. */
    public Findings check(final String what, final String expected, final Rule rule, final Sample sample) {
        final double mean = sample.mean();
        checks.add(new Check(what, expected, rule, mean, sample.values().length > 1 ? sample.halfWidth()
            : Double.NaN, rule.planted(mean)));
        return this;
    }

    /**
     * Sets the planted deviations of the last value, for a value that does not scale with its series: a trend, a
     * difference, or the largest of several ratios.
     *
     * @param values one for each direction that the statement excludes.
     */
    public Findings planted(final Double... values) {
        final Check last = checks.removeLast();
        checks.add(new Check(last.what, last.expected, last.rule, last.measured, last.interval, List.of(values)));
        return this;
    }

    /** Adds a value that is accepted up to a distance from the expected one. */
    public Findings within(final String what, final double expected, final double distance, final double measured) {
        return check(what, Check.text(expected), new Rule("\u00b1 " + Check.text(distance),
            expected - distance, expected + distance), new Sample(measured));
    }

    /** Adds a mean over seeds that is accepted up to a share of the expected value from it. */
    public Findings near(final String what, final double expected, final double share, final Sample sample) {
        final double distance = share * Math.abs(expected);
        return check(what, Check.text(expected), new Rule("\u00b1 " + Check.text(100 * share) + " %",
            expected - distance, expected + distance), sample);
    }

    /** Adds a value that is accepted up to a share of the expected value from it. */
    public Findings near(final String what, final double expected, final double share, final double measured) {
        return near(what, expected, share, new Sample(measured));
    }

    /** Adds a value that is accepted between two bounds, both included. */
    public Findings between(final String what, final String expected, final double low, final double high,
        final Sample sample) {
        return check(what, expected, Rule.between(low, high), sample);
    }

    /** Adds a mean over seeds that is accepted from a bound upwards. */
    public Findings atLeast(final String what, final String expected, final double bound, final Sample sample) {
        return check(what, expected, Rule.atLeast(bound), sample);
    }

    /** Adds a value that is accepted from a bound upwards. */
    public Findings atLeast(final String what, final String expected, final double bound, final double measured) {
        return atLeast(what, expected, bound, new Sample(measured));
    }

    /** Adds a mean over seeds that is accepted up to a bound. */
    public Findings atMost(final String what, final String expected, final double bound, final Sample sample) {
        return check(what, expected, Rule.atMost(bound), sample);
    }

    /** Adds a value that is accepted up to a bound. */
    public Findings atMost(final String what, final String expected, final double bound, final double measured) {
        return atMost(what, expected, bound, new Sample(measured));
    }

    /** Adds a whole number that is accepted if it is equal. */
    public Findings exactly(final String what, final double expected, final double measured) {
        return check(what, Check.text(expected), new Rule("exactly", expected, expected), new Sample(measured));
    }

    /** Adds a mean over seeds without a rule. */
    public Findings reported(final String what, final String expected, final Sample sample) {
        return check(what, expected, Rule.NONE, sample);
    }

    /** Adds a mean over seeds that the paper does not have. */
    public Findings reported(final String what, final Sample sample) {
        return reported(what, "", sample);
    }

    /** Adds a value that the paper does not have. */
    public Findings reported(final String what, final double measured) {
        return reported(what, "", new Sample(measured));
    }

    /** Adds a value to which a parameter of ours was fitted and which therefore tests nothing. */
    public Findings fitted(final String what, final String printed, final Sample sample) {
        return check(what, printed, Rule.FITTED, sample);
    }

    /** Adds a plot. */
    public Findings add(final Plot plot) {
        plots.add(plot);
        return this;
    }

    /** Adds a sentence that a reader needs to judge the values, for example on a difference from the paper. */
    public Findings remark(final String sentence) {
        remarks.add(sentence);
        return this;
    }

    /** Returns the checks. */
    public List<Check> checks() {
        return Collections.unmodifiableList(checks);
    }

    /** Returns the plots. */
    public List<Plot> plots() {
        return Collections.unmodifiableList(plots);
    }

    /** Returns the remarks. */
    public List<String> remarks() {
        return Collections.unmodifiableList(remarks);
    }

    /** Tells whether every value satisfies its rule. */
    public boolean accepted() {
        return checks.stream().allMatch(Check::accepted);
    }
}
