package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.codec.CellPacker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** {@code skerry run --fabric stardust}. */
final class RunStardustTest {
    private static final String BUSY = "run --fabric stardust --nodes 32 --slots 1500";

    @TempDir
    private Path folder;

    @Test
    void shouldPrintTheReportAndACommandLineThatGivesTheSameResult() {
        final Invocation first = Invocation.ofLine(BUSY + " --ports 2 --packing none --cell-bytes 240 --seed 9"
            + " --propagation-ns 100 --requests ahead --top-elements 3");
        assertEquals(0, first.code(), first.err());
        assertTrue(first.out().startsWith("Stardust, 32 nodes, 2 channels, scaled, short"), first.out());
        final String printed = first.out().substring(first.out().indexOf("./skerry run"));
        final String again = printed.substring("./skerry ".length(), printed.indexOf("\n\n"))
            .replaceAll("\\\\\\s+", "").replaceAll("\\s+", " ");
        assertTrue(again.contains("--cell-bytes 240 --header-bytes 16 --propagation-slots 3 "), again);
        assertEquals(digest(first), digest(Invocation.ofLine(again)));
    }

    @ParameterizedTest
    @EnumSource(CellPacker.Packing.class)
    void shouldOfferEachPackingThatThereIs(final CellPacker.Packing packing) throws IOException {
        final String name = packing.name().toLowerCase(Locale.ROOT);
        for (final String command : List.of("run", "trace", "live")) {
            final String help = Invocation.ofLine(command + " --help-all").out().replaceAll("\\s+", " ");
            assertTrue(help.matches(".*--packing=NAME Stardust: [^:]*: [^;]*\\b" + name + "\\b.*"), help);
        }
        assertTrue(summary("run --fabric stardust --nodes 8 --topology single --slots 200 --load 0.5 --packing " + name)
            .get("cellsDelivered").asLong() > 0);
    }

    private static String digest(final Invocation run) {
        assertEquals(0, run.code(), run.err());
        return run.out().lines().filter(line -> line.startsWith("Digest")).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " --class-bytes 3000,30000 --weights 0,2,1 --packing simple", " --workload permutation",
        " --requests ahead --top-elements 5 --class-bytes 3000 --low-latency 0.05", " --hosts tcp --load 0.3",
        " --hosts dcqcn --load 0.3", " --control links",
        " --hosts dcqcn --load 0.3 --mark-red 1500:9000:0.2 --pause-bytes 30000",
        " --hosts paced --ports 2", " --class-bytes 3000 --give-up-ms 0.003"})
    void shouldGiveTheSameResultWhateverTheThreadsAndChecks(final String options) throws IOException {
        final String line = options.contains("--slots") ? "run --fabric stardust --nodes 32" + options
            : BUSY + options;
        final JsonNode one = summary(line);
        for (final String other : new String[] {" --threads 4", " --check", " --mode threads --threads 3 --idle yield",
            " --mode threads --nic-threads 2 --switch-threads 1"}) {
            final JsonNode many = summary(line + other);
            assertEquals(one.get("digest"), many.get("digest"), other);
            assertEquals(one.get("cellsDelivered"), many.get("cellsDelivered"), other);
            assertEquals(one.get("slots"), many.get("slots"), other);
            assertEquals(Invocation.counts(one), Invocation.counts(many), other);
        }
        assertEquals(0, one.get("cellsDropped").asLong());
        assertTrue(one.get("cellsDelivered").asLong() > 0);
        if (line.endsWith("--slots 0")) {
            assertEquals(one.get("flowsStarted"), one.get("flowsCompleted"));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {" --workload web", " --workload incast --slots 0", " --workload all-to-all --slots 0",
        " --hosts dctcp --load 0.3 --mark-bytes 4000",
        " --hosts mptcp --subflows 3 --load 0.3 --pause-bytes 9000", " --hosts paced --pause-bytes 9000",
        " --link-bytes 80 --load 0.1", " --device-ns 500", " --requests slow"})
    void shouldGiveTheSameResultWithTheOtherOptionsToo(final String options) throws IOException {
        shouldGiveTheSameResultWhateverTheThreadsAndChecks(options);
    }

    /** Credits by backlog are fewer, bounded queues refuse packets, and one top element carries less. */
    @Test
    void shouldDoWhatItsOptionsSay() throws IOException {
        final JsonNode usual = summary(BUSY);
        final double control = usual.get("events").get("controlShare").asDouble();
        assertTrue(control > 0.001 && control < 0.01, "control=" + control);
        assertTrue(credits(summary(BUSY + " --requests backlog")) < 0.8 * credits(usual));
        assertTrue(credits(summary(BUSY + " --requests ahead")) > credits(usual));
        assertTrue(credits(summary(BUSY + " --requests slow")) < 0.95 * credits(usual));
        assertTrue(summary(BUSY + " --give-up-ms 0.003").get("events").get("packetsAged").asLong() > 0);
        assertTrue(summary(BUSY + " --voq-bytes 20000").get("events").get("packetsRefused").asLong() > 0);
        assertTrue(summary(BUSY + " --adapter-bytes 20000").get("events").get("packetsRefused").asLong() > 0);
        assertTrue(summary(BUSY + " --top-elements 1").get("cellsDelivered").asLong()
            < 0.9 * usual.get("cellsDelivered").asLong());
        assertTrue(credits(summary(BUSY + " --class-bytes 3000 --low-latency 0.05"))
            < credits(summary(BUSY + " --class-bytes 3000")));
    }

    private static long credits(final JsonNode summary) {
        return summary.get("events").get("creditsSent").asLong();
    }

    @Test
    void shouldWriteAllFiles() throws IOException {
        final Path out = folder.resolve("result");
        final JsonNode summary = summary("run --fabric stardust --topology n432 --workload incast --slots 0 --out "
            + out);
        assertEquals("stardust", summary.get("fabric").asText());
        assertEquals(72, summary.get("nodes").asInt());
        assertEquals(432, summary.get("endpoints").asInt());
        assertEquals(32, Files.readAllLines(out.resolve("fct.csv")).size() - 1);
        assertEquals(433, Files.readAllLines(out.resolve("queue-lengths.csv")).size());
    }

    /** Elements of a fabric of 32 adapters: 32 to 47 of tier 1, 48 to 55 of tier 2. */
    @Test
    void shouldGetOverFaultsWhateverTheThreads() throws IOException {
        final Path script = folder.resolve("faults.txt");
        Files.writeString(script, "200 node 50 down\n250 link 33 3 down\n400 corrupt 0.0001\n900 node 50 up\n");
        final String line = "run --fabric stardust --nodes 32 --workload permutation --slots 2500 --faults " + script;
        final JsonNode one = summary(line);
        assertTrue(one.get("cellsDropped").asLong() > 0);
        assertTrue(one.get("events").get("droppedOnWay").asLong() > 0);
        assertEquals(one.get("digest"), summary(line + " --threads 3").get("digest"));
        assertEquals(one.get("digest"), summary(line + " --check").get("digest"));
        assertEquals(one.get("digest"), summary(line + " --mode threads --threads 2").get("digest"));
        assertEquals(one.get("digest"), summary(line + " --mode threads --switch-threads 2").get("digest"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--radix 4 --adapter-links 2 --tiers 3 | 16 | 40",
        "--radix 4 --adapter-links 1 --tiers 3 | 16 | 20",
        "--radix 8 --adapter-links 4 --up-links 2 | 48 | 40",
        "--radix 6 --adapter-links 1 --tiers 1 | 6 | 1"})
    void shouldRunFoldedClosesOfAnyShapeWhateverTheThreads(final String shape, final int adapters, final int elements)
        throws IOException {
        final String line = "run --fabric stardust --topology clos " + shape
            + " --workload permutation --flow-bytes 20000 --slots 0";
        final JsonNode one = summary(line);
        assertEquals(adapters, one.get("nodes").asInt());
        assertEquals(one.get("flowsStarted"), one.get("flowsCompleted"));
        assertEquals(0, one.get("cellsDropped").asLong());
        assertEquals(one.get("digest"), summary(line + " --threads 3 --check").get("digest"));
        assertEquals(one.get("digest"), summary(line + " --mode threads --switch-threads 2").get("digest"));
        // Its last element can be named and the one after it cannot.
        final Path script = folder.resolve("last.txt");
        Files.writeString(script, "100000 node " + (adapters + elements) + " down\n");
        assertEquals(2, Invocation.ofLine(line + " --faults " + script).code());
        Files.writeString(script, "100000 node " + (adapters + elements - 1) + " down\n");
        assertEquals(0, Invocation.ofLine(line + " --faults " + script).code());
    }

    /** Over-subscribed tiers carry less; devices that take their time, and TCP that begins slowly, take longer. */
    @Test
    void shouldTakeLongerWhereThereIsLess() throws IOException {
        final String clos = "run --fabric stardust --topology clos --workload permutation --slots 0"
            + " --flow-bytes 200000";
        final long half = slots(summary(clos));
        assertTrue(slots(summary(clos + " --up-links 2")) > 1.5 * half);
        final String busy = "run --fabric stardust --nodes 16 --workload permutation --flow-bytes 20000 --slots 0";
        final long usual = slots(summary(busy));
        // A request, a credit, and the cells: each over four links.
        final long slow = slots(summary(busy + " --device-ns 4000"));
        assertTrue(slow >= usual + 12 * 46 && slow < usual + 12 * 46 + 20, usual + " " + slow);
        assertTrue(slots(summary(busy + " --hosts tcp")) > usual);
        // Cells of 66 bytes take less of a link than full ones.
        final long short1 = slots(summary(busy + " --packet-bytes 64 --packing none --link-bytes 82")) * 82;
        final long full = slots(summary(busy + " --packet-bytes 64 --packing none")) * 272;
        assertTrue(short1 < 0.7 * full, short1 + " " + full);
    }

    private static long slots(final JsonNode summary) {
        return summary.get("slots").asLong();
    }

    /** Half of the adapters join while the others send; nothing is lost, and the report says when all was known. */
    @Test
    void shouldComeUpFromNothingAndGrowWhateverTheThreads() throws IOException {
        final Path script = folder.resolve("growth.txt");
        final StringBuilder lines = new StringBuilder();
        for (int adapter = 8; adapter < 16; adapter++) {
            lines.append("0 node ").append(adapter).append(" down\n");
        }
        for (int adapter = 8; adapter < 16; adapter++) {
            lines.append("2000 node ").append(adapter).append(" up\n");
        }
        Files.writeString(script, lines);
        final String line = "run --fabric stardust --nodes 16 --reachability learnt --load 0.3 --slots 9000";
        final JsonNode alone = summary(line);
        assertEquals(0, alone.get("cellsDropped").asLong());
        final JsonNode one = summary(line + " --faults " + script);
        assertEquals(0, one.get("cellsDropped").asLong());
        final long known = one.get("events").get("reachLastChanged").asLong();
        assertTrue(known > 2000 + 31 * 115 && known < 2000 + 33 * 115 + 4 * (3 * 115 + 7), "known=" + known);
        assertTrue(alone.get("events").get("reachLastChanged").asLong() < 4 * (3 * 115 + 7));
        for (final String other : new String[] {" --threads 3", " --check", " --mode threads --threads 2"}) {
            assertEquals(one.get("digest"), summary(line + " --faults " + script + other).get("digest"), other);
        }
    }

    @Test
    void shouldGetOverRoguesAndLostControlWhateverTheThreads() throws IOException {
        final Path script = folder.resolve("rogues.txt");
        Files.writeString(script, "100 control 0.1 0.1\n300 host 7 down\n500 rogue 4\n1200 host 7 up\n");
        final String line = "run --fabric stardust --nodes 16 --ports 2 --workload permutation --slots 2000 --faults "
            + script;
        final JsonNode one = summary(line);
        assertEquals(0, one.get("cellsDropped").asLong());
        assertTrue(one.get("events").get("controlLost").asLong() > 10, one.get("events").toString());
        assertEquals(one.get("digest"), summary(line + " --threads 3").get("digest"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--nodes 60 | skerry: --nodes: 60: ",
        "--topology x | skerry: --topology: x: ",
        "--topology n432 --nodes 99 | skerry: --nodes: 99: ",
        "--ports 0 | skerry: --ports: 0: ",
        "--speed-up 0.5 | skerry: --speed-up: 0.5: ",
        "--packing some | skerry: --packing: some: ",
        "--requests some | skerry: --requests: some: ",
        "--low-latency 0.1 | skerry: --low-latency: 0.1: it is for the highest of several ",
        "--low-latency 2 --class-bytes 9000 | skerry: --low-latency: 2.0: ",
        "--low-latency 0.1 --class-bytes 9000 --weights 1,1 | skerry: --low-latency: 0.1: ",
        "--give-up-ms 0 | skerry: --give-up-ms: 0.0: ",
        "--hosts tcp --give-up-ms 500 | skerry: --fabric: stardust: ",
        "--voq-bytes 9000 | skerry: --voq-bytes: 9000: ",
        "--adapter-bytes 1 | skerry: --adapter-bytes: 1: ",
        "--voq-bytes 30000 --adapter-bytes 20000 | skerry: --adapter-bytes: 20000: ",
        "--top-elements 0 | skerry: --top-elements: 0: ",
        "--nodes 32 --top-elements 9 | skerry: --top-elements: 9: must be 1 to 8",
        "--weights 1,0 | skerry: --weights: 1,0: ",
        "--weights 1,x | skerry: --weights: 1,x: ",
        "--weights 1,2,200 | skerry: --weights: 1,2,200: ",
        "--weights 1,2 --class-bytes 5000,90000 | skerry: --weights: 1,2: there are 3 ",
        "--class-bytes 9,9 | skerry: --class-bytes: 9,9: ",
        "--credit-bytes 3 | skerry: --fabric: stardust: ",
        "--radix 8 | skerry: --radix: 8: the topology says it",
        "--topology clos --radix 7 | skerry: --topology: clos: ",
        "--topology clos --tiers 0 | skerry: --tiers: 0: ",
        "--topology clos --up-links 9 | skerry: --topology: clos: ",
        "--topology clos --nodes 99 | skerry: --nodes: 99: this network has 32 adapters",
        "--hosts some | skerry: --hosts: some: ",
        "--hosts tcp --voq-bytes 20000 | skerry: --fabric: stardust: ",
        "--pause-bytes 20000 | skerry: --pause-bytes: 20000: hosts that hand over whole flows ",
        "--hosts tcp --pause-bytes 20 | skerry: --pause-bytes: 20: an adapter holds a packet ",
        "--hosts tcp --subflows 3 | skerry: --subflows: 3: flows have one connection",
        "--hosts mptcp --subflows 1 | skerry: --subflows: 1: must be 2 to 64",
        "--mark-bytes 20000 | skerry: --mark-bytes: 20000: hosts that read no marks ",
        "--hosts tcp --mark-bytes 20000 | skerry: --mark-bytes: 20000: hosts that read no marks ",
        "--hosts dctcp --mark-bytes 0 | skerry: --mark-bytes: 0: ",
        "--hosts tcp --mark-red 1:2:0.1 | skerry: --mark-red: 1:2:0.1: hosts that read no marks ",
        "--hosts dcqcn --mark-red 2:1:0.1 | skerry: --mark-red: 2:1:0.1: not two lengths and a share, give KMIN:KMAX:",
        "--hosts dcqcn --mark-red 1:2 | skerry: --mark-red: 1:2: not two lengths and a share, give ",
        "--hosts dcqcn --mark-red 1:2:NaN | skerry: --mark-red: 1:2:NaN: not two lengths and a share, give ",
        "--hosts dcqcn --mark-red 1:2:x | skerry: --mark-red: 1:2:x: not two lengths and a share, give ",
        "--hosts dcqcn --mark-bytes 9 --mark-red 1:2:0.1 | skerry: --mark-red: 1:2:0.1: --mark-bytes says too ",
        "--link-bytes 20 | skerry: --link-bytes: 20: must be 80 to 272",
        "--control some | skerry: --control: some: ",
        "--device-ns -1 | skerry: --device-ns: -1.0: ",
        "--device-ns 900000 | skerry: --device-ns: 900000.0: ",
        "--reachability some | skerry: --reachability: some: ",
        "--tokens 2 | skerry: --tokens: 2: ",
        "--mode threads --clos-ports 4 | skerry: --clos-ports: 4: an option of shoal",
        "--nic-threads 2 | skerry: --nic-threads: 2: not used in lock step",
        "--mode threads --nic-threads 0 | skerry: --nic-threads: 0: ",
        "--mode threads --nic-threads 2 --threads 2 | skerry: --threads: 2: ",
        "--mode threads --idle sleep | skerry: --idle: sleep: ",
        "--channels 3 | skerry: --channels: 3: "})
    void shouldRefuseWhatItCannotDo(final String options, final String start) {
        final Invocation run = Invocation.ofLine("run --fabric stardust " + options);
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().startsWith(start), run.err());
        assertEquals(1, run.errors().size(), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shoal"})
    void shouldRefuseItsOptionsForOthers(final String fabric) {
        final Invocation run = Invocation.ofLine("run --fabric " + fabric + " --nodes 16 --packet-bytes 1500");
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().startsWith("skerry: --packet-bytes: 1500: an option of stardust"), run.err());
    }
}
