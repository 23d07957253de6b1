package dev.skerry.tools.score;

import static dev.skerry.tools.score.EditedTrace.DESTINATION;
import static dev.skerry.tools.score.EditedTrace.DUMMY;
import static dev.skerry.tools.score.EditedTrace.NODE;
import static dev.skerry.tools.score.EditedTrace.PEER;
import static dev.skerry.tools.score.EditedTrace.PHASE;
import static dev.skerry.tools.score.EditedTrace.SEQUENCE;
import static dev.skerry.tools.score.EditedTrace.SLOT;
import static dev.skerry.tools.score.EditedTrace.SOURCE;
import static dev.skerry.tools.score.EditedTrace.SPRAYS;
import static dev.skerry.tools.score.EditedTrace.TOKEN1;
import static dev.skerry.tools.score.EditedTrace.TOKEN2;
import static dev.skerry.tools.score.EditedTrace.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.ShaleFabricFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.score.shale.FollowedShale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * Mistakes planted in a trace of real hardware with nine nodes. Each is found, with its law, at its node, within the
 * slots stated; the rule for ties is not told, and neither is the link that a cell joins.
 */
final class PlantedFindingsTest {
    private static final int FROM = 200;
    private static final int NODES = 9;

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
        "local cell in a wrong bucket, route, 0"})
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

    private static FindingLog score(final Path file) {
        final Phased schedule = new Phased(2, 3);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 0, 1);
        final FindingLog log = new FindingLog(5);
        try (CellTrace cells = new CellTrace(new TraceLines("trace", file), new FollowedShale().words(), NODES, 1, null,
            null)) {
            new Scorer(new ShaleFabricFollower(shale, CellNames.pairs(NODES, 14), FollowRules.STRICT, log), log)
                .score(cells);
        }
        return log;
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
        final String[] at = trace.sent(FROM, line -> EditedTrace.isForwarded(line) && number(line, SPRAYS) == 0
            && number(line, DESTINATION) != number(line, PEER));
        switch (mistake) {
            case "wrong bucket" -> trace.set(at, SPRAYS, 1);
            case "another destination" -> trace.set(at, DESTINATION, (number(at, PEER) + 1) % NODES
                == number(at, SOURCE) ? (number(at, PEER) + 2) % NODES : (number(at, PEER) + 1) % NODES);
            case "another sequence number" -> trace.set(at, SEQUENCE, number(at, SEQUENCE) + 5_000);
            case "another source" -> trace.set(at, SOURCE, other(at));
            case "cell twice" -> {
                final String[] later = next(trace, at, 1, EditedTrace::isLocal);
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
                final String[] first = trace.sent(from, line -> EditedTrace.isForwarded(line)
                    && EditedTrace.isForwarded(partner(trace, line, mistake))
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
        final String[] at = trace.sent(FROM, EditedTrace::isLocal);
        switch (mistake) {
            case "sequence skipped" -> trace.set(at, SEQUENCE, number(at, SEQUENCE) + 1);
            case "sequence twice" -> trace.set(at, SEQUENCE, number(at, SEQUENCE) - 1);
            case "local cell in a wrong bucket" -> trace.set(at, SPRAYS, 0);
            case "local cell first" -> {
                final String[] queued = trace.sent(FROM, EditedTrace::isForwarded);
                trace.copyCell(next(trace, queued, 0, EditedTrace::isLocal), queued);
                return queued;
            }
            default -> {
                final String[] idle = trace.sent(10, line -> !EditedTrace.isCell(line));
                trace.copyCell(next(trace, idle, 0, EditedTrace::isLocal), idle);
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
        final String[] at = trace.sent(FROM, line -> EditedTrace.isForwarded(line) && number(line, TOKEN1) < 0);
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
            default -> throw new IllegalArgumentException(mistake);
        }
        return at;
    }
}
