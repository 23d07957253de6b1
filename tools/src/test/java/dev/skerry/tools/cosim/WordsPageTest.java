package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ShaleToken;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.spi.LinkWords;
import dev.skerry.spi.LinkWords.Field;
import dev.skerry.tools.run.shale.ShaleWords;
import dev.skerry.tools.run.shoal.ShoalWords;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Every table of docs/words.md, and the same tables for SystemVerilog and Python, say what the encoders do. */
final class WordsPageTest {
    private static final Pattern FIELD = Pattern.compile("\\| `(\\w+)` \\| `(\\w+)` \\| (\\d+):(\\d+) \\|.*");
    private static final Pattern STRUCT = Pattern.compile("typedef struct packed \\{([^}]*)}\\s+(\\w+);");
    private static final Path HOME = Path.of("..");

    /** All ones in one field, by the encoders. */
    private static final Map<String, Long> ENCODED = Map.ofEntries(
        Map.entry("Shale sent_slot", Route.first(0, 0, Route.SENT_SLOTS - 1)),
        Map.entry("Shale destination", Route.first((1 << 20) - 1, 0, 0)),
        Map.entry("Shale sprays", Route.first(0, Route.MAX_SPRAYS, 0)),
        Map.entry("Shale flow", Cell.of(-1, 0)), Map.entry("Shale sequence", Cell.of(0, -1)),
        Map.entry("Shale token1_kind", 3L << 23), Map.entry("Shale token2_kind", 3L << 55),
        Map.entry("Shale token1_destination", (long) Route.bucket((1 << 20) - 1, 0)),
        Map.entry("Shale token2_destination", (long) Route.bucket((1 << 20) - 1, 0) << 32),
        Map.entry("Shale token1_sprays", 7L), Map.entry("Shale token2_sprays", 7L << 32),
        Map.entry("Shoal sent_slot", ShoalCell.sent(0, -1)), Map.entry("Shoal traffic_class", ClassedCell.of(0, 0, 3)),
        Map.entry("Shoal source", ShoalCell.of(1023, 0)), Map.entry("Shoal destination", ShoalCell.of(0, 65_535)),
        Map.entry("Shoal flow", Cell.of(-1, 0)), Map.entry("Shoal sequence", Cell.of(0, -1)),
        Map.entry("Shoal dropped", ReportWord.of(0, true)), Map.entry("Shoal report", ReportWord.of(2047, false)),
        Map.entry("Stardust to", StardustCell.route(65_535, 0, 0) & ~StardustCell.route(0, 0, 0)),
        Map.entry("Stardust from", StardustCell.route(0, 65_535, 0) & ~StardustCell.route(0, 0, 0)),
        Map.entry("Stardust valid", StardustCell.route(0, 0, 0)),
        Map.entry("Stardust order", StardustCell.route(0, 0, 1) & ~StardustCell.route(0, 0, 0)),
        Map.entry("Stardust eoc", StardustCell.first(0, 1, true, 0)),
        Map.entry("Stardust length", StardustCell.first(0, 512, false, 0)),
        Map.entry("Stardust born", StardustCell.first(0, 1, false, -1)),
        Map.entry("Stardust queue", StardustCell.second(4095, 0, 0)),
        Map.entry("Stardust number", StardustCell.second(0, -1, 0)),
        Map.entry("Stardust place", StardustCell.second(0, 0, -1)));

    /** Fields of the page by the heading they stand under. */
    private static Map<String, List<Field>> page() throws IOException {
        final Map<String, List<Field>> fields = new HashMap<>();
        String heading = "";
        for (final String line : Files.readAllLines(HOME.resolve("docs/words.md"))) {
            heading = line.startsWith("## ") ? line.substring(3) : heading;
            final Matcher row = FIELD.matcher(line);
            if (row.matches()) {
                final int low = Integer.parseInt(row.group(4));
                fields.computeIfAbsent(heading, _ -> new ArrayList<>()).add(new Field(row.group(1), row.group(2), low,
                    Integer.parseInt(row.group(3)) - low + 1));
            }
        }
        return fields;
    }

    @Test
    void shouldHaveEveryFieldAtTheBitsOfItsEncoder() throws IOException {
        final Map<String, List<Field>> page = page();
        assertEquals(new ShaleWords(null, 2).fields(), page.get("Shale"));
        assertEquals(new ShoalWords().fields(), page.get("Shoal"));
        int checked = 0;
        for (final String heading : page.keySet()) {
            for (final Field field : page.get(heading)) {
                final Long encoded = ENCODED.get(heading + " " + field.name());
                if (encoded != null) {
                    final long ones = field.of(-1);
                    assertEquals(ones << field.low(), encoded, heading + " " + field);
                    assertEquals(ones, field.of(encoded), heading + " " + field);
                    checked++;
                }
            }
        }
        assertEquals(ENCODED.size(), checked);
        assertEquals(3 << 23, ShaleToken.of(ShaleToken.KIND_REVALIDATION, 0, 0));
        final long sent = Route.first(3, 1, 1);
        assertTrue(Files.readString(HOME.resolve("docs/words.md")).contains("Example: " + sent + " is"), "" + sent);
    }

    /** The names of rows on the page are those of open models. */
    @Test
    void shouldNameTheRowsOfModels() throws IOException {
        final Map<String, String> models = Map.of("`pieo`", "pieo capacity=4", "`switch`, 2 ports",
            "switch ports=2 rows=1,0", "`shale-node`", "shale-node nodes=9 workload=permutation", "`shoal-node`",
            "shoal-node nodes=8 channels=1 workload=permutation", "`shale-follower`",
            "shale-follower nodes=9 workload=permutation");
        int checked = 0;
        for (final String line : Files.readAllLines(HOME.resolve("docs/words.md"))) {
            final String[] cells = line.split(" *\\| *");
            final String model = cells.length == 4 ? models.get(cells[1]) : null;
            if (model != null) {
                try (Arena arena = Arena.ofConfined()) {
                    final Twin twin = Description.of(model).twin(arena);
                    assertEquals(String.join(" ", twin.names().inputs()), cells[2], model);
                    assertEquals(String.join(" ", twin.names().outputs()), cells[3].replace(", probes", ""), model);
                    twin.close();
                }
                checked++;
            }
        }
        assertEquals(models.size(), checked);
    }

    /** The structs of the scoreboards and the table of the Python package. */
    @Test
    void shouldEqualTheOtherLanguages() throws IOException {
        final String sv = Files.readString(HOME.resolve("tools/cosim/sv/skerry_scoreboard.svh"));
        final Map<String, String> structs = new HashMap<>();
        STRUCT.matcher(sv).results().forEach(struct -> structs.put(struct.group(2), struct.group(1)
            .replaceAll("logic|\\[|:0]", " ").strip().replaceAll(" +", " ").replaceAll("\\s*;\\s*", ";")));
        final String python = Files.readString(HOME.resolve("tools/cosim/python/skerry.py"));
        for (final Map.Entry<String, LinkWords> fabric : Map.<String, LinkWords>of("shale",
            new ShaleWords(null, 2), "shoal", new ShoalWords()).entrySet()) {
            final String table = python.substring(python.indexOf('"' + fabric.getKey() + "\": {"));
            for (final Field field : fabric.getValue().fields()) {
                assertTrue(table.substring(0, table.indexOf('}')).contains("\"%s\": (\"%s\", %d, %d)".formatted(
                    field.name(), field.word(), field.low(), field.bits())), field.toString());
            }
        }
        assertEquals("22 sent_slot;17 zero;19 destination;2 sprays;", structs.get("shale_route_t"));
        assertEquals("6 zero;1 kind;19 destination;2 sprays;", structs.get("shale_token_t"));
        assertEquals("31 flow;31 sequence_number;", structs.get("cell_t"));
        assertEquals("31 sent_slot;3 zero;1 traffic_class;9 source;15 destination;", structs.get("shoal_route_t"));
        assertEquals("51 zero;dropped;10 report;", structs.get("shoal_feedback_t"));
    }
}
