package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;

/** Numbers as the JDK reads them, bit by bit. */
class DecimalsModelTest {
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final Pattern WHOLE = Pattern.compile("[+-]?\\d+");
    private static final String ALPHABET = "0123456789012345678900..eE+-x";

    private static void check(final String text, final String message) {
        final byte[] bytes = ("7" + text + "7").getBytes(StandardCharsets.US_ASCII);
        final double expected = DECIMAL.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        final double found = Decimals.parseDouble(bytes, 1, bytes.length - 1);
        assertEquals(Double.doubleToLongBits(expected), Double.doubleToLongBits(found),
            () -> message + " text=" + text + " expected=" + expected + " found=" + found);
        assertEquals(whole(text), Decimals.parseLong(bytes, 1, bytes.length - 1), () -> message + " text=" + text);
    }

    private static long whole(final String text) {
        if (!WHOLE.matcher(text).matches()) {
            return Decimals.NOT_A_NUMBER;
        }
        try {
            return Long.parseLong(text);
        } catch (final NumberFormatException e) {
            return Decimals.NOT_A_NUMBER;
        }
    }

    @Test
    void shouldReadEveryFormOfADouble() {
        final Random random = new Random(1);
        for (int i = 0; i < 50_000; i++) {
            final double value = random.nextInt(4) == 0
                ? Double.longBitsToDouble(random.nextLong())
                : random.nextDouble() * Math.pow(10, random.nextInt(30) - 15);
            if (Double.isFinite(value)) {
                check(Double.toString(value), "seed=1");
                check(String.format(Locale.ROOT, "%." + random.nextInt(19) + (i % 2 == 0 ? "e" : "f"), value % 1e9),
                    "seed=1");
            }
        }
    }

    @Test
    void shouldTellNumbersFromOtherText() {
        final Random random = new Random(2);
        int numbers = 0;
        for (int i = 0; i < 75_000; i++) {
            final StringBuilder text = new StringBuilder();
            final int length = random.nextInt(1 + random.nextInt(24));
            for (int c = 0; c < length; c++) {
                text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
            }
            numbers += DECIMAL.matcher(text).matches() ? 1 : 0;
            check(text.toString(), "seed=2");
        }
        assertTrue(numbers > 2_500, "only " + numbers + " numbers among the texts");
    }

    @Test
    void shouldReadTheEdges() {
        for (final String text : new String[] {
            "9223372036854775807", "9223372036854775808", "-9223372036854775807", "9007199254740992e22",
            "9007199254740993", "9007199254740993e1", "1e22", "1e23", "1e-22", "1e-23", "123456789012345678e-22",
            "1e99999999999", "-1e-99999999999", "0e99999999999", "0." + "0".repeat(400) + "1e400",
            "1" + "0".repeat(400), "4.9e-324", "2.4703282292062327e-324", "", "+", "-.", "1e+", "NaN", "Infinity", "1f",
            "1D", "0x1p1", " 1",
        }) {
            check(text, "edge");
        }
    }
}
