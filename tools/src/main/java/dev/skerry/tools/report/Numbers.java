package dev.skerry.tools.report;

import java.util.Locale;

/** Formats numbers for people, in the same way in every locale. */
public final class Numbers {
    /** Text for a value that does not exist. */
    static final String NONE = "-";

    private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E"};

    private Numbers() {
    }

    /** Returns a number with its digits in groups of three. */
    public static String grouped(final long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Returns a number with a noun: {@code 1 flow}, {@code 1,024 flows}. */
    public static String counted(final long number, final String thing) {
        return grouped(number) + " " + thing + (number == 1 ? "" : "s");
    }

    /**
     * Returns a value with about four significant digits, and without decimals from a thousand: {@code 1.042}, {@code
     * 13.37}, {@code 104.2}.
     */
    static String plain(final double value) {
        if (!Double.isFinite(value)) {
            return NONE;
        }
        final double size = Math.abs(value);
        if (size >= 999.95) {
            return grouped(Math.round(value));
        }
        return fixed(value, size < 9.9995 ? 3 : size < 99.995 ? 2 : 1);
    }

    /** Returns a value that is often whole, with at most one decimal: {@code 12}, {@code 12.5}. */
    static String short1(final double value) {
        if (!Double.isFinite(value)) {
            return NONE;
        }
        return value == Math.rint(value) ? grouped((long) value) : String.format(Locale.ROOT, "%,.1f", value);
    }

    /** Returns a value with a fixed number of decimals. */
    static String fixed(final double value, final int decimals) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + decimals + "f", value) : NONE;
    }

    /** Returns a value with three digits and a decimal prefix: {@code 3.41 M}. */
    static String prefixed(final double value) {
        if (!Double.isFinite(value)) {
            return NONE;
        }
        double scaled = value;
        int prefix = 0;
        while (Math.abs(scaled) >= 999.5 && prefix < PREFIXES.length - 1) {
            scaled /= 1000;
            prefix++;
        }
        final double size = Math.abs(scaled);
        final String digits = fixed(scaled, size >= 99.95 || prefix == 0 ? 0 : size >= 9.995 ? 1 : 2);
        return prefix == 0 ? digits : digits + " " + PREFIXES[prefix];
    }

    /** Returns a time given in nanoseconds, in a suitable unit. */
    static String time(final double nanoseconds) {
        final double size = Math.abs(nanoseconds);
        if (size < 1e3) {
            return plain(nanoseconds) + " ns";
        }
        if (size < 1e6) {
            return plain(nanoseconds / 1e3) + " us";
        }
        return size < 1e9 ? plain(nanoseconds / 1e6) + " ms" : plain(nanoseconds / 1e9) + " s";
    }

    /** Returns a digest as 16 hexadecimal digits. */
    public static String digest(final long digest) {
        return String.format(Locale.ROOT, "%016x", digest);
    }

    /** Returns a share in per cent, for example {@code 7.9 %}. */
    public static String percent(final double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
