package dev.skerry.tools.plot;

import java.util.Locale;

/** Labels of ticks, the same in every locale. Pure function; any thread. */
public final class TickText {
    private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E"};
    private static final double FIRST_PREFIX = 10_000;
    private static final double LEAST_DECIMAL = 0.001;

    private TickText() {
    }

    /**
     * A value without noise digits, with decimal prefixes from ten thousand on and powers of ten below a thousandth.
     *
     * @param value any finite number.
     * @return its label: {@code 2e-7}, {@code 0.05}, {@code 2000}, {@code 20k}.
     */
    public static String of(final double value) {
        if (value != 0 && Math.abs(value) < LEAST_DECIMAL) {
            return String.format(Locale.ROOT, "%.3e", value).replaceAll("\\.?0*e([+-])0*", "e$1");
        }
        double scaled = value;
        int prefix = 0;
        if (Math.abs(value) >= FIRST_PREFIX) {
            while (Math.abs(scaled) >= 1000 && prefix < PREFIXES.length - 1) {
                scaled /= 1000;
                prefix++;
            }
        }
        final String digits = String.format(Locale.ROOT, "%.6f", scaled).replaceAll("0+$", "").replaceAll("\\.$", "");
        return digits + PREFIXES[prefix];
    }
}
