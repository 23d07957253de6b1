package dev.skerry.tools.trace;

import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Unpacked;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Replays the operations of a trace on a {@link Pieo} and compares the answers, up to the first difference. Each line
 * is one operation as the hardware returns it; blank lines and lines that start with {@code #} are skipped, and a file
 * in gzip format is recognised by its first bytes:
 *
 * <pre>
 *     E id rank send_time valid        enqueue; valid is 1 if it was accepted, 0 if not
 *     D now 1 id rank send_time        dequeue of the first eligible element
 *     D now 0                          dequeue without an eligible element
 *     F flow 1 id rank send_time       dequeue of one element by its id
 *     F flow 0                         dequeue by an id that was not in the queue
 * </pre>
 *
 * The file is read as a stream, so its length is not limited. An instance is used once, by one thread.
 */
public final class PieoReplay {
    private static final String WHAT = "pieo trace";
    private static final int QUOTED_CHARACTERS = 60;
    private static final long TOO_LARGE = 1L << 40;
    private static final String[] FIELD_OF_ENQUEUE = {"id", "rank", "send_time", "valid"};
    private static final String[] FIELD_OF_DEQUEUE = {"now", "valid", "id", "rank", "send_time"};
    private static final String[] FIELD_OF_DEQUEUE_F = {"flow", "valid", "id", "rank", "send_time"};

    private final Path file;
    private final Pieo pieo;
    private long[] field;
    private long lineNumber;

    /**
     * The result of a replay.
     *
     * @param operations operations with equal answers.
     * @param line number of the first line that differs, from 1; 0 if there is none.
     * @param expected that line.
     * @param got the line as the model answers it.
     */
    public record Outcome(long operations, long line, String expected, String got) {
        /** Tells whether every answer was equal. */
        public boolean equal() {
            return line == 0;
        }
    }

    private PieoReplay(final Path file, final Pieo pieo) {
        this.file = file;
        this.pieo = pieo;
    }

    /**
     * Replays a file.
     *
     * @param file trace.
     * @param layout dimensions of the PIEO that produced it.
     * @return the result.
     * @throws InputException if the file cannot be read, contains no operation or has a malformed line.
     */
    public static Outcome replay(final Path file, final PieoLayout layout) {
        try (Arena arena = Arena.ofConfined(); InputStream text = Unpacked.open(file)) {
            final Pieo pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
            return new PieoReplay(file, pieo).run(text);
        } catch (final NoSuchFileException e) {
            throw new InputException(WHAT, file.toString(), "no such file", "check the name after --replay");
        } catch (final IOException e) {
            throw new InputException(WHAT, file.toString(), "cannot be read (" + e.getMessage() + ")",
                "give a readable text or gzip file");
        }
    }

    private Outcome run(final InputStream in) throws IOException {
        long operations = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1))) {
            for (String text = next(lines); text != null; text = next(lines)) {
                final String line = text.strip();
                if (line.isEmpty() || line.charAt(0) == '#') {
                    continue;
                }
                parse(line);
                final String got = answer(line.charAt(0));
                if (got != null) {
                    return new Outcome(operations, lineNumber, line, got);
                }
                operations++;
            }
        }
        Choices.refuseIf(operations == 0, WHAT, file, "it holds no operation", "give a trace with at least one line");
        return new Outcome(operations, 0, "", "");
    }

    private String next(final BufferedReader lines) throws IOException {
        try {
            final String line = lines.readLine();
            lineNumber++;
            return line;
        } catch (final IOException e) {
            throw new IOException("after line " + lineNumber + ": " + e.getMessage(), e);
        }
    }

    private void parse(final String line) {
        if (line.length() < 2 || line.charAt(1) != ' ' && line.charAt(1) != '\t' || "EDF".indexOf(line.charAt(0)) < 0) {
            throw malformed(quote(line) + " is not an operation", "start the line with E, D or F and a space");
        }
        field = Arrays.stream(line.substring(1).strip().split("[ \t]+")).mapToLong(PieoReplay::number).toArray();
        final PieoLayout layout = pieo.layout();
        switch (line.charAt(0)) {
            case 'E' -> {
                checkFields(line, 3, 4, 4, FIELD_OF_ENQUEUE);
                checkElement(0, layout);
            }
            case 'D' -> {
                checkFields(line, 1, 2, 5, FIELD_OF_DEQUEUE);
                checkWidth("now", field[0], layout.noTime(), layout.timeBits());
            }
            default -> {
                checkFields(line, 1, 2, 5, FIELD_OF_DEQUEUE_F);
                checkWidth("flow", field[0], layout.nullId(), layout.idBits());
            }
        }
        if (line.charAt(0) != 'E' && field[1] == 1) {
            checkElement(2, layout);
        }
    }

    /** Returns a number of at most {@link #TOO_LARGE}; -1 for other text. */
    private static long number(final String text) {
        return text.matches("[0-9]+") ? new BigInteger(text).min(BigInteger.valueOf(TOO_LARGE)).longValue() : -1;
    }

    /**
     * Checks that the valid field is 0 or 1, that the line has the corresponding length, and that all fields are
     * numbers.
     */
    private void checkFields(final String line, final int valid, final int ifZero, final int ifOne,
        final String[] names) {
        for (int i = 0; i < Math.min(field.length, names.length); i++) {
            if (field[i] < 0) {
                throw malformed(names[i] + " is not a whole number in " + quote(line), "use decimal digits only");
            }
        }
        if (field.length > valid && field[valid] > 1) {
            throw malformed(names[valid] + " is " + field[valid] + " in " + quote(line), "use 0 or 1");
        }
        final int needed = field.length > valid && field[valid] == 0 ? ifZero : ifOne;
        if (field.length != needed) {
            throw malformed(field.length + " numbers where " + needed + " belong in " + quote(line),
                "write " + line.charAt(0) + " " + String.join(" ", names).replace("valid id", "1 id")
                    + (ifZero == ifOne ? "" : " or " + line.charAt(0) + " " + names[0] + " 0"));
        }
    }

    private void checkElement(final int first, final PieoLayout layout) {
        checkWidth("id", field[first], layout.nullId(), layout.idBits());
        checkWidth("rank", field[first + 1], layout.noRank(), layout.rankBits());
        checkWidth("send_time", field[first + 2], layout.noTime(), layout.timeBits());
    }

    private void checkWidth(final String name, final long value, final long most, final int bits) {
        if (value > most) {
            throw malformed(name + " " + (value == TOO_LARGE ? "is far too large" : value + " does not fit " + bits
                + " bits"), "give --size the number of elements of the hardware that made the trace");
        }
    }

    private InputException malformed(final String why, final String advice) {
        return new InputException(WHAT, file + ":" + lineNumber, why, advice);
    }

    /** Returns the text shortened for a message of one line. */
    private static String quote(final String line) {
        final String cut = line.length() > QUOTED_CHARACTERS ? line.substring(0, QUOTED_CHARACTERS) + "..." : line;
        return "\"" + cut.replaceAll("[^ -~]", "?") + "\"";
    }

    /** Runs the parsed operation: returns null if the answers are equal, else the line as the model writes it. */
    private String answer(final char operation) {
        if (operation == 'E') {
            final int code = pieo.enqueue((int) field[0], field[1], field[2]);
            return (code == Pieo.DONE) == (field[3] == 1) ? null
                : "E " + field[0] + " " + field[1] + " " + field[2] + (code == Pieo.DONE ? " 1" : " 0" + reason(code));
        }
        final int code = operation == 'D' ? pieo.dequeue(field[0]) : pieo.dequeueF((int) field[0]);
        final String head = operation + " " + field[0];
        if (code != Pieo.DONE) {
            return field[1] == 0 ? null : head + " 0" + reason(code);
        }
        final boolean equal = field[1] == 1 && field[2] == pieo.id() && field[3] == pieo.rank()
            && field[4] == pieo.sendTime();
        return equal ? null : head + " 1 " + pieo.id() + " " + pieo.rank() + " " + pieo.sendTime();
    }

    private static String reason(final int code) {
        return " (" + Pieo.meaning(code) + ")";
    }
}
