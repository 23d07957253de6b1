package dev.skerry.tools.score;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.ShaleFabricFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.score.FollowedKind.Recording;
import dev.skerry.tools.score.shale.FollowedShale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

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
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/**
 * Mistakes planted in a trace of real hardware with nine nodes. Each is found, with its law, at its node, within the
 * slots stated; the rule for ties is not told, and neither is the link that a cell joins. Traces and states whose text
 * is damaged at random are followed, with findings or not, or refused in one line.
 */
final class PlantedFindingsTest {
    private static final int SLOT = 2;
    private static final int NODE = 4;
    private static final int PEER = 6;
    private static final int SOURCE = 7;
    private static final int DESTINATION = 8;
    private static final int PHASE = 9;
    private static final int SEQUENCE = 10;
    private static final int SPRAYS = 11;
    private static final int TOKEN1 = 12;
    private static final int TOKEN2 = 14;
    private static final int DUMMY = 16;

    private static final int FROM = 200;
    private static final int NODES = 9;
    private static final int LINES = 120;
    private static final List<String> PARTS = List.of("-1", "0", "1", "3", "4", "9", "77", "1048575", "2147483647",
        "99999999999", "x", "", "T", "R", "\n", "-", "dummy", "\u0000");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "wrong bucket, route, 0", "another destination, conservation, 0", "another sequence number, payload, 0",
        "another source, payload, 0", "token twice, token, 0", "token lost, token, 0", "another token, token, 0",
        "tokens swapped, token, 0", "token on another link, token, 0", "order swapped, order, 8",
        "cells of two links swapped, route, 4", "another neighbour, schedule, 0", "another phase, schedule, 0",
        "sequence skipped, order, 0", "sequence twice, conservation, 0", "dummy with a cell, payload, 0",
        "nothing sent, schedule, 0", "lost on the link, conservation, 0", "changed on the link, payload, 0",
        "token changed on the link, token, 0", "cell twice, conservation, 4", "local cell first, order, 4",
        "no token left, token, 0", "dummy first, order, 0", "two cells, schedule, 0",
        "local cell in a wrong bucket, route, 0", "payload changed, payload, 0",
        "payload changed on the link, payload, 0"})
    void shouldFindTheMistake(final String mistake, final String law, final int within) throws IOException {
        final EditedTrace trace = EditedTrace.of("n9-h2-p0", 2 * FROM);
        final String[] at = plant(trace, mistake);
        final int slot = number(at, SLOT);
        final boolean onLink = mistake.endsWith("on the link");
        final int node = number(at, onLink ? PEER : NODE);
        final FindingLog log = score(trace.write(folder.resolve("cells.csv")));
        assertFalse(log.none(), mistake + " is not found");
        final Finding first = log.list().getFirst();
        assertEquals(law, first.law().toString(), log.text());
        assertEquals(node, first.node(), log.text());
        assertTrue(first.slot() >= slot && first.slot() <= slot + within, "slot " + slot + ": " + log.text());
    }

    @Test
    void shouldNameTheWrongPropagationDelay() throws IOException {
        final Path file = EditedTrace.of("n9-h2-p0", FROM).write(folder.resolve("cells.csv"));
        final FindingLog log = new FindingLog(5);
        final String text = score(file, 2, log).text();
        assertTrue(text.contains("\nWith propagation 0 there would be no finding in the first "), text);
        assertTrue(log.total() > FROM, text);
    }

    private static FindingLog score(final Path file) {
        final FindingLog log = new FindingLog(5);
        score(file, 0, log);
        return log;
    }

    private static Scorer score(final Path file, final int propagation, final FindingLog log) {
        final Phased schedule = new Phased(2, 3);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, propagation,
            1);
        final Scorer scorer = new Scorer(new ShaleFabricFollower(shale, CellNames.pairs(NODES, 14), FollowRules.STRICT,
            log), LinkWords.PLAIN, log);
        try (CellTrace cells = new CellTrace(new TraceLines("trace", file), new FollowedShale().words(), NODES, 1, null,
            null)) {
            scorer.score(cells);
        }
        return scorer;
    }

    /** Plants a mistake; returns the line of the device that makes it. */
    private static String[] plant(final EditedTrace trace, final String mistake) {
        return switch (mistake) {
            case "wrong bucket", "another destination", "another sequence number", "another source", "cell twice",
                "order swapped", "cells of two links swapped", "dummy first" -> forwarded(trace, mistake);
            case "sequence skipped", "sequence twice", "local cell first", "no token left",
                "local cell in a wrong bucket" -> local(trace, mistake);
            case "token twice", "token lost", "another token", "tokens swapped", "token on another link" ->
                token(trace, mistake);
            default -> slot(trace, mistake);
        };
    }

    private static String[] forwarded(final EditedTrace trace, final String mistake) {
        final String[] at = trace.sent(FROM, line -> isForwarded(line) && number(line, SPRAYS) == 0
            && number(line, DESTINATION) != number(line, PEER));
        switch (mistake) {
            case "wrong bucket" -> trace.set(at, SPRAYS, 1);
            case "another destination" -> trace.set(at, DESTINATION, (number(at, PEER) + 1) % NODES
                == number(at, SOURCE) ? (number(at, PEER) + 2) % NODES : (number(at, PEER) + 1) % NODES);
            case "another sequence number" -> trace.set(at, SEQUENCE, number(at, SEQUENCE) + 5_000);
            case "another source" -> trace.set(at, SOURCE, other(at));
            case "cell twice" -> {
                final String[] later = next(trace, at, 1, PlantedFindingsTest::isLocal);
                trace.copyCell(at, later);
                return later;
            }
            case "dummy first" -> {
                for (final int field : new int[] {SOURCE, DESTINATION, SEQUENCE}) {
                    trace.set(at, field, 0);
                }
                trace.set(at, DUMMY, 1);
            }
            default -> {
                // Two cells wait for one link in the first slots only.
                final int from = mistake.startsWith("order") ? 6 : FROM;
                final String[] first = trace.sent(from, line -> isForwarded(line)
                    && isForwarded(partner(trace, line, mistake))
                    && trace.hasCome(partner(trace, line, mistake), number(line, SLOT)));
                final String[] second = partner(trace, first, mistake);
                final String[] kept = trace.received(first).clone();
                kept[NODE] = first[NODE];
                trace.copyCell(second, first);
                trace.copyCell(kept, second);
                return first;
            }
        }
        return at;
    }

    /** The slot whose cell changes places: of the same link in the next epoch, or of the phase's other link. */
    private static String[] partner(final EditedTrace trace, final String[] line, final String mistake) {
        final int distance = mistake.startsWith("order") ? 4 : number(line, SLOT) % 2 == 0 ? 1 : 3;
        return next(trace, line, distance, each -> number(each, SLOT) == number(line, SLOT) + distance);
    }

    private static String[] next(final EditedTrace trace, final String[] after, final int distance,
        final Predicate<String[]> like) {
        return trace.sent(number(after, SLOT) + distance, line -> line[NODE].equals(after[NODE]) && like.test(line));
    }

    /** A node that is neither the device, nor the source or destination of the cell. */
    private static int other(final String[] line) {
        int node = 0;
        while (node == number(line, NODE) || node == number(line, SOURCE) || node == number(line, DESTINATION)) {
            node++;
        }
        return node;
    }

    private static String[] local(final EditedTrace trace, final String mistake) {
        final String[] at = trace.sent(FROM, PlantedFindingsTest::isLocal);
        switch (mistake) {
            case "sequence skipped" -> trace.set(at, SEQUENCE, number(at, SEQUENCE) + 1);
            case "sequence twice" -> trace.set(at, SEQUENCE, number(at, SEQUENCE) - 1);
            case "local cell in a wrong bucket" -> trace.set(at, SPRAYS, 0);
            case "local cell first" -> {
                final String[] queued = trace.sent(FROM, PlantedFindingsTest::isForwarded);
                trace.copyCell(next(trace, queued, 0, PlantedFindingsTest::isLocal), queued);
                return queued;
            }
            default -> {
                final String[] idle = trace.sent(10, line -> !isCell(line));
                trace.copyCell(next(trace, idle, 0, PlantedFindingsTest::isLocal), idle);
                return idle;
            }
        }
        return at;
    }

    private static String[] token(final EditedTrace trace, final String mistake) {
        final boolean both = mistake.equals("tokens swapped");
        final String[] at = trace.sent(both ? 2 : FROM, line -> number(line, TOKEN1) >= 0
            && (!both || number(line, TOKEN2) >= 0));
        final int destination = number(at, TOKEN1);
        final int sprays = number(at, TOKEN1 + 1);
        switch (mistake) {
            case "token lost" -> setToken(trace, at, TOKEN1, -1, -1);
            case "another token" -> setToken(trace, at, TOKEN1, (destination + 1) % NODES, sprays);
            case "tokens swapped" -> {
                setToken(trace, at, TOKEN1, number(at, TOKEN2), number(at, TOKEN2 + 1));
                setToken(trace, at, TOKEN2, destination, sprays);
            }
            default -> {
                final String[] later = next(trace, at, mistake.equals("token twice") ? 4 : 1,
                    line -> number(line, TOKEN1) < 0);
                setToken(trace, later, TOKEN1, destination, sprays);
                if (mistake.equals("token on another link")) {
                    setToken(trace, at, TOKEN1, -1, -1);
                    return at;
                }
                return later;
            }
        }
        return at;
    }

    private static void setToken(final EditedTrace trace, final String[] at, final int field, final int destination,
        final int sprays) {
        trace.set(at, field, destination);
        trace.set(at, field + 1, sprays);
    }

    private static String[] slot(final EditedTrace trace, final String mistake) {
        final String[] at = trace.sent(FROM, line -> isForwarded(line) && number(line, TOKEN1) < 0);
        switch (mistake) {
            case "another neighbour" -> {
                trace.received(at);
                at[PEER] = Integer.toString((number(at, PEER) + 1) % NODES);
            }
            case "another phase" -> trace.set(at, PHASE, 1 - number(at, PHASE));
            case "dummy with a cell" -> trace.set(at, DUMMY, 1);
            case "nothing sent" -> {
                trace.remove(trace.received(at));
                trace.remove(at);
            }
            case "lost on the link" -> trace.remove(trace.received(at));
            case "changed on the link" -> trace.received(at)[SEQUENCE] = "77";
            case "token changed on the link" -> {
                trace.received(at)[TOKEN1] = "4";
                trace.received(at)[TOKEN1 + 1] = "0";
            }
            case "two cells" -> trace.repeat(at);
            case "payload changed" -> trace.set(at, at.length - 1, 0);
            case "payload changed on the link" -> trace.received(at)[at.length - 1] = "0";
            default -> throw new IllegalArgumentException(mistake);
        }
        return at;
    }

    /** What the hardware of Shale's authors sent, received and held, line by line. */
    private static BufferedReader recorded(final String name) throws IOException {
        return new BufferedReader(new InputStreamReader(new GZIPInputStream(Objects.requireNonNull(
            PlantedFindingsTest.class.getResourceAsStream("/oracle/shale-rtl/" + name + ".csv.gz"), name)),
            StandardCharsets.US_ASCII));
    }

    private static int number(final String[] line, final int field) {
        return Integer.parseInt(line[field]);
    }

    private static boolean isCell(final String[] line) {
        return number(line, DUMMY) == 0;
    }

    private static boolean isLocal(final String[] line) {
        return isCell(line) && number(line, SOURCE) == number(line, NODE);
    }

    private static boolean isForwarded(final String[] line) {
        return isCell(line) && number(line, SOURCE) != number(line, NODE);
    }

    /** The property {@code damaged} says how many. */
    @Test
    void shouldFollowOrRefuseDamagedTraces() throws IOException {
        final String cells = text("n4-h2-p1.cells");
        final String states = text("n4-h2-p1.state");
        int refused = 0;
        final int count = Integer.getInteger("damaged", 400);
        for (int seed = 0; seed < count; seed++) {
            final Random random = new Random(seed);
            final Path trace = write("cells", seed % 3 == 0 ? cells : damaged(cells, random));
            final Path state = write("state", seed % 3 == 1 ? states : damaged(states, random));
            try {
                scoreWithState(trace, state);
            } catch (final InputException e) {
                assertTrue(e.getMessage().matches("(?s)skerry: (trace|state): .*: .*, .*"), "seed=" + seed + e);
                refused++;
            } catch (final RuntimeException e) {
                throw new AssertionError("seed=" + seed, e);
            }
        }
        assertTrue(refused > count / 4 && refused < count, "refused " + refused + " of " + count);
    }

    private static void scoreWithState(final Path trace, final Path state) {
        final FindingLog log = new FindingLog(5);
        final FollowedKind kind = new FollowedShale();
        new CommandLine(kind).parseArgs("--state", state.toString());
        final Recording recording = new Recording(4, 1, CellNames.pairs(4, 14), 0, null, option -> false);
        try (CellTrace cells = new CellTrace(new TraceLines("trace", trace), kind.words(), 4, 1, null, null);
            FabricFollower follower = kind.follower(recording, log)) {
            final Scorer scorer = new Scorer(follower, LinkWords.PLAIN, log);
            scorer.score(cells);
            assertTrue(log.none() || scorer.table().length() > 0);
        }
    }

    private Path write(final String name, final String text) throws IOException {
        return Files.writeString(folder.resolve(name), text, StandardCharsets.ISO_8859_1);
    }

    /** Puts other values into some fields, and now and then cuts the text or takes a piece out. */
    private static String damaged(final String text, final Random random) {
        final StringBuilder damaged = new StringBuilder(text);
        for (int i = random.nextInt(4); i >= 0; i--) {
            final int at = random.nextInt(damaged.length());
            final int from = Math.max(damaged.lastIndexOf(",", at), damaged.lastIndexOf("\n", at)) + 1;
            final int comma = damaged.indexOf(",", from);
            damaged.replace(from, comma < 0 ? damaged.length() : comma, PARTS.get(random.nextInt(PARTS.size())));
        }
        if (random.nextInt(8) == 0) {
            final int from = random.nextInt(damaged.length());
            damaged.delete(from, from + random.nextInt(1 + damaged.length() - from));
        }
        return damaged.toString();
    }

    private static String text(final String name) throws IOException {
        try (BufferedReader in = recorded(name)) {
            return in.lines().limit(LINES).collect(Collectors.joining("\n"));
        }
    }

    /** A recorded trace in which a device's cells are changed, together with what its neighbour receives. */
    private static final class EditedTrace {
        private final String columns;
        private final List<String[]> lines;

        private EditedTrace(final String columns, final List<String[]> lines) {
            this.columns = columns;
            this.lines = lines;
        }

        /** The slots of a trace before one. */
        static EditedTrace of(final String name, final int slots) throws IOException {
            try (BufferedReader in = recorded(name + ".cells")) {
                final String columns = in.readLine();
                return new EditedTrace(columns + ",payload", new ArrayList<>(in.lines().map(EditedTrace::withPayload)
                    .takeWhile(line -> number(line, SLOT) < slots).toList()));
            }
        }

        /** The last field is a payload that says which cell it is of. */
        private static String[] withPayload(final String line) {
            final String[] fields = line.split(",");
            return (line + ",1" + fields[SOURCE] + fields[DESTINATION] + fields[SEQUENCE]).split(",");
        }

        /** The first cell or dummy sent in a slot or later that is like this. */
        String[] sent(final int fromSlot, final Predicate<String[]> like) {
            return lines.stream().filter(line -> line[0].equals("T") && number(line, SLOT) >= fromSlot)
                .filter(like).findFirst().orElseThrow();
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
            to[to.length - 1] = from[from.length - 1];
            received(to)[to.length - 1] = to[to.length - 1];
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
}
