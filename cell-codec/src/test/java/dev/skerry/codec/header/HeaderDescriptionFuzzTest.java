package dev.skerry.codec.header;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Arbitrary text as a description: it is refused in one line, or headers go through it. {@code mvn verify} replays the
 * inputs under the test resources; {@code JAZZER_FUZZ=1} in the environment makes the same test search for new ones.
 */
final class HeaderDescriptionFuzzTest {
    /** The input is the text, with a line for each semicolon or line break, then after a NUL bytes of headers. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyText(final byte[] input) {
        final int end = end(input);
        final String text = new String(input, 0, end, StandardCharsets.UTF_8);
        final HeaderDescription header;
        try {
            header = HeaderDescription.parse("nic.txt", text.replace(';', '\n').lines().toList());
        } catch (final HeaderSyntaxException e) {
            assertTrue(e.getMessage().startsWith("nic.txt"), e.getMessage());
            assertFalse(e.getMessage().chars().anyMatch(each -> each < ' ' || each > '~'), e.getMessage());
            return;
        }
        final byte[] rest = Arrays.copyOfRange(input, Math.min(input.length, end + 1), input.length);
        shouldKeepWhatCounts(header, Arrays.copyOf(rest, header.bytes()));
        assertFalse(HeaderSv.of(header).isEmpty());
    }

    private static int end(final byte[] input) {
        for (int i = 0; i < input.length; i++) {
            if (input[i] == 0) {
                return i;
            }
        }
        return input.length;
    }

    private static void shouldKeepWhatCounts(final HeaderDescription header, final byte[] bytes) {
        final long[] values = header.unpack(bytes);
        final DescribedCell cell = header.cell(values);
        final byte[] again = header.pack(values, new byte[0]);
        assertEquals(List.of(), header.faults(again, new byte[0]));
        assertEquals(cell, header.cell(header.unpack(again)));
        if (cell.state() != SlotState.NOTHING) {
            // What a cell says survives its header, unless a mask leaves out bits that an offset needs.
            final byte[] written = header.pack(cell);
            final DescribedCell read = header.cell(header.unpack(written));
            assertEquals(List.of(cell.source(), cell.destination(), cell.sequence()),
                List.of(read.source(), read.destination(), read.sequence()));
            assertEquals(cell.token1(), read.token1());
            assertArrayEquals(written, header.pack(read));
        }
    }
}
