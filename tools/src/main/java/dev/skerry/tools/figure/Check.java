package dev.skerry.tools.figure;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/**
 * One measured value beside what the paper has and the rule by which it is accepted. A value that is no number is never
 * accepted. Immutable.
 *
 * @param what     what is measured, with its unit.
 * @param expected what the paper or our reading of it says, in its own words or digits.
 * @param rule     what is accepted; empty if nothing says so.
 * @param measured the value.
 * @param verdict  whether the rule accepts it.
 */
public record Check(String what, String expected, String rule, double measured, Verdict verdict) {
    private static final int DIGITS = 5;
    private static final double LARGE = 1e6;
    private static final double SMALL = 1e-3;

    /** Accepted up to a distance. */
    public static Check within(final String what, final double expected, final double distance,
        final double measured) {
        return new Check(what, text(expected), "\u00b1 " + text(distance), measured,
            verdict(Math.abs(measured - expected) <= distance));
    }

    /** Accepted up to a share of the expected value. */
    public static Check near(final String what, final double expected, final double share, final double measured) {
        return new Check(what, text(expected), "\u00b1 " + text(100 * share) + " %", measured,
            verdict(Math.abs(measured - expected) <= share * Math.abs(expected)));
    }

    /** Accepted from a bound to another, both included. */
    public static Check between(final String what, final String expected, final double low, final double high,
        final double measured) {
        return new Check(what, expected, text(low) + " to " + text(high), measured,
            verdict(measured >= low && measured <= high));
    }

    /** Accepted from a bound up. */
    public static Check atLeast(final String what, final String expected, final double bound, final double measured) {
        return new Check(what, expected, "\u2265 " + text(bound), measured, verdict(measured >= bound));
    }

    /** Accepted up to a bound. */
    public static Check atMost(final String what, final String expected, final double bound, final double measured) {
        return new Check(what, expected, "\u2264 " + text(bound), measured, verdict(measured <= bound));
    }

    /** Accepted if equal, for whole numbers. */
    public static Check exactly(final String what, final double expected, final double measured) {
        return new Check(what, text(expected), "exactly", measured, verdict(measured == expected));
    }

    /** A value that nothing says what to accept of. */
    public static Check reported(final String what, final String expected, final double measured) {
        return new Check(what, expected, "", measured, Verdict.REPORTED);
    }

    /** Whether nothing speaks against the value. */
    public boolean accepted() {
        return verdict != Verdict.MISSED;
    }

    /** The measured value as people read it. */
    public String measuredText() {
        return text(measured);
    }

    private static Verdict verdict(final boolean accepted) {
        return accepted ? Verdict.OK : Verdict.MISSED;
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
