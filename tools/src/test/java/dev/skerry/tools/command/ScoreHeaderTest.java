package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import org.w3c.dom.Document;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.xml.parsers.DocumentBuilderFactory;

/**
 * {@code skerry score} on traces of the NIC of Shale's authors, as numbers and as bits of a header that others
 * designed, and {@code skerry header}.
 */
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

    private static String rtl(final String name) {
        return "shale-rtl/" + name + ".cells.csv.gz";
    }

    /** Lines of a trace, each split; the names of the columns first. */
    private static List<String[]> lines(final String name, final int count) throws IOException {
        return OracleFiles.lines(rtl(name)).stream().limit(count).map(line -> line.split(",")).toList();
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

    @ParameterizedTest
    @CsvSource({"n9-h2-p0, --nodes 9", "n4-h2-rate1, --nodes 4"})
    void shouldReadTheHardwaresHeaders(final String name, final String options) throws IOException {
        compareBitsAndNumbers(name, options);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"n4-h2-p0, --nodes 4", "n4-h2-p1, --nodes 4 --propagation-slots 1", "n16-h4-p0, --nodes 16 --h 4"})
    void shouldReadTheOtherHeadersToo(final String name, final String options) throws IOException {
        compareBitsAndNumbers(name, options);
    }

    private void compareBitsAndNumbers(final String name, final String options) throws IOException {
        final List<String[]> lines = lines(name, Integer.MAX_VALUE);
        for (final String[] line : lines.subList(1, lines.size())) {
            final byte[] bits = HexFormat.of().parseHex(line[HEADER]);
            assertEquals(line[HEADER], HexFormat.of().formatHex(AUTHORS.pack(cell(line))));
            assertEquals(cell(line), AUTHORS.cell(AUTHORS.unpack(bits)));
        }
        final Path file = write(lines, "kind,slot,node,header", bits -> bits);
        final Invocation bits = score(file, options + " --header shale-prototype");
        final Invocation numbers = score(name, false, options);
        assertEquals(numbers.code(), bits.code(), bits.out() + bits.err());
        assertEquals(numbers.out(), bits.out());
    }

    private static Invocation score(final Path file, final String options) {
        return Invocation.ofLine("score " + file + " " + options);
    }

    private static Invocation score(final String name, final boolean withState, final String options) {
        return score(OracleFiles.path(rtl(name)), (withState ? "--state " + OracleFiles.path("shale-rtl/" + name
            + ".state.csv.gz") + " " : "") + options);
    }

    private Path write(final List<String[]> lines, final String columns, final UnaryOperator<String> header)
        throws IOException {
        final List<String> text = new ArrayList<>(List.of(columns));
        lines.subList(1, lines.size()).forEach(line -> text.add(line[0] + "," + line[2] + "," + line[4] + ","
            + header.apply(line[HEADER])));
        return Files.write(folder.resolve("bits.csv"), text, US_ASCII);
    }

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
        final Invocation run = score(file, "--nodes 9 --header " + description).exits(1);
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
        score(write(lines, "kind,slot,node,data", converted), options).ok();
        final String victim = lines.get(3_000)[HEADER];
        final Invocation damaged = score(write(lines, "kind,slot,node,data", bits -> {
            final String good = converted.apply(bits);
            return bits.equals(victim) ? good.substring(0, good.length() - 1)
                + (good.endsWith("0") ? "1" : "0") : good;
        }), options);
        assertEquals(1, damaged.code(), damaged.out());
        damaged.prints("payload: expected an intact header, seen sent: crc 0x");
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
        final Invocation run = score(file, "--nodes 4 --header " + description).exits(code).prints("74 dummies");
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
        score(file, "--nodes 9 " + options.replace("WRONG", wrong.toString()))
            .refused(beginning.replace("WRONG", wrong.toString()).replace("FILE", file.toString()));
    }

    /** Every cell, token and register of all nodes, whatever the rule for ties. */
    @ParameterizedTest
    @CsvSource({"n4-h2-p0, --nodes 4, 159524", "n4-h2-p1, --nodes 4 --propagation-slots 1, 159524",
        "n9-h2-p0, --nodes 9, 1454607",
        "n16-h4-p0, --nodes 16 --h 4, 1670400"})
    void shouldFindNothingInSoundHardware(final String name, final String options, final long registers) {
        score(name, false, options).ok();
        score(name, true, options).ok().prints(registers + " registers", "no law is broken");
    }

    /** In mid-run nobody knows which cells nodes hold, and which tokens they have spent and owe. */
    @ParameterizedTest
    @CsvSource({"n4-h2-p1, true, --nodes 4 --propagation-slots 1 --from 501", "n9-h2-p0, false, --nodes 9 --from 1003",
        "n16-h4-p0, false, --nodes 16 --h 4 --from 777"})
    void shouldBeginInMidRun(final String name, final boolean told, final String options) {
        score(name, told, options).ok();
        assertEquals(1, score(name, false, options + " --settle 0").code());
    }

    @Test
    void shouldFindThatAnotherRuleBinds() {
        assertEquals(1, score("n9-h2-p0", false, "--nodes 9 --ties rotating").code());
    }

    private static long total(final String report) {
        return report.lines().filter(line -> line.endsWith(" findings")).mapToLong(line ->
            Long.parseLong(line.substring(0, line.indexOf(' ')))).sum();
    }

    private static long failures(final Document xml) {
        long findings = 0;
        for (int i = 0; i < xml.getElementsByTagName("failure").getLength(); i++) {
            final String message = xml.getElementsByTagName("failure").item(i).getAttributes().getNamedItem("message")
                .getNodeValue();
            findings += Long.parseLong(message.substring(0, message.indexOf(' ')));
        }
        return findings;
    }

    /** Slots without cell or dummy, and then tokens that ride on the link of the next slot: nothing else. */
    @Test
    void shouldFindSilenceAndWhatFollows() throws Exception {
        final Path out = folder.resolve("found");
        final Invocation found = score("n4-h2-rate1", true, "--nodes 4 --out " + out).exits(1);
        final List<String> lines = found.out().lines().filter(line -> line.matches("(first|then): .*")).toList();
        assertTrue(lines.getFirst().startsWith("first: slot 6 node 0 link 0: schedule: expected a cell or a dummy, "
            + "seen nothing (149 times"), found.out());
        for (final String line : lines) {
            assertTrue(line.matches(".*: schedule: expected a cell or a dummy, seen nothing.*|.*: token: .*"), line);
        }
        assertTrue(lines.stream().anyMatch(line -> line.contains("expected token <2,1> on link 0, seen <2,1>")),
            found.out());
        final Document xml = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(out.resolve("findings.xml").toFile());
        assertEquals("2", xml.getDocumentElement().getAttribute("failures"));
        // As many findings as the report counts, also where only the first is listed.
        assertEquals(total(found.out()), failures(xml));
        final Path first = folder.resolve("first");
        score("n4-h2-rate1", true, "--nodes 4 --limit 1 --out " + first).exits(1);
        assertEquals(failures(xml), failures(DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(first.resolve("findings.xml").toFile())));
        assertEquals(7, xml.getElementsByTagName("testcase").getLength());
        assertTrue(Double.parseDouble(xml.getDocumentElement().getAttribute("time")) > 0);
        assertTrue(Files.readString(out.resolve("findings.txt"), US_ASCII).contains(">        6     0     1  nothing"));
        assertTrue(Files.readString(out.resolve("wave.vcd"), US_ASCII).contains("$scope module node0 $end"));
        final Invocation permitted = score("n4-h2-rate1", false, "--nodes 4 --permit-nothing");
        assertFalse(permitted.out().contains("schedule"), permitted.out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes 5               | --nodes: 5: it is not r^2 for any r, check --nodes and --h
        --nodes 4 --cc none     | --cc: none: only devices with hop-by-hop tokens can be followed
        --nodes 4 --cc hbh+spray+priority | --cc: hbh+spray+priority: a trace has no ranks
        --nodes 4 --cc hbh+spray-bucket --ties lowest | --ties: lowest: with bucket spray any of the least
        --nodes 4 --ties first  | --ties: first: there is no such choice
        --nodes 4 --fabric stardust | --fabric: stardust: score cannot follow traces
        --nodes 4 --tokens 0    | --tokens: 0:
        --nodes 4 --settle 5    | --settle: 5: the trace is followed from its beginning, leave it out
        --nodes 4 --from 0      | --from: 0:
        --nodes 4 --limit 0     | --limit: 0:
        --nodes 4 --cc hbh --ties lowest | --ties: lowest: --cc hbh lets a cell take any link
        """)
    void shouldRefuseWrongOptions(final String options, final String beginning) {
        score("n4-h2-p0", false, options).refused("skerry: " + beginning);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ''                         | : it is empty
        kind,slot                  | :1: there is no column node
        COLUMNS;T,0,0              | :2: 3 values in 12 columns
        COLUMNS;T,0,9,0,1,0,1,-1,-1,-1,-1,0 | :2: node is '9'
        COLUMNS;T,0,x,0,1,0,1,-1,-1,-1,-1,0 | :2: node is 'x'
        COLUMNS;X,0,0,0,1,0,1,-1,-1,-1,-1,0 | :2: kind is not T or R
        COLUMNS;T,5000000,0,0,1,0,1,-1,-1,-1,-1,0 | :2: slot 5000000 comes after slot 0
        COLUMNS;T,0,0,0,1,0,1,-1,-1,-1,-1,0 | : it has no complete slot
        """)
    void shouldNameWrongLines(final String text, final String part) throws IOException {
        final Path file = Files.writeString(folder.resolve("t.csv"), text.replace("COLUMNS",
            "kind,slot,node,src,dst,seq,sprays,tok1_dst,tok1_n,tok2_dst,tok2_n,dummy").replace(';', '\n'), US_ASCII);
        Invocation.of("score", file.toString(), "--nodes", "4").refused("skerry: trace: " + file + part);
    }

    @Test
    void shouldShowFieldsAndTakeAHeaderApart() {
        Invocation.of("header", "shale-prototype").ok().prints("[ 87: 79]  source-mac\n", "[  7:  7]  dummy\n");
        final Invocation read = Invocation.of("header", "shale-prototype", "--read", "038140e0820013069fff00").ok();
        for (final String part : new String[] {"source-mac           7\n", "destination-mac      5\n",
            "sequence             2\n", "sprays               3\n", "token1-destination   13\n", "\ncell\n"}) {
            assertTrue(read.out().contains(part), part + " in " + read.out());
        }
    }

    @Test
    void shouldNameAWrongCrc() {
        Invocation.of("header", "L12", "--read", "000000000000000000000000").exits(1)
            .prints("crc 0x0 instead of 0x");
    }

    @Test
    void shouldWriteThePackage() throws IOException {
        final Path own = Files.writeString(folder.resolve("own.txt"), """
            name own
            bits lsb
            dummy-when source=destination class=3
            source 4
            destination 4
            sequence 6
            field class 2
            crc 8 poly=0x07 init=0xff
            """, US_ASCII);
        final Invocation sv = Invocation.of("header", own.toString(), "--sv");
        assertEquals("""
            // Written by skerry header from the description own.
            package own_header_pkg;
              localparam int BITS = 24;
              localparam int SOURCE_BITS = 4;
              localparam int DESTINATION_BITS = 4;
              localparam int SEQUENCE_NUMBER_BITS = 6;
              localparam int CLASS_FIELD_BITS = 2;
              localparam int CRC_BITS = 8;
              typedef struct packed {
                logic [7:0] crc;
                logic [1:0] class_field;
                logic [5:0] sequence_number;
                logic [3:0] destination;
                logic [3:0] source;
              } header_t;
              function automatic logic is_dummy(input header_t header);
                return header.source == header.destination && header.class_field == 2'd3;
              endfunction
              localparam int CRC_COVERS = 16;
              function automatic logic [7:0] crc_of(input header_t header);
                logic [7:0] crc;
                logic [23:0] line;
                line = {header.source, header.destination, header.sequence_number, header.class_field, header.crc};
                crc = 8'hff;
                for (int i = 0; i < CRC_COVERS; i++)
                  crc = (crc << 1) ^ (crc[7] ^ line[BITS-1-i] ? 8'h7 : 8'h0);
                return crc ^ 8'h0;
              endfunction
            endpackage
            """, sv.out());
    }

    @Test
    void shouldRefuseToShowWrongHeaders() {
        refuses("header L13", "skerry: header: L13: there is no such file");
        refuses("header L12 --read 00", "skerry: --read: 00: it has 2 digits, header L12 has 24 of them");
        refuses("header L12 --read x", "skerry: --read: x: it is not a hex number");
        refuses("header L12 --sv --read 00", "skerry: --read: 00: --sv prints the package alone");
    }
}
