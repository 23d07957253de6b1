package dev.skerry.tools.traffic;

import java.nio.charset.StandardCharsets;

/**
 * Numbers from ASCII bytes without garbage, each rounded exactly as {@link Double#parseDouble(String)} would. Only
 * decimal notation counts: no hexadecimal, no type suffix, no {@code NaN} or {@code Infinity}. Pure functions; any
 * thread may call.
 */
final class Decimals {
    /** What {@link #parseLong} gives for text that is no whole number of 63 bits. */
    static final long NOT_A_NUMBER = Long.MIN_VALUE;

    private static final int MAX_DIGITS = 18;
    private static final long MAX_EXACT_MANTISSA = 1L << 53;
    private static final int MAX_EXPONENT = 100_000;
    /** The powers of ten that a double holds exactly. */
    private static final double[] TEN_TO = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    };

    private Decimals() {
    }

    /** A whole number with an optional sign, or {@link #NOT_A_NUMBER}. */
    static long parseLong(final byte[] text, final int start, final int end) {
        int at = start;
        final boolean negative = at < end && text[at] == '-';
        if (negative || at < end && text[at] == '+') {
            at++;
        }
        if (at == end) {
            return NOT_A_NUMBER;
        }
        long value = 0;
        for (; at < end; at++) {
            final int digit = text[at] - '0';
            if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
                return NOT_A_NUMBER;
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }

    /**
     * A decimal number with optional sign, point and exponent; NaN for any other text, infinite if it is too large for
     * a double.
     */
    static double parseDouble(final byte[] text, final int start, final int end) {
        int at = start;
        final boolean negative = at < end && text[at] == '-';
        if (negative || at < end && text[at] == '+') {
            at++;
        }
        long mantissa = 0;
        int significant = 0;
        int scale = 0;
        boolean anyDigit = false;
        boolean afterPoint = false;
        for (; at < end; at++) {
            final int digit = text[at] - '0';
            if (digit >= 0 && digit <= 9) {
                anyDigit = true;
                if (mantissa != 0 || digit != 0) {
                    significant++;
                }
                if (significant <= MAX_DIGITS) {
                    mantissa = mantissa * 10 + digit;
                }
                scale -= afterPoint ? 1 : 0;
            } else if (text[at] == '.' && !afterPoint) {
                afterPoint = true;
            } else {
                break;
            }
        }
        final int exponent = at < end ? parseExponent(text, at, end) : 0;
        if (!anyDigit || exponent == Integer.MIN_VALUE) {
            return Double.NaN;
        }
        final int power = scale + exponent;
        // Both operands are exact, so the one operation rounds once: the correctly rounded result (Clinger 1990).
        if (significant <= MAX_DIGITS && mantissa <= MAX_EXACT_MANTISSA && Math.abs(power) < TEN_TO.length) {
            final double magnitude = power < 0 ? mantissa / TEN_TO[-power] : mantissa * TEN_TO[power];
            return negative ? -magnitude : magnitude;
        }
        return Double.parseDouble(new String(text, start, end - start, StandardCharsets.ISO_8859_1));
    }

    /** The value of {@code e[+-]digits}, or {@link Integer#MIN_VALUE}; saturates far beyond the range of a double. */
    private static int parseExponent(final byte[] text, final int start, final int end) {
        if ((text[start] | 0x20) != 'e') {
            return Integer.MIN_VALUE;
        }
        int at = start + 1;
        final boolean negative = at < end && text[at] == '-';
        if (negative || at < end && text[at] == '+') {
            at++;
        }
        if (at == end) {
            return Integer.MIN_VALUE;
        }
        int value = 0;
        for (; at < end; at++) {
            final int digit = text[at] - '0';
            if (digit < 0 || digit > 9) {
                return Integer.MIN_VALUE;
            }
            value = Math.min(value * 10 + digit, MAX_EXPONENT);
        }
        return negative ? -value : value;
    }
}
