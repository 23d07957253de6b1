package dev.skerry.tools.score;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;

/** A recorded trace in which a device's cells are changed, together with what its neighbour receives. */
final class EditedTrace {
    static final int SLOT = 2;
    static final int NODE = 4;
    static final int PEER = 6;
    static final int SOURCE = 7;
    static final int DESTINATION = 8;
    static final int PHASE = 9;
    static final int SEQUENCE = 10;
    static final int SPRAYS = 11;
    static final int TOKEN1 = 12;
    static final int TOKEN2 = 14;
    static final int DUMMY = 16;

    private final String columns;
    private final List<String[]> lines;

    private EditedTrace(final String columns, final List<String[]> lines) {
        this.columns = columns;
        this.lines = lines;
    }

    /** The slots of a trace before one. */
    static EditedTrace of(final String name, final int slots) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(
            Objects.requireNonNull(EditedTrace.class.getResourceAsStream("/oracle/shale-rtl/" + name + ".cells.csv.gz"),
                name)), StandardCharsets.US_ASCII))) {
            final String columns = in.readLine();
            return new EditedTrace(columns, new ArrayList<>(in.lines().map(line -> line.split(","))
                .takeWhile(line -> number(line, SLOT) < slots).toList()));
        }
    }

    static int number(final String[] line, final int field) {
        return Integer.parseInt(line[field]);
    }

    static boolean isCell(final String[] line) {
        return number(line, DUMMY) == 0;
    }

    static boolean isLocal(final String[] line) {
        return isCell(line) && number(line, SOURCE) == number(line, NODE);
    }

    static boolean isForwarded(final String[] line) {
        return isCell(line) && number(line, SOURCE) != number(line, NODE);
    }

    /** The first cell or dummy sent in a slot or later that is like this. */
    String[] sent(final int fromSlot, final Predicate<String[]> like) {
        return lines.stream().filter(line -> line[0].equals("T") && number(line, SLOT) >= fromSlot && like.test(line))
            .findFirst().orElseThrow();
    }

    /** What the neighbour received of it, in the same slot. */
    String[] received(final String[] sent) {
        return lines.stream().filter(line -> line[0].equals("R") && line[SLOT].equals(sent[SLOT])
            && line[NODE].equals(sent[PEER])).findFirst().orElseThrow();
    }

    /** Whether the cell of a line had come to its node by a slot. */
    boolean hasCome(final String[] sent, final int slot) {
        return lines.stream().anyMatch(line -> line[0].equals("R") && number(line, SLOT) < slot
            && line[NODE].equals(sent[NODE]) && line[SOURCE].equals(sent[SOURCE])
            && line[DESTINATION].equals(sent[DESTINATION]) && line[SEQUENCE].equals(sent[SEQUENCE]));
    }

    /** Changes a field where it is sent and where it is received. */
    void set(final String[] sent, final int field, final int value) {
        received(sent)[field] = Integer.toString(value);
        sent[field] = Integer.toString(value);
    }

    /** Lets a slot carry the cell of another one. */
    void copyCell(final String[] from, final String[] to) {
        for (final int field : new int[] {SOURCE, DESTINATION, SEQUENCE, SPRAYS, DUMMY}) {
            set(to, field, number(from, field));
        }
    }

    void remove(final String[] line) {
        lines.remove(line);
    }

    /** Repeats a line after itself. */
    void repeat(final String[] line) {
        lines.add(lines.indexOf(line) + 1, line.clone());
    }

    Path write(final Path file) throws IOException {
        final List<String> text = new ArrayList<>();
        text.add(columns);
        lines.forEach(line -> text.add(String.join(",", Arrays.asList(line))));
        return Files.write(file, text, StandardCharsets.US_ASCII);
    }
}
