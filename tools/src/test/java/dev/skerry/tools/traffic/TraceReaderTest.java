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
import org.junit.jupiter.params.provider.CsvSource;
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
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

class TraceReaderTest {
    private static final int ENDPOINTS = 8;
    private static final int PAYLOAD_BYTES = 244;
    private static final double SLOT_NS = 5.632;
    private static final String FORMAT = "write flow-id,source,destination,size-in-bytes,start-in-seconds";

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

    private void refuses(final String text, final String place, final String message) {
        final InputException e = assertThrows(InputException.class, () -> read(text));
        assertEquals("skerry: trace: " + folder.resolve("flows.csv") + place + ": " + message, e.getMessage());
    }

    private void refuses(final Path file, final String place, final String message) {
        final InputException e = assertThrows(InputException.class, () -> read(file));
        assertEquals("skerry: trace: " + file + place + ": " + message, e.getMessage());
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

    @Test
    void shouldReadFlows() {
        final Trace trace = read("0,2,1,233,9.38789641044e-08\n1,3,7,245,3.16435650042e-07\n");
        holds(trace, "0,2,1,233,1,16", "1,3,7,245,2,56");
        warns(trace);
        assertEquals(0, trace.localFlows());
        assertEquals(0, trace.skippedFlows());
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
    void shouldCountLinesWhateverEndsThem() {
        refuses("0,1,2,9,0\r\n1,1,2,9,0\r\r2,1,2,9,0\n\n\rx,1,2,9,0\r\n", ":7",
            "flow id 'x' is no whole number, give 0 to 2^63 - 1");
    }

    @Test
    void shouldWarnOfAHeaderThatLooksLikeAFlow() {
        final Trace trace = read("#\nO,1,2,9,0\n1,1,2,9,0\n");
        holds(trace, "1,1,2,9,1,0");
        warns(trace, ":2: the first field is no number, line taken for a header and passed over");
    }

    @Test
    void shouldRefuseASecondHeader() {
        refuses("id,a,b,c,d\nid,a,b,c,d\n", ":2", "flow id 'id' is no whole number, give 0 to 2^63 - 1");
    }

    @ParameterizedTest
    @CsvSource({"'0,1,2,9', 4", "'0', 1", "'0 1 2 # 9 0', 3", "'0,1,2,9,0,3,7', 7", "'0,1,2,9,0,,', 7",
        "'0 1 2 3 4 5 6 7', 8"})
    void shouldRefuseMissingAndExtraFields(final String line, final int fields) {
        refuses("9,1,2,9,0\n" + line + "\n", ":2", "5 fields are needed and " + fields + " found, " + FORMAT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4", "-1", "", "high", "1.0"})
    void shouldRefuseAClassThatIsNone(final String trafficClass) {
        refuses("9,1,2,9,0,1\n0,1,2,9,0," + trafficClass + "\n", ":2", "there is no traffic class '" + trafficClass
            + "', give 0 to 3, 0 goes first, or leave the field out");
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

    @ParameterizedTest
    @ValueSource(strings = {"", "one", "1.5", "-1", "9223372036854775808", "1e3", "0x1", "+", "99999999999999999999"})
    void shouldRefuseAFlowIdThatIsNoWholeNumber(final String id) {
        refuses("0,1,2,9,0\n" + id + ",1,2,9,0\n", ":2",
            "flow id '" + id + "' is no whole number, give 0 to 2^63 - 1");
    }

    @Test
    void shouldRefuseAFlowIdThatOccursTwice() {
        refuses("0,1,2,9,0\n7,1,2,0,0\n\n7,1,3,9,0\n", ":4",
            "flow id 7 occurs a second time, give every flow its own id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8", "-1", "", "4294967297", "[1", "one"})
    void shouldRefuseANodeOutOfRange(final String node) {
        final String why = " '" + node + "' is no node, give 0 to 7 or a larger --nodes";
        refuses("0,1,2,9,0\n1," + node + ",2,9,0\n", ":2", "source" + why);
        refuses("0,1,2,9,0\n1,2," + node + ",9,0\n", ":2", "destination" + why);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "-1e-9", "NaN", "nan", "Infinity", "inf", "1e999", "", "1s", "1e", "0x1p3", "1d", "1..2", ".", "--1"})
    void shouldRefuseATimeThatIsNone(final String start) {
        refuses("0,1,2,9,0\n1,1,2,9," + start + "\n", ":2", "start '" + start + "' is no time, give seconds from 0 up");
    }

    @Test
    void shouldRefuseATimeBeyondTheClock() {
        refuses("1,1,2,9,1e300\n", ":1", "start '1e300' lies beyond slot 2^53, give an earlier time in seconds");
        holds(read("1,1,2,9,50e6\n"), "1,1,2,9,1," + (long) Math.floor(50e6 / 5.632e-9));
    }

    @Test
    void shouldSkipFlowsWithoutBytes() {
        final Trace trace = read("0,1,2,9,0\n1,1,2,0,0\n2,3,3,-5,0\n3,1,2,1,0\n");
        holds(trace, "0,1,2,9,1,0", "3,1,2,1,1,0");
        assertEquals(2, trace.skippedFlows());
        assertEquals(0, trace.localFlows());
        warns(trace, ":2: size is 0 or less, flows skipped: 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.0", "1e3", "big", "9223372036854775808"})
    void shouldRefuseASizeThatIsNoWholeNumber(final String size) {
        refuses("0,1,2," + size + ",0\n", ":1",
            "size '" + size + "' is no whole number of bytes, give 1 to 2^63 - 1");
    }

    @Test
    void shouldTakeFlowsUpToTheCellsOfAFlowAndNoMore() {
        final long most = (FlowSet.ENDLESS - 1L) * PAYLOAD_BYTES;
        holds(read("0,1,2," + (1L << 22) * PAYLOAD_BYTES + ",0\n1,1,2," + most + ",0\n"),
            "0,1,2,1023410176,4194304,0", "1,1,2," + most + ",2147483646,0");
        refuses("0,1,2," + (most + 1) + ",0\n", ":1",
            "size 523986009625 makes a flow of 2147483647 cells, give at most 523986009624 bytes");
        refuses("0,1,2," + Long.MAX_VALUE + ",0\n", ":1",
            "size 9223372036854775807 makes a flow of 37800705069076951 cells, give at most 523986009624 bytes");
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

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\r\n", "# nothing\n", "id,source,destination,size,start\n", "\u00EF\u00BB\u00BF"})
    void shouldRefuseATraceWithoutFlows(final String text) {
        refuses(text, "", "holds no flow, " + FORMAT);
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() {
        refuses(folder.resolve("none.csv"), "", "there is no such file, give an existing one");
        refuses(folder, "", "is a folder, give the path of a file");
    }

    @Test
    void shouldRefuseAFileThatMayNotBeRead() throws IOException {
        final Path file = write("secret.csv", new byte[1]);
        assumeTrue(Files.getFileStore(file).supportsFileAttributeView("posix"));
        Files.setPosixFilePermissions(file, Set.of());
        assumeFalse(Files.isReadable(file), "the superuser reads everything");
        refuses(file, "", "may not be read, change its permissions");
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
            "is named .gz but holds no gzip data, compress it or rename it");
        refuses(write("empty.gz", new byte[0]), "", "holds no flow, " + FORMAT);
        final byte[] packed = gzip("0,2,1,233,0\n1,2,1,233,0\n");
        refuses(write("head.gz", Arrays.copyOf(packed, 5)), ":1",
            "the gzip data end too early, copy or compress the file again");
        refuses(write("cut.gz", Arrays.copyOf(packed, packed.length - 8)), ":3",
            "the gzip data end too early, copy or compress the file again");
        packed[packed.length - 8] ^= 1;
        refuses(write("sum.gz", packed), ":3", "the gzip data are damaged, copy or compress the file again");
    }

    @Test
    void shouldRefuseALineWithoutEnd() {
        final String full = "#" + "x".repeat(LineReader.MAX_LINE_BYTES - 1);
        holds(read(full + "\n0,2,1,233,0\n" + full + "\r\n1,2,1,233,0\n" + full), "0,2,1,233,1,0", "1,2,1,233,1,0");
        refuses("0,2,1,233,0\n" + full + "x\n", ":2", "is longer than 65536 bytes, give one flow a line");
    }

    @Test
    void shouldShortenAndCleanWhatItQuotes() {
        refuses("1,\u0007\u00E9" + "y".repeat(60) + ",1,9,0\n", ":1",
            "source '??" + "y".repeat(38) + "...' is no node, give 0 to 7 or a larger --nodes");
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
