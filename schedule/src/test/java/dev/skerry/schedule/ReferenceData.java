package dev.skerry.schedule;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lines of numbers printed by reference programs, from the test resources. */
final class ReferenceData {
    private ReferenceData() {
    }

    /** The lines of a file, split at blanks; comments are left out. */
    static List<String[]> lines(final String name) throws IOException {
        final List<String[]> lines = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(
            new InputStreamReader(ReferenceData.class.getResourceAsStream(name), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.startsWith("#")) {
                    lines.add(line.split(" "));
                }
            }
        }
        return lines;
    }

    static int[] numbers(final String[] line, final int from) {
        final int[] numbers = new int[line.length - from];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(line[from + i]);
        }
        return numbers;
    }

    /** FNV-1a over whole numbers instead of bytes, in 16 hex digits. */
    static String hash(final int[] numbers) {
        long hash = 0xcbf2_9ce4_8422_2325L;
        for (final int number : numbers) {
            hash = (hash ^ number) * 0x100_0000_01b3L;
        }
        return String.format("%016x", hash);
    }
}
