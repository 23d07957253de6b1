package dev.skerry.tools.traffic;

import static dev.skerry.tools.traffic.WorkloadTest.rows;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.TraceReader.Trace;
import dev.skerry.tools.traffic.TraceReader.TraceFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

class TraceReaderTest {
    private static final int ENDPOINTS = 8;
    private static final int MANY_ENDPOINTS = 50;
    private static final int PAYLOAD_BYTES = 244;
    private static final double SLOT_NS = 5.632;
    private static final String[] SEPARATORS = {",", " ", "\t", " ,", ", ", " \t,\t "};
    private static final String[] LINE_ENDS = {"\n", "\r\n", "\r"};
    private static final String[] BETWEEN = {"", "", "", "", "\n", "# 1,2,3,4,5\n", "  # x\r\n", " \t\r"};
    private static final Pattern SEPARATOR = Pattern.compile("[ \t]*,[ \t]*|[ \t]+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final String LETTERS = "0123456789012345.eE+-,, \t\u000B#x";
    private static final int LINES = 20_000;
    private static final int MOST_LETTERS = 14;
    private static final long SEED = 7;

    private record Expected(long id, int source, int destination, long bytes, long startSlot) {
    }

    @TempDir
    private Path folder;

    private Path write(final String name, final byte[] content) throws IOException {
        return Files.write(folder.resolve(name), content);
    }

    private Trace read(final String text) throws IOException {
        return read(write("flows.csv", text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static Trace read(final Path file) {
        return TraceReader.read(file, ENDPOINTS, PAYLOAD_BYTES, SLOT_NS, TraceFilter.ALL);
    }

    /** One line that names the file, the place and what is wrong there. */
    private void refuses(final String text, final String place, final String what) throws IOException {
        refuses(write("flows.csv", text.getBytes(StandardCharsets.ISO_8859_1)), place, what);
    }

    private static void refuses(final Path file, final String place, final String what) {
        final String message = assertThrows(InputException.class, () -> read(file)).getMessage();
        assertTrue(message.startsWith("skerry: trace: " + file + place + ": ") && message.contains(what)
            && message.lines().count() == 1, message);
    }

    private static Stream<Arguments> refused() {
        return Stream.of(
            lines("0,1,2,9,0\r\n1,1,2,9,0\r\r2,1,2,9,0\n\n\rx,1,2,9,0\r\n%s", 7, "flow id 'x'", ""),
            lines("id,a,b,c,d\n%s,a,b,c,d\n", 2, "flow id", "id"),
            lines("9,1,2,9,0\n%s\n", 2, "5 fields are needed", "0,1,2,9", "0", "0 1 2 # 9 0", "0,1,2,9,0,3,7",
                "0,1,2,9,0,,", "0 1 2 3 4 5 6 7"),
            lines("9,1,2,9,0,1\n0,1,2,9,0,%s\n", 2, "no traffic class", "4", "-1", "", "high", "1.0"),
            lines("0,1,2,9,0\n%s,1,2,9,0\n", 2, "flow id", "", "one", "1.5", "-1", "9223372036854775808", "1e3", "0x1",
                "+", "99999999999999999999"),
            lines("0,1,2,9,0\n7,1,2,0,0\n\n%s,1,3,9,0\n", 4, "flow id 7 occurs a second time", "7"),
            lines("0,1,2,9,0\n1,%s,2,9,0\n", 2, "source", "8", "-1", "", "4294967297", "[1", "one"),
            lines("0,1,2,9,0\n1,2,%s,9,0\n", 2, "destination", "8", "-1", "", "4294967297", "[1", "one"),
            lines("0,1,2,9,0\n1,1,2,9,%s\n", 2, "start", "-1e-9", "NaN", "nan", "Infinity", "inf", "1e999", "", "1s",
                "1e", "0x1p3", "1d", "1..2", ".", "--1", "1e300"),
            lines("0,1,2,%s,0\n", 1, "size", "", "1.0", "1e3", "big", "9223372036854775808"),
            lines("1,%s,1,9,0\n", 1, "source '??" + "y".repeat(38) + "...'", "\u0007\u00E9" + "y".repeat(60)),
            lines("%s", 0, "holds no flow", "", "\n\r\n", "# nothing\n", "id,source,destination,size,start\n",
                "\u00EF\u00BB\u00BF")).flatMap(each -> each);
    }

    private static Stream<Arguments> lines(final String text, final int line, final String what,
        final String... values) {
        return Arrays.stream(values)
            .map(value -> Arguments.of(text.replace("%s", value), line == 0 ? "" : ":" + line, what));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void shouldRefuseWithItsPlaceWhatIsNoFlow(final String text, final String place, final String what)
        throws IOException {
        refuses(text, place, what);
    }

    private void warns(final Trace trace, final String... placesAndMessages) {
        assertEquals(
            Arrays.stream(placesAndMessages).map(m -> "warning: trace: " + folder.resolve("flows.csv") + m)
                .toList(),
            trace.warnings());
    }

    private static void holds(final Trace trace, final String... flows) {
        assertEquals(List.of(flows), rows(trace.flows()));
    }

    private static byte[] gzip(final String text) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "5,2,1,244,0\n", "5,2,1,244,0", "5,2,1,244,0\r\n", "5,2,1,244,0\r", "5 2 1 244 0\n", "5\t2\t1\t244\t0\n",
        " 5 , 2 ,1,\t244\t,0 \n", "5 2,1 244,0\n", "5,2,1,244,0 # late\n", "5,2,1,244,0# late\n",
        "\n\r\n# a, b\n5,2,1,244,0\n",
        "\u00EF\u00BB\u00BF5,2,1,244,0\n", "+5,2,1,244,+0.0\n", "5,2,1,244,0e0\r\n\r\n", "5,2,1,244,-0\n",
        "id,source,destination,bytes,start\n5,2,1,244,0\n", "# x\n\nid\n5,2,1,244,0\n", "5,2,1,244,5.6e-9\n"
    })
    void shouldAcceptTheFormsOfALine(final String text) throws IOException {
        final Trace trace = read(text);
        holds(trace, "5,2,1,244,1,0");
        warns(trace);
    }

    @Test
    void shouldKeepTheClassesOfFlows() throws IOException {
        final FlowSet flows = read("id,a,b,c,d,class\n0,1,2,9,2e-6,3\n1 2 3 9 1e-6 2\n2,1,2,9,3e-6\n"
            + "3,1,2,9,0 , 1 # late\n").flows();
        assertEquals(List.of("3:1", "1:2", "0:3", "2:0"), IntStream.range(0, flows.size())
            .mapToObj(flow -> flows.id(flow) + ":" + flows.trafficClass(flow)).toList());
        assertEquals(4, flows.classes());
        assertEquals(1, read("0,1,2,9,0,0\n1,1,2,9,0\n").flows().classes());
    }

    @Test
    void shouldTakeFlowsUpToTheCellsOfAFlowAndNoMore() throws IOException {
        final long most = (FlowSet.ENDLESS - 1L) * PAYLOAD_BYTES;
        holds(read("0,1,2," + (1L << 22) * PAYLOAD_BYTES + ",0\n1,1,2," + most + ",0\n"),
            "0,1,2,1023410176,4194304,0", "1,1,2," + most + ",2147483646,0");
        refuses("0,1,2," + (most + 1) + ",0\n", ":1", "at most " + most + " bytes");
        refuses("0,1,2," + Long.MAX_VALUE + ",0\n", ":1", "at most " + most + " bytes");
    }

    @Test
    void shouldWarnOnceOfEachKind() throws IOException {
        final Trace header = read("#\nO,1,2,9,0\n1,1,2,9,0\n");
        holds(header, "1,1,2,9,1,0");
        warns(header, ":2: the first field is not a number, line treated as a header and skipped");
        final Trace skipped = read("0,1,2,9,0\n1,1,2,0,0\n2,3,3,-5,0\n3,1,2,1,0\n");
        holds(skipped, "0,1,2,9,1,0", "3,1,2,1,1,0");
        warns(skipped, ":2: size is 0 or less, flows skipped: 2");
        final Trace local = read("0,1,1,9,0\n1,2,1,9,0\n2,4,4,9,0\n3,5,5,9,0\n");
        holds(local, "1,2,1,9,1,0");
        warns(local, ":1: source is the destination, flows delivered locally and not sent: 3");
        // Slots 2, 1, 2, 0, 1, 3; flow 2 starts within slot 2 but before flow 0, and stays behind it.
        final Trace sorted = read("0,1,2,9,13e-9\n1,1,2,9,7e-9\n2,1,2,9,12e-9\n3,1,2,9,0\n4,1,2,9,6e-9\n"
            + "5,1,2,9,17e-9\n");
        holds(sorted, "3,1,2,9,1,0", "1,1,2,9,1,1", "4,1,2,9,1,1", "0,1,2,9,1,2", "2,1,2,9,1,2", "5,1,2,9,1,3");
        warns(sorted, ":2: starts before a flow above it, flows sorted by start");
        warns(read("a,1\n0,1,1,9,2\n1,1,2,0,0\n2,1,2,9,2\n3,1,2,9,1\n4,1,2,9,1\n5,1,2,-1,1\n6,3,3,9,1\n"),
            ":1: the first field is not a number, line treated as a header and skipped",
            ":3: size is 0 or less, flows skipped: 2",
            ":2: source is the destination, flows delivered locally and not sent: 2",
            ":5: starts before a flow above it, flows sorted by start");
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() throws IOException {
        refuses(folder.resolve("none.csv"), "", "no such file");
        refuses(folder, "", "is a folder");
    }

    @Test
    void shouldRefuseAFileThatMayNotBeRead() throws IOException {
        final Path file = write("secret.csv", new byte[1]);
        assumeTrue(Files.getFileStore(file).supportsFileAttributeView("posix"));
        Files.setPosixFilePermissions(file, Set.of());
        assumeFalse(Files.isReadable(file), "the superuser reads everything");
        refuses(file, "", "may not be read");
    }

    @Test
    void shouldReadGzipUnderAnyNameAndJoinedFiles() throws IOException {
        final byte[] packed = gzip("0,2,1,233,0\n");
        holds(read(write("flows.csv.gz", packed)), "0,2,1,233,1,0");
        holds(read(write("flows.csv", packed)), "0,2,1,233,1,0");
        final ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.writeBytes(packed);
        joined.writeBytes(gzip("1,2,1,233,0\n"));
        holds(read(write("joined.gz", joined.toByteArray())), "0,2,1,233,1,0", "1,2,1,233,1,0");
    }

    @Test
    void shouldRefuseGzipThatIsNoneOrDamaged() throws IOException {
        refuses(write("a.gz", "0,2,1,233,0\n".getBytes(StandardCharsets.ISO_8859_1)), "",
            "no gzip data");
        refuses(write("empty.gz", new byte[0]), "", "holds no flow");
        final byte[] packed = gzip("0,2,1,233,0\n1,2,1,233,0\n");
        refuses(write("head.gz", Arrays.copyOf(packed, 5)), ":1", "end too early");
        refuses(write("cut.gz", Arrays.copyOf(packed, packed.length - 8)), ":3", "end too early");
        packed[packed.length - 8] ^= 1;
        refuses(write("sum.gz", packed), ":3", "damaged");
    }

    @Test
    void shouldRefuseALineWithoutEnd() throws IOException {
        final String full = "#" + "x".repeat(LineReader.MAX_LINE_BYTES - 1);
        holds(read(full + "\n0,2,1,233,0\n" + full + "\r\n1,2,1,233,0\n" + full), "0,2,1,233,1,0", "1,2,1,233,1,0");
        refuses("0,2,1,233,0\n" + full + "x\n", ":2", "longer than 65536 bytes");
    }

    @Test
    void shouldDivideAsTheAuthorsDoForEverySlotLength() throws IOException {
        final double slotSeconds = 5.8125e-9;
        final StringBuilder text = new StringBuilder();
        boolean productDiffers = false;
        for (int slot = 0; slot < 2000; slot++) {
            final double start = slot * slotSeconds;
            text.append(slot).append(",0,1,1,").append(start).append('\n');
            productDiffers |= Math.floor(start / slotSeconds) != Math.floor(start / (5.8125 * 1e-9));
        }
        assertTrue(productDiffers, "this slot length shows nothing");
        final FlowSet flows = TraceReader.read(write("t.csv", text.toString().getBytes(StandardCharsets.ISO_8859_1)), 2,
            56, 5.8125, TraceFilter.ALL).flows();
        for (int slot = 0; slot < 2000; slot++) {
            assertEquals((long) Math.floor(slot * slotSeconds / slotSeconds), flows.startSlot(slot), "slot=" + slot);
        }
    }

    @ParameterizedTest
    @CsvSource({"r2-n16-h4, 16, 199", "r2-n8-h3-t2, 8, 136", "h1-n32, 32, 1539"})
    void shouldPlaceFlowsAsTheAuthorsSimulatorDid(final String name, final int nodes, final int size)
        throws IOException, URISyntaxException {
        final Trace trace = TraceReader.read(resource(name + ".csv.gz"), nodes, PAYLOAD_BYTES, SLOT_NS,
            TraceFilter.ALL);
        assertEquals(List.of(), trace.warnings());
        assertEquals(size, trace.flows().size());
        final Map<Long, Integer> indexOf = new HashMap<>();
        for (int flow = 0; flow < size; flow++) {
            indexOf.put(trace.flows().id(flow), flow);
        }
        int compared = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(resource(name + ".fct.csv.gz"))), StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                final String[] fields = line.split(",");
                final int flow = indexOf.get(Long.valueOf(fields[0]));
                assertEquals(Long.parseLong(fields[1]), trace.flows().cells(flow), line);
                assertEquals(Long.parseLong(fields[3]), trace.flows().startSlot(flow), line);
                compared++;
            }
        }
        assertNotEquals(0, compared);
    }

    private static Path resource(final String name) throws URISyntaxException {
        return Path.of(TraceReaderTest.class.getResource("/oracle/shale-exact/" + name).toURI());
    }

    /** Flows in random dress, against a list that is sorted: small traces, and long ones with many and few ties. */
    @Test
    void shouldReadRandomTraces() throws IOException {
        for (long seed = 1; seed <= 200; seed++) {
            check(seed, 1 + (int) (seed % 40), 1e-6);
        }
        check(1001, 30_000, 1e-3);
        check(1002, 30_000, 1e-7);
        check(1003, 5000, 0);
    }

    private void check(final long seed, final int count, final double spanSeconds) throws IOException {
        final Random random = new Random(seed);
        final StringBuilder text = new StringBuilder();
        final List<Expected> expected = new ArrayList<>();
        final long stride = 1 + random.nextInt(1 << 20);
        long local = 0;
        long skipped = 0;
        for (int i = 0; i < count; i++) {
            final long id = Long.reverse(i * stride) >>> 1; // scattered and distinct
            final int source = random.nextInt(MANY_ENDPOINTS);
            final int destination = random.nextInt(MANY_ENDPOINTS);
            final long bytes = random.nextInt(20) - 1L + random.nextLong(1L << random.nextInt(36));
            // Sometimes nearly in order, sometimes not at all.
            final double start = random.nextInt(3) > 0 ? spanSeconds * i / count : spanSeconds * random.nextDouble();
            append(text, random, id, source, destination, bytes, start);
            if (bytes <= 0) {
                skipped++;
            } else if (source == destination) {
                local++;
            } else {
                expected.add(new Expected(id, source, destination, bytes, (long) Math.floor(start / 5.632e-9)));
            }
        }
        expected.sort(Comparator.comparingLong(Expected::startSlot)); // stable
        final Path file = Files.writeString(folder.resolve("flows"), text, StandardCharsets.US_ASCII);
        final Trace trace = TraceReader.read(file, MANY_ENDPOINTS, PAYLOAD_BYTES, SLOT_NS, TraceFilter.ALL);
        assertEquals(expected.stream().map(flow -> flow.id() + "," + flow.source() + "," + flow.destination() + ","
            + flow.bytes() + "," + (flow.bytes() + 243) / 244 + "," + flow.startSlot()).toList(), rows(trace.flows()),
            "seed=" + seed);
        final String warnings = String.join("\n", trace.warnings()) + '\n';
        assertTrue(local == 0 || warnings.contains("not sent: " + local + '\n'), "seed=" + seed);
        assertTrue(skipped == 0 || warnings.contains("flows skipped: " + skipped + '\n'), "seed=" + seed);
    }

    private static void append(final StringBuilder text, final Random random, final long id, final int source,
        final int destination, final long bytes, final double start) {
        text.append(BETWEEN[random.nextInt(BETWEEN.length)]).append(" ".repeat(random.nextInt(2))).append(id)
            .append(separator(random)).append(source)
            .append(separator(random)).append(destination)
            .append(separator(random)).append(bytes)
            .append(separator(random)).append(start)
            .append(" ".repeat(random.nextInt(2))).append(LINE_ENDS[random.nextInt(LINE_ENDS.length)]);
    }

    private static String separator(final Random random) {
        return SEPARATORS[random.nextInt(SEPARATORS.length)];
    }

    /** Regular expressions say what the fields and numbers of a line are. */
    @Test
    void shouldCutAsRegularExpressionsDo() throws IOException {
        final SplittableRandom random = new SplittableRandom(SEED);
        final List<String> lines = new ArrayList<>();
        for (int line = 0; line < LINES; line++) {
            final StringBuilder text = new StringBuilder();
            for (int left = random.nextInt(MOST_LETTERS); left > 0; left--) {
                text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
            }
            lines.add(text.toString());
        }
        final Path file = folder.resolve("lines");
        Files.write(file, lines, StandardCharsets.ISO_8859_1);
        int decimals = 0;
        try (LineReader reader = new LineReader("lines", file)) {
            for (final String line : lines) {
                assertTrue(reader.next());
                decimals += check(line, reader);
            }
            assertFalse(reader.next());
        }
        assertTrue(decimals > LINES / 2, "decimals=" + decimals);
    }

    /** Returns how many fields are numbers. */
    private static int check(final String line, final LineReader reader) {
        final String where = "seed=" + SEED + " line='" + line + "'";
        final int comment = line.indexOf('#');
        final String text = (comment < 0 ? line : line.substring(0, comment)).strip();
        final String[] fields = text.isEmpty() ? new String[0] : SEPARATOR.split(text, -1);
        assertArrayEquals(fields, IntStream.range(0, reader.fields()).mapToObj(reader::text).toArray(), where);
        int decimals = 0;
        for (int field = 0; field < fields.length; field++) {
            final boolean isDecimal = DECIMAL.matcher(fields[field]).matches();
            assertEquals(isDecimal ? Double.parseDouble(fields[field]) : Double.NaN, reader.number(field), where);
            decimals += isDecimal ? 1 : 0;
            assertEquals(wholeNumber(fields[field]), reader.wholeNumber(field), where);
        }
        return decimals;
    }

    private static long wholeNumber(final String text) {
        try {
            return Long.parseLong(text);
        } catch (final NumberFormatException e) {
            return LineReader.NOT_A_NUMBER;
        }
    }

    @Test
    void shouldCutLinesThatCrossTheBuffer() throws IOException {
        final SplittableRandom random = new SplittableRandom(SEED);
        final StringBuilder all = new StringBuilder("\u00EF\u00BB\u00BF");
        final List<String> lines = new ArrayList<>();
        for (int line = 0; line < 40; line++) {
            final String text = "9".repeat(line < 6 ? 16 + line : random.nextInt(LineReader.MAX_LINE_BYTES - 3));
            lines.add(text);
            all.append(text).append(List.of("\n", "\r\n", "\r").get(random.nextInt(3)));
        }
        lines.add("last");
        all.append("last");
        final Path file = folder.resolve("long");
        Files.writeString(file, all, StandardCharsets.ISO_8859_1);
        try (LineReader reader = new LineReader("lines", file)) {
            for (final String line : lines) {
                assertTrue(reader.next());
                assertEquals(line.isEmpty() ? 0 : 1, reader.fields(), "seed=" + SEED);
                assertTrue(line.isEmpty() || line.equals(reader.text(0)), "seed=" + SEED);
                assertTrue(line.isEmpty() || wholeNumber(line) == reader.wholeNumber(0), "seed=" + SEED);
            }
            assertFalse(reader.next());
        }
    }

    @Test
    void shouldBeTheDoubleNearestToTheDecimalNumber() throws IOException {
        assertEquals(5.8125e-9, TraceReader.slotSeconds(5.8125));
        final SplittableRandom random = new SplittableRandom(20);
        for (int i = 0; i < 20_000; i++) {
            // Of every size, with few digits and with all.
            final double any = Math.pow(10, random.nextDouble(-12, 9)) * random.nextDouble(0.1, 1);
            for (final double ns : new double[] {any, Double.parseDouble(String.format("%.3e", any)), i + 1}) {
                assertEquals(BigDecimal.valueOf(ns).movePointLeft(9).doubleValue(), TraceReader.slotSeconds(ns),
                    "seed 20, " + ns);
            }
        }
    }
}
