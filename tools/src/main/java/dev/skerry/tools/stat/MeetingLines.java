package dev.skerry.tools.stat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Who meets whom in a slot of a process, as dots of Braille: a row for each sender, a column for each receiver. The
 * schedule stands in a file beside the counters. Pure functions of files; any thread.
 */
final class MeetingLines {
    /** What 80 columns hold. */
    private static final int MOST_NODES = 156;
    private static final int DOTS_ACROSS = 2;
    private static final int DOTS_DOWN = 4;
    private static final char NO_DOT = '\u2800';
    /** By row of a character, then by column: the bit of its dot. */
    private static final int[][] DOT = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    private MeetingLines() {
    }

    /** The lines of a process at the slot that it was last seen in; one line where they can't be drawn. */
    static String of(final Path folder, final Snapshot.Process process) throws IOException {
        final Path file = folder.resolve(process.pid() + ".schedule");
        if (!Files.isRegularFile(file)) {
            return "  no schedule to draw\n";
        }
        final List<String> lines = Files.readAllLines(file);
        final int[] head = numbers(lines.getFirst());
        final int nodes = head[0];
        final int channels = head[1];
        if (nodes > MOST_NODES) {
            return "  a matrix of " + nodes + " nodes is too wide, " + MOST_NODES + " at most\n";
        }
        final long slot = slot(process.values());
        final int at = (int) (slot % head[2]);
        final char[][] dots = new char[Math.ceilDiv(nodes, DOTS_DOWN)][Math.ceilDiv(nodes, DOTS_ACROSS)];
        for (final char[] row : dots) {
            Arrays.fill(row, NO_DOT);
        }
        for (int channel = 0; channel < channels; channel++) {
            final int[] receivers = numbers(lines.get(1 + at * channels + channel));
            for (int sender = 0; sender < nodes; sender++) {
                final int receiver = receivers[sender];
                if (receiver >= 0) {
                    dots[sender / DOTS_DOWN][receiver / DOTS_ACROSS] |=
                        (char) DOT[sender % DOTS_DOWN][receiver % DOTS_ACROSS];
                }
            }
        }
        final StringBuilder out = new StringBuilder(String.format(Locale.ROOT,
            "  slot %,d, %d of an epoch of %d: a row for each of %d senders, a column for each receiver%n", slot, at,
            head[2], nodes));
        for (final char[] row : dots) {
            out.append("  ").append(row).append('\n');
        }
        return out.toString();
    }

    private static long slot(final Map<String, Long> values) {
        return values.entrySet().stream().filter(value -> value.getKey().matches("(run_)?slots(\\{.*)?"))
            .mapToLong(Map.Entry::getValue).max().orElse(0);
    }

    private static int[] numbers(final String line) {
        return Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
    }
}
