package dev.skerry.tools.score;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.score.FollowedKind.Recording;
import dev.skerry.tools.score.shale.FollowedShale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** Traces and states whose text is damaged at random are followed, with findings or not, or refused in one line. */
final class TraceTextTest {
    private static final int LINES = 120;
    private static final List<String> PARTS = List.of("-1", "0", "1", "3", "4", "9", "77", "1048575", "2147483647",
        "99999999999", "x", "", "T", "R", "\n", "-", "dummy", "\u0000");

    @TempDir
    private Path folder;

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
                score(trace, state);
            } catch (final InputException e) {
                assertTrue(e.getMessage().matches("(?s)skerry: (trace|state): .*: .*, .*"), "seed=" + seed + e);
                refused++;
            } catch (final RuntimeException e) {
                throw new AssertionError("seed=" + seed, e);
            }
        }
        assertTrue(refused > count / 4 && refused < count, "refused " + refused + " of " + count);
    }

    private static void score(final Path trace, final Path state) {
        final FindingLog log = new FindingLog(5);
        final FollowedKind kind = new FollowedShale();
        new CommandLine(kind).parseArgs("--state", state.toString());
        final Recording recording = new Recording(4, 1, CellNames.pairs(4, 14), false, null, option -> false);
        try (CellTrace cells = new CellTrace(new TraceLines("trace", trace), kind.words(), 4, 1, null, null);
            FabricFollower follower = kind.follower(recording, log)) {
            final Scorer scorer = new Scorer(follower, log);
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
        try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(
            Objects.requireNonNull(TraceTextTest.class.getResourceAsStream("/oracle/shale-rtl/" + name + ".csv.gz"),
                name)), StandardCharsets.US_ASCII))) {
            return in.lines().limit(LINES).collect(Collectors.joining("\n"));
        }
    }
}
