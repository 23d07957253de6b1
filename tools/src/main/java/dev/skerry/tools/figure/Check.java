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

    /** Whether nothing speaks against the value. */
    public boolean accepted() {
        return verdict != Verdict.MISSED;
    }

    /** The measured value as people read it. */
    public String measuredText() {
        return text(measured);
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
