package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.TraceReader.Trace;
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
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

class TraceReaderTest {
    private static final int ENDPOINTS = 8;
    private static final int PAYLOAD_BYTES = 244;
    private static final double SLOT_NS = 5.632;

    @TempDir
    private Path folder;

    private Path write(final String name, final byte[] content) {
        try {
            return Files.write(folder.resolve(name), content);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private Trace read(final String text) {
        return read(write("flows.csv", text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static Trace read(final Path file) {
        return TraceReader.read(file, ENDPOINTS, PAYLOAD_BYTES, SLOT_NS);
    }

    /** One line that names the file, the place and what is wrong there. */
    private void refuses(final String text, final String place, final String what) {
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
    void shouldRefuseWithItsPlaceWhatIsNoFlow(final String text, final String place, final String what) {
        refuses(text, place, what);
    }

    private void warns(final Trace trace, final String... placesAndMessages) {
        assertEquals(
            Arrays.stream(placesAndMessages).map(m -> "skerry: warning: trace: " + folder.resolve("flows.csv") + m)
                .toList(),
            trace.warnings());
    }

    private static String flow(final FlowSet flows, final int flow) {
        return flows.id(flow) + "," + flows.source(flow) + "," + flows.destination(flow) + "," + flows.bytes(flow) + ","
            + flows.cells(flow) + "," + flows.startSlot(flow);
    }

    private static void holds(final Trace trace, final String... flows) {
        final String[] found = new String[trace.flows().size()];
        Arrays.setAll(found, i -> flow(trace.flows(), i));
        assertEquals(List.of(flows), List.of(found));
    }

    private static byte[] gzip(final String text) {
        try {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
                out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            }
            return bytes.toByteArray();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "5,2,1,244,0\n", "5,2,1,244,0", "5,2,1,244,0\r\n", "5,2,1,244,0\r", "5 2 1 244 0\n", "5\t2\t1\t244\t0\n",
        " 5 , 2 ,1,\t244\t,0 \n", "5 2,1 244,0\n", "5,2,1,244,0 # late\n", "5,2,1,244,0# late\n",
        "\n\r\n# a, b\n5,2,1,244,0\n",
        "\u00EF\u00BB\u00BF5,2,1,244,0\n", "+5,2,1,244,+0.0\n", "5,2,1,244,0e0\r\n\r\n", "5,2,1,244,-0\n",
        "id,source,destination,bytes,start\n5,2,1,244,0\n", "# x\n\nid\n5,2,1,244,0\n", "5,2,1,244,5.6e-9\n"
    })
    void shouldAcceptTheFormsOfALine(final String text) {
        final Trace trace = read(text);
        final FlowSet flows = trace.flows();
        assertEquals(1, flows.size());
        assertEquals("5,2,1,244,1,0", flow(flows, 0));
        warns(trace);
    }

    @Test
    void shouldWarnOfAHeaderThatLooksLikeAFlow() {
        final Trace trace = read("#\nO,1,2,9,0\n1,1,2,9,0\n");
        holds(trace, "1,1,2,9,1,0");
        warns(trace, ":2: the first field is no number, line taken for a header and passed over");
    }

    @Test
    void shouldKeepTheClassesOfFlows() {
        final FlowSet flows = read("id,a,b,c,d,class\n0,1,2,9,2e-6,3\n1 2 3 9 1e-6 2\n2,1,2,9,3e-6\n"
            + "3,1,2,9,0 , 1 # late\n").flows();
        assertEquals(List.of("3:1", "1:2", "0:3", "2:0"), IntStream.range(0, flows.size())
            .mapToObj(flow -> flows.id(flow) + ":" + flows.trafficClass(flow)).toList());
        assertEquals(4, flows.classes());
        assertEquals(1, read("0,1,2,9,0,0\n1,1,2,9,0\n").flows().classes());
    }

    @Test
    void shouldSkipFlowsWithoutBytes() {
        final Trace trace = read("0,1,2,9,0\n1,1,2,0,0\n2,3,3,-5,0\n3,1,2,1,0\n");
        holds(trace, "0,1,2,9,1,0", "3,1,2,1,1,0");
        assertEquals(2, trace.skippedFlows());
        assertEquals(0, trace.localFlows());
        warns(trace, ":2: size is 0 or less, flows skipped: 2");
    }

    @Test
    void shouldTakeFlowsUpToTheCellsOfAFlowAndNoMore() {
        final long most = (FlowSet.ENDLESS - 1L) * PAYLOAD_BYTES;
        holds(read("0,1,2," + (1L << 22) * PAYLOAD_BYTES + ",0\n1,1,2," + most + ",0\n"),
            "0,1,2,1023410176,4194304,0", "1,1,2," + most + ",2147483646,0");
        refuses("0,1,2," + (most + 1) + ",0\n", ":1", "at most " + most + " bytes");
        refuses("0,1,2," + Long.MAX_VALUE + ",0\n", ":1", "at most " + most + " bytes");
    }

    @Test
    void shouldNotSendFlowsToTheirSource() {
        final Trace trace = read("0,1,1,9,0\n1,2,1,9,0\n2,4,4,9,0\n3,5,5,9,0\n");
        holds(trace, "1,2,1,9,1,0");
        assertEquals(3, trace.localFlows());
        warns(trace, ":1: source is the destination, flows delivered locally and not sent: 3");
    }

    @Test
    void shouldSortByStartSlotAndWarnOnce() {
        // Slots 2, 1, 2, 0, 1, 3; flow 2 starts within slot 2 but before flow 0, and stays behind it.
        final Trace trace = read("0,1,2,9,13e-9\n1,1,2,9,7e-9\n2,1,2,9,12e-9\n3,1,2,9,0\n4,1,2,9,6e-9\n"
            + "5,1,2,9,17e-9\n");
        holds(trace, "3,1,2,9,1,0", "1,1,2,9,1,1", "4,1,2,9,1,1", "0,1,2,9,1,2", "2,1,2,9,1,2", "5,1,2,9,1,3");
        warns(trace, ":2: starts before a flow above it, flows sorted by start");
    }

    @Test
    void shouldGiveEachKindOfWarningOnce() {
        warns(read("a,1\n0,1,1,9,2\n1,1,2,0,0\n2,1,2,9,2\n3,1,2,9,1\n4,1,2,9,1\n5,1,2,-1,1\n6,3,3,9,1\n"),
            ":1: the first field is no number, line taken for a header and passed over",
            ":3: size is 0 or less, flows skipped: 2",
            ":2: source is the destination, flows delivered locally and not sent: 2",
            ":5: starts before a flow above it, flows sorted by start");
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() {
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
    void shouldReadGzipUnderAnyName() {
        final byte[] packed = gzip("0,2,1,233,0\n");
        holds(read(write("flows.csv.gz", packed)), "0,2,1,233,1,0");
        holds(read(write("flows.csv", packed)), "0,2,1,233,1,0");
    }

    @Test
    void shouldReadGzipFilesThatWereJoined() {
        final ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.writeBytes(gzip("0,2,1,233,0\n"));
        joined.writeBytes(gzip("1,2,1,233,0\n"));
        holds(read(write("joined.gz", joined.toByteArray())), "0,2,1,233,1,0", "1,2,1,233,1,0");
    }

    @Test
    void shouldRefuseGzipThatIsNoneOrDamaged() {
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
    void shouldRefuseALineWithoutEnd() {
        final String full = "#" + "x".repeat(LineReader.MAX_LINE_BYTES - 1);
        holds(read(full + "\n0,2,1,233,0\n" + full + "\r\n1,2,1,233,0\n" + full), "0,2,1,233,1,0", "1,2,1,233,1,0");
        refuses("0,2,1,233,0\n" + full + "x\n", ":2", "longer than 65536 bytes");
    }

    @Test
    void shouldDivideAsTheAuthorsDoForEverySlotLength() {
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
            56, 5.8125).flows();
        for (int slot = 0; slot < 2000; slot++) {
            assertEquals((long) Math.floor(slot * slotSeconds / slotSeconds), flows.startSlot(slot), "slot=" + slot);
        }
    }

    @ParameterizedTest
    @CsvSource({"r2-n16-h4, 16, 199", "r2-n8-h3-t2, 8, 136", "h1-n32, 32, 1539"})
    void shouldPlaceFlowsAsTheAuthorsSimulatorDid(final String name, final int nodes, final int size)
        throws IOException, URISyntaxException {
        final Trace trace = TraceReader.read(resource(name + ".csv.gz"), nodes, PAYLOAD_BYTES, SLOT_NS);
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

    @Test
    void shouldRefuseAFabricThatIsNone() {
        final Path file = write("flows.csv", "0,1,2,9,0\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThrows(IllegalArgumentException.class, () -> TraceReader.read(file, 0, 244, 5.632));
        assertThrows(IllegalArgumentException.class, () -> TraceReader.read(file, 8, 0, 5.632));
        assertThrows(IllegalArgumentException.class, () -> TraceReader.read(file, 8, 244, 0));
        assertThrows(IllegalArgumentException.class, () -> TraceReader.read(file, 8, 244, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> TraceReader.read(file, 8, 244, Double.POSITIVE_INFINITY));
    }
}
