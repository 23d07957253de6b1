package dev.skerry.tools.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.SlotState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;

/** {@code skerry score --header}: cells as the bits of a header that others designed. */
final class ScoreHeaderTest {
    private static final int HEADER = 17;
    private static final HeaderDescription AUTHORS = HeaderDescription.builtIn("shale-prototype");
    private static final String NIC = """
        name nic
        source-mac 9
        destination-mac 9
        source 9
        destination 9
        phase 3
        sequence 14
        sprays 3
        token1-destination 9
        token1-index 3
        token2-destination 9
        token2-index 3
        dummy 1
        padding 7
        """;

    @TempDir
    private Path folder;

    /** Lines of a trace, each split; the names of the columns first. */
    private static List<String[]> lines(final String name, final int count) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(new GZIPInputStream(
            Objects.requireNonNull(ScoreHeaderTest.class.getResourceAsStream("/oracle/shale-rtl/" + name
                + ".cells.csv.gz"), name)), US_ASCII))) {
            return in.lines().limit(count).map(line -> line.split(",")).toList();
        }
    }

    private static DescribedCell cell(final String[] line) {
        final int[] field = new int[HEADER];
        for (int i = 1; i < HEADER; i++) {
            field[i] = Integer.parseInt(line[i]);
        }
        return new DescribedCell(field[16] == 1 ? SlotState.DUMMY : SlotState.CELL, field[7], field[8], field[10],
            field[11], field[9], field[5], field[6], token(field[12], field[13]), token(field[14], field[15]));
    }

    private static int token(final int destination, final int index) {
        return destination < 0 ? ShaleToken.NONE : ShaleToken.of(destination, index);
    }

    /** All bits of every header of the hardware are what the description says, and the findings are the same. */
    @ParameterizedTest
    @CsvSource({"n9-h2-p0, --nodes 9", "n4-h2-rate1, --nodes 4"})
    void shouldReadTheHardwaresHeaders(final String name, final String options) throws Exception {
        compareBitsAndNumbers(name, options);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"n4-h2-p0, --nodes 4", "n4-h2-p1, --nodes 4 --propagation-slots 1", "n16-h4-p0, --nodes 16 --h 4"})
    void shouldReadTheOtherHeadersToo(final String name, final String options) throws Exception {
        compareBitsAndNumbers(name, options);
    }

    private void compareBitsAndNumbers(final String name, final String options) throws Exception {
        final List<String[]> lines = lines(name, Integer.MAX_VALUE);
        for (final String[] line : lines.subList(1, lines.size())) {
            final byte[] bits = HexFormat.of().parseHex(line[HEADER]);
            assertEquals(line[HEADER], HexFormat.of().formatHex(AUTHORS.pack(cell(line))));
            assertEquals(cell(line), AUTHORS.cell(AUTHORS.unpack(bits)));
        }
        final Path file = write(lines, "kind,slot,node,header", bits -> bits);
        final Invocation bits = score(file, options + " --header shale-prototype");
        final Path columns = Path.of(Objects.requireNonNull(ScoreHeaderTest.class.getResource("/oracle/shale-rtl/"
            + name + ".cells.csv.gz"), name).toURI());
        final Invocation numbers = score(columns, options);
        assertEquals(numbers.code(), bits.code(), bits.out() + bits.err());
        assertEquals(numbers.out(), bits.out());
    }

    private static Invocation score(final Path file, final String options) {
        final List<String> arguments = new ArrayList<>(List.of("score", file.toString()));
        arguments.addAll(List.of(options.split(" ")));
        return Invocation.of(arguments.toArray(String[]::new));
    }

    private Path write(final List<String[]> lines, final String columns, final UnaryOperator<String> header)
        throws IOException {
        final List<String> text = new ArrayList<>(List.of(columns));
        lines.subList(1, lines.size()).forEach(line -> text.add(line[0] + "," + line[2] + "," + line[4] + ","
            + header.apply(line[HEADER])));
        return Files.write(folder.resolve("bits.csv"), text, US_ASCII);
    }

    /** A description of the wrong header is found out, by the laws that the cells it reads break. */
    @ParameterizedTest
    @CsvSource({"source 9, source 8, no law", "sequence 14, sequence 14 mask=0x1, conservation",
        "phase 3, phase 2, schedule", "dummy 1, padding 1, route", "sprays 3, sprays 3 offset=1, route",
        "bits msb, bits lsb, payload"})
    void shouldFindAWrongDescription(final String right, final String wrong, final String law) throws IOException {
        final String text = ("bits msb\n" + NIC).replace("\n" + right + "\n", "\n" + wrong + "\n").replace("bits msb",
            wrong.startsWith("bits") ? wrong : "bits msb");
        final int more = wrong.equals("source 8") || wrong.equals("phase 2") ? 1 : 0;
        final Path description = Files.writeString(folder.resolve("nic.txt"), text.replace("padding 7", "padding "
            + (7 + more)), US_ASCII);
        final Path file = write(lines("n9-h2-p0", 4_000), "kind,slot,node,header", bits -> bits);
        final Invocation run = score(file, "--nodes 9 --header " + description);
        assertEquals(1, run.code(), run.out() + run.err());
        assertTrue(law.equals("no law") || run.out().contains(": " + law + ": "), run.out());
    }

    /** The same cells with another header, which has a CRC; bit and byte order as the description says. */
    @Test
    void shouldCheckWhatElseAHeaderHas() throws IOException {
        final Path description = Files.writeString(folder.resolve("own.txt"), """
            name own            # ids from 1, lowest bits first
            bits lsb
            bytes little
            no-token zero
            valid 1
            dummy 1
            source 10 offset=1
            destination 10 offset=1
            sequence 16 mask=0x3fff
            sprays 2
            token1-destination 10 offset=1
            token1-index 2
            token2-destination 10 offset=1
            token2-index 2
            constant 4 value=9
            padding 4
            crc 16 poly=0x1021 init=0xffff
            """, US_ASCII);
        final HeaderDescription own = HeaderDescription.parse("own", Files.readAllLines(description, US_ASCII));
        final List<String[]> lines = lines("n9-h2-p0", 4_000);
        final UnaryOperator<String> converted = bits -> HexFormat.of().formatHex(own.pack(AUTHORS.cell(
            AUTHORS.unpack(HexFormat.of().parseHex(bits)))));
        final String options = "--nodes 9 --header " + description + " --header-column data";
        final Invocation sound = score(write(lines, "kind,slot,node,data", converted), options);
        assertEquals(0, sound.code(), sound.out() + sound.err());
        final String victim = lines.get(3_000)[HEADER];
        final Invocation damaged = score(write(lines, "kind,slot,node,data", bits -> {
            final String good = converted.apply(bits);
            return bits.equals(victim) ? good.substring(0, good.length() - 1)
                + (good.endsWith("0") ? "1" : "0") : good;
        }), options);
        assertEquals(1, damaged.code(), damaged.out());
        assertTrue(damaged.out().contains("payload: expected an intact header, seen sent: crc 0x"), damaged.out());
    }

    /** Nothing is no dummy: an empty field, or a header that is not valid; the description may permit it. */
    @ParameterizedTest
    @CsvSource({"refused, 1", "permitted, 0"})
    void shouldTellNothingFromADummy(final String rule, final int code) throws IOException {
        final Path description = Files.writeString(folder.resolve("nic.txt"), "nothing " + rule + "\nvalid 1\n"
            + NIC.replace("padding 7", "padding 6"), US_ASCII);
        final HeaderDescription nic = HeaderDescription.parse("nic", Files.readAllLines(description, US_ASCII));
        final List<String> text = new ArrayList<>(List.of("kind,slot,node,header"));
        for (int slot = 0; slot < 20; slot++) {
            for (int node = 0; node < 4; node++) {
                final int peer = node ^ (slot % 2 == 0 ? 1 : 2);
                final DescribedCell dummy = new DescribedCell(SlotState.DUMMY, 0, 0, 0, 0, slot % 2, node, peer,
                    ShaleToken.NONE, ShaleToken.NONE);
                final boolean silent = slot == 10 && node == 3 || slot == 11 && node == 2;
                final String bits = slot == 11 && silent ? "" : HexFormat.of().formatHex(nic.pack(silent
                    ? DescribedCell.NOTHING : dummy));
                text.add("T," + slot + "," + node + "," + bits);
                text.add("R," + slot + "," + peer + "," + bits);
            }
        }
        final Path file = Files.write(folder.resolve("t.csv"), text, US_ASCII);
        final Invocation run = score(file, "--nodes 4 --header " + description);
        assertEquals(code, run.code(), run.out() + run.err());
        assertTrue(run.out().contains("74 dummies"), run.out());
        assertEquals(code == 1, run.out().contains("slot 10 node 3 link 0: schedule: expected a cell or a dummy, seen "
            + "nothing"), run.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --header nowhere.txt      | skerry: header: nowhere.txt: there is no such file, give an existing one, or one of
        --header shoal            | skerry: --header: shoal: it has no field sprays
        --header L12 --sequence-bits 9 | skerry: --sequence-bits: 9: the header says the width
        --header-column x         | skerry: --header-column: x: only a described header stands in one column
        --header L12 --header-column x | skerry: trace: FILE:1: there is no column x
        --header L12              | skerry: trace: FILE:2: header has 22 digits, header L12 has 24 of them
        --header WRONG            | skerry: header: WRONG:3: there is no field or setting 'sequnce', write 'field NAME
        """)
    void shouldRefuseInOneLine(final String options, final String beginning) throws IOException {
        final Path wrong = Files.writeString(folder.resolve("wrong.txt"), "source 9\ndestination 9\nsequnce 14\n",
            US_ASCII);
        final Path file = write(lines("n9-h2-p0", 50), "kind,slot,node,header", bits -> bits);
        final Invocation run = score(file, "--nodes 9 " + options.replace("WRONG", wrong.toString()));
        assertEquals(2, run.code(), run.out());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.errors().getFirst().startsWith(beginning.replace("WRONG", wrong.toString())
            .replace("FILE", file.toString())), run.err());
    }
}
