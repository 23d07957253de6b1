package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.TableFormat.Column;
import dev.skerry.tools.report.TableFormat.Kind;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class ResultFilesTest {
    private static final Set<String> FILES = Set.of("fct.csv", "summary.json", "buffer-occupancy.csv",
        "queue-lengths.csv", "active-buckets.csv", "fct.hgrm", "latency.hgrm", "report.html", "run.txt",
        "timeline.csv");
    /** Of a run in which flows were completed. */
    private static final Set<String> PICTURES = Set.of("fct.svg", "throughput.svg", "latency.svg", "buffer.svg",
        "queue.svg");

    @TempDir
    private Path folder;

    @Test
    void shouldWriteEveryFileOfTheContract() throws IOException {
        final Path out = write(Samples.small(false), folder.resolve("deep/er/run"));
        assertEquals(folder.resolve("deep/er/run"), out);
        assertEquals(all(), names(out));
        assertEquals(Set.of("run"), names(out.getParent()));
        assertEquals("""
            flow_id,cells,completion_slots,start_slot
            7,17,27,0
            1,17,54,5
            9000000000,1,22,100
            3,287,594,12
            """, Files.readString(out.resolve("fct.csv")));
        assertEquals("node,value\n0,9\n1,0\n2,3\n", Files.readString(out.resolve("buffer-occupancy.csv")));
        assertEquals("node,value\n0,7\n1,0\n2,2\n", Files.readString(out.resolve("queue-lengths.csv")));
        assertEquals("node,value\n0,4\n1,1\n2,1\n", Files.readString(out.resolve("active-buckets.csv")));
        assertEquals("slot,slots,cells_delivered,throughput\n0,100,12,0.040000\n"
            + "100,100,18,0.060000\n200,50,3,0.020000\n",
            Files.readString(out.resolve("timeline.csv")));
        assertTrue(Files.readString(out.resolve("latency.hgrm")).contains("Total count    =            4"));
        assertTrue(Files.readString(out.resolve("fct.hgrm")).contains("Max     =      594.000"));
        final String run = Files.readString(out.resolve("run.txt"));
        assertTrue(run.startsWith("./skerry run --fabric shale --nodes 3 --h 2 --cc hbh+spray "), run);
        assertTrue(run.contains("\nseed   1\n"), run);
        assertTrue(run.contains("\nJDK    " + Runtime.version().feature()), run);
        assertFalse(run.contains("PARTIAL"), run);
        assertEquals(Stream.concat(FILES.stream(), Stream.of("buffer.svg", "queue.svg")).collect(Collectors.toSet()),
            names(write(Samples.empty(), folder.resolve("empty"))), "nothing to draw but nodes");
    }

    @Test
    void shouldRefuseWhatExistsAndLeaveItAlone() throws IOException {
        final Path out = Files.createDirectory(folder.resolve("run"));
        final InputException refusal =
            assertThrows(InputException.class, () -> write(Samples.small(false), out));
        assertTrue(refusal.getMessage().startsWith("skerry: --out: " + out + ": already exists"), refusal.getMessage());
        assertEquals(Set.of(), names(out));
        assertEquals(Set.of("run"), names(folder));
        final Path file = Files.writeString(folder.resolve("file"), "mine");
        assertThrows(InputException.class, () -> OutFolder.checkFree(file));
        assertThrows(InputException.class, () -> OutFolder.checkFree(file.resolve("below")));
    }

    @Test
    void shouldKeepTheSuffixOfInterruptedRunsAndNeverOverwriteOne() throws IOException {
        final Path out = folder.resolve("run");
        assertEquals(folder.resolve("run.partial"), write(Samples.small(true), out));
        assertEquals(folder.resolve("run-2.partial"), write(Samples.small(true), out));
        assertEquals(out, write(Samples.small(false), out));
        assertEquals(Set.of("run", "run.partial", "run-2.partial"), names(folder));
        final Path partial = folder.resolve("run.partial");
        assertEquals(all(), names(partial));
        assertTrue(Files.readString(partial.resolve("run.txt")).startsWith("PARTIAL"));
        assertTrue(Files.readString(partial.resolve("summary.json")).contains("\"interrupted\": true"));
        assertTrue(Files.readString(partial.resolve("report.html")).contains("PARTIAL RESULT: interrupted after 250"));
    }

    @Test
    void shouldLeaveNothingBehindWhenWritingFails() {
        final RunResult good = Samples.small(false);
        final RunResult.Flows flows = new RunResult.Flows(good.flows().id(), good.flows().bytes(),
            good.flows().cells(), new long[] {1, 2, 3, -1}, good.flows().startSlot());
        final RunResult broken = new RunResult(good.settings(), good.terms(), false, good.totals(), flows, good.nodes(),
            good.timeline(), good.events(), good.latency(), List.of(), RunResult.Measured.ALL);
        // A histogram cannot hold a negative time; by then five files are written.
        assertThrows(IndexOutOfBoundsException.class, () -> write(broken, folder.resolve("run")));
        assertEquals(Set.of(), names(folder));
    }

    @Test
    void shouldKeepPercentilesOfFlowTimesToThreeDigits() throws IOException {
        final Path out = write(Samples.plausible(16, 500, false), folder.resolve("run"));
        final Histogram expected = new Histogram(3);
        for (final long slots : Samples.plausible(16, 500, false).flows().completionSlots()) {
            expected.recordValue(slots);
        }
        final String median = Files.readAllLines(out.resolve("fct.hgrm")).stream()
            .filter(line -> line.contains(" 0.500000000000 ")).findFirst().orElseThrow().strip();
        assertEquals(expected.getValueAtPercentile(50), Double.parseDouble(median.split(" +")[0]));
    }

    private static Path write(final RunResult result, final Path out) {
        return ResultFiles.write(Summary.of(result), _ -> { }, TableFormats.of("csv"), out);
    }

    private static Set<String> all() {
        return Stream.concat(FILES.stream(), PICTURES.stream()).collect(Collectors.toSet());
    }

    private static Set<String> names(final Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Kind> kinds(final String csv) throws IOException {
        return TableFormats.columns(Files.writeString(folder.resolve("a.csv"), csv)).stream().map(Column::kind)
            .toList();
    }

    @Test
    void shouldTellTypesByAllLines() throws IOException {
        assertEquals(List.of(Kind.WHOLE, Kind.REAL, Kind.REAL, Kind.TEXT, Kind.TEXT, Kind.TEXT),
            kinds("a,b,c,d,e,f\n1,1,0.5,1,,9223372036854775808\n-2,2.5,NaN,x,,1\n"));
        assertEquals(List.of(Kind.TEXT, Kind.TEXT, Kind.TEXT), kinds("id,version,outcome.digest\n12,1e5,77\n"));
        assertEquals(List.of(Kind.TEXT, Kind.WHOLE), kinds("\"a, \"\"b\"\"\nc\",d\n\"1,2\",3\n"));
    }

    @Test
    void shouldRefuseATableThatIsNone() {
        assertThrows(IOException.class, () -> kinds("a,b\n1\n"));
        assertThrows(IOException.class, () -> kinds("a,\"b\n1,2\n"));
        assertThrows(IOException.class, () -> kinds(""));
    }
}
