package dev.skerry.tools.plot;

import java.util.Locale;

/** Labels of ticks, the same in every locale. Pure function; any thread. */
public final class TickText {
    private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E"};
    private static final double FIRST_PREFIX = 10_000;

    private TickText() {
    }

    /**
     * A value without noise digits, with decimal prefixes from ten thousand on.
     *
     * @param value any finite number.
     * @return its label: {@code 0.05}, {@code 2000}, {@code 20k}.
     */
    public static String of(final double value) {
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
