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
 * @param measured the value; a mean if {@code interval} is a number.
 * @param interval to both sides of a mean, its 95 % confidence; NaN for a single value.
 * @param verdict  whether the rule accepts it.
 */
public record Check(String what, String expected, String rule, double measured, double interval, Verdict verdict) {
    private static final int DIGITS = 5;
    private static final double LARGE = 1e6;
    private static final double SMALL = 1e-3;
    /** Interval in the mean below which values differ by rounding only. */
    private static final double NO_SPREAD = 1e-9;

    /** A single value. */
    public Check(final String what, final String expected, final String rule, final double measured,
        final Verdict verdict) {
        this(what, expected, rule, measured, Double.NaN, verdict);
    }

    /** Whether nothing speaks against the value. */
    public boolean accepted() {
        return verdict != Verdict.MISSED;
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
