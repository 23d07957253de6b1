package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
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
            + " --propagation-ns 100 --requests ahead --top-elements 3").ok();
        assertTrue(first.out().startsWith("Stardust, 32 nodes, 2 channels, scaled, short"), first.out());
        assertTrue(first.command().contains("--cell-bytes 240 --header-bytes 16 --propagation-slots 3 "),
            first.command());
        assertEquals(first.printedDigest(), Invocation.ofLine(first.command()).ok().printedDigest());
    }

    /** A request and its credit cross four links; nothing else moves meanwhile. */
    @Test
    void shouldWaitForCreditsFromAfar() {
        final JsonNode far = summary("run --fabric stardust --topology single --nodes 4 --propagation-slots 2000 "
            + "--workload incast --incast-senders 3 --flow-bytes 20000000 --slots 0");
        assertEquals(3, far.get("flowsCompleted").asInt(), far::toString);
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

    @ParameterizedTest
    @ValueSource(strings = {"", " --class-bytes 3000,30000 --weights 0,2,1 --packing simple", " --workload permutation",
        " --requests ahead --top-elements 5 --class-bytes 3000 --low-latency 0.05", " --hosts tcp --load 0.3",
        " --hosts dcqcn --load 0.3", " --control links",
        " --hosts dcqcn --load 0.3 --mark-red 1500:9000:0.2 --pause-bytes 30000",
        " --hosts paced --ports 2", " --class-bytes 3000 --give-up-ms 0.003"})
    void shouldGiveTheSameResultWhateverTheThreadsAndChecks(final String options) {
        final JsonNode one = same((options.contains("--slots") ? "run --fabric stardust --nodes 32" : BUSY) + options,
            "--threads 4", "--check", "--mode threads --threads 3 --idle yield",
            "--mode threads --nic-threads 2 --switch-threads 1");
        assertEquals(0, one.get("cellsDropped").asLong());
        assertTrue(one.get("cellsDelivered").asLong() > 0);
        if (options.endsWith("--slots 0")) {
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

    @Test
    void shouldDoWhatItsOptionsSay() {
        final JsonNode usual = summary(BUSY);
        final double control = usual.get("events").get("controlShare").asDouble();
        assertTrue(control > 0.001 && control < 0.01, "control=" + control);
        final long credits = event("", "creditsSent");
        assertTrue(event(" --requests backlog", "creditsSent") < 0.8 * credits);
        assertTrue(event(" --requests ahead", "creditsSent") > credits);
        assertTrue(event(" --requests slow", "creditsSent") < 0.95 * credits);
        assertTrue(event(" --give-up-ms 0.003", "packetsAged") > 0);
        assertTrue(event(" --voq-bytes 20000", "packetsRefused") > 0);
        assertTrue(event(" --adapter-bytes 20000", "packetsRefused") > 0);
        assertTrue(summary(BUSY + " --top-elements 1").get("cellsDelivered").asLong()
            < 0.9 * usual.get("cellsDelivered").asLong());
        assertTrue(event(" --class-bytes 3000 --low-latency 0.05", "creditsSent")
            < event(" --class-bytes 3000", "creditsSent"));
    }

    private static long event(final String options, final String name) {
        return summary(BUSY + options).get("events").get(name).asLong();
    }

    @Test
    void shouldWriteAllFiles() throws IOException {
        final Path out = folder.resolve("result");
        final JsonNode summary = summary("run --fabric stardust --topology n432 --workload incast --slots 0 --out "
            + out);
        assertEquals("stardust 72 432", summary.get("fabric").asText() + " " + summary.get("nodes") + " "
            + summary.get("endpoints"));
        assertEquals(1 + 32, Files.readAllLines(out.resolve("fct.csv")).size());
        assertEquals(1 + 432, Files.readAllLines(out.resolve("queue-lengths.csv")).size());
    }

    /** Elements of a fabric of 32 adapters: 32 to 47 of tier 1, 48 to 55 of tier 2. */
    @Test
    void shouldGetOverFaultsWhateverTheThreads() throws IOException {
        final String line = "run --fabric stardust --nodes 32 --workload permutation --slots 2500 --faults "
            + script("200 node 50 down\n250 link 33 3 down\n400 corrupt 0.0001\n900 node 50 up\n");
        final JsonNode one = same(line, "--threads 3", "--check", "--mode threads --threads 2",
            "--mode threads --switch-threads 2");
        assertTrue(one.get("cellsDropped").asLong() > 0);
        assertTrue(one.get("events").get("droppedOnWay").asLong() > 0);
        final JsonNode rogues = same("run --fabric stardust --nodes 16 --ports 2 --workload permutation --slots 2000 "
            + "--faults " + script("100 control 0.1 0.1\n300 host 7 down\n500 rogue 4\n1200 host 7 up\n"),
            "--threads 3");
        assertEquals(0, rogues.get("cellsDropped").asLong());
        assertTrue(rogues.get("events").get("controlLost").asLong() > 10, rogues::toString);
    }

    private Path script(final String lines) throws IOException {
        return Files.writeString(folder.resolve("faults.txt"), lines);
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
        final JsonNode one = same(line, "--threads 3 --check", "--mode threads --switch-threads 2");
        assertEquals(adapters, one.get("nodes").asInt());
        assertEquals(one.get("flowsStarted"), one.get("flowsCompleted"));
        assertEquals(0, one.get("cellsDropped").asLong());
        // Its last element can be named and the one after it cannot.
        Invocation.ofLine(line + " --faults " + script("100000 node " + (adapters + elements) + " down\n")).exits(2);
        Invocation.ofLine(line + " --faults " + script("100000 node " + (adapters + elements - 1) + " down\n")).ok();
    }

    /** Over-subscribed tiers carry less; devices that take their time, and TCP that begins slowly, take longer. */
    @Test
    void shouldTakeLongerWhereThereIsLess() throws IOException {
        final String clos = "run --fabric stardust --topology clos --workload permutation --slots 0"
            + " --flow-bytes 200000";
        final long half = slots(clos);
        assertTrue(slots(clos + " --up-links 2") > 1.5 * half);
        final String busy = "run --fabric stardust --nodes 16 --workload permutation --flow-bytes 20000 --slots 0";
        final long usual = slots(busy);
        // A request, a credit, and the cells: each over four links.
        final long slow = slots(busy + " --device-ns 4000");
        assertTrue(slow >= usual + 12 * 46 && slow < usual + 12 * 46 + 20, usual + " " + slow);
        assertTrue(slots(busy + " --hosts tcp") > usual);
        // Cells of 66 bytes take less of a link than full ones.
        final long short1 = slots(busy + " --packet-bytes 64 --packing none --link-bytes 82") * 82;
        final long full = slots(busy + " --packet-bytes 64 --packing none") * 272;
        assertTrue(short1 < 0.7 * full, short1 + " " + full);
    }

    private static long slots(final String line) {
        return summary(line).get("slots").asLong();
    }

    /** Half of the adapters join while the others send; nothing is lost, and the report says when all was known. */
    @Test
    void shouldComeUpFromNothingAndGrowWhateverTheThreads() throws IOException {
        final StringBuilder growth = new StringBuilder();
        for (int adapter = 8; adapter < 16; adapter++) {
            growth.append("0 node ").append(adapter).append(" down\n2000 node ").append(adapter).append(" up\n");
        }
        final String line = "run --fabric stardust --nodes 16 --reachability learnt --load 0.3 --slots 9000";
        final JsonNode alone = summary(line);
        final JsonNode one = same(line + " --faults " + script(growth.toString()), "--threads 3", "--check",
            "--mode threads --threads 2");
        assertEquals(0, alone.get("cellsDropped").asLong() + one.get("cellsDropped").asLong());
        final long known = one.get("events").get("reachLastChanged").asLong();
        assertTrue(known > 2000 + 31 * 115 && known < 2000 + 33 * 115 + 4 * (3 * 115 + 7), "known=" + known);
        assertTrue(alone.get("events").get("reachLastChanged").asLong() < 4 * (3 * 115 + 7));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --low-latency 0.1                               | --low-latency: 0.1: it applies to the highest of several
        --hosts tcp --give-up-ms 500                    | --fabric: stardust:
        --nodes 32 --top-elements 9                     | --top-elements: 9: must be 1 to 8
        --weights 1,2 --class-bytes 5000,90000          | --weights: 1,2: there are 3
        --credit-bytes 3                                | --fabric: stardust:
        --radix 8                                       | --radix: 8: the topology determines it
        --topology clos --nodes 99                      | --nodes: 99: this network has 32 adapters
        --hosts tcp --voq-bytes 20000                   | --fabric: stardust:
        --pause-bytes 20000                             | --pause-bytes: 20000: hosts that hand over whole flows
        --hosts tcp --pause-bytes 20                    | --pause-bytes: 20: an adapter holds a packet
        --hosts tcp --subflows 3                        | --subflows: 3: flows have one connection
        --hosts mptcp --subflows 1                      | --subflows: 1: must be 2 to 64
        --mark-bytes 20000                              | --mark-bytes: 20000: hosts that read no marks
        --hosts tcp --mark-bytes 20000                  | --mark-bytes: 20000: hosts that read no marks
        --hosts tcp --mark-red 1:2:0.1                  | --mark-red: 1:2:0.1: hosts that read no marks
        --hosts dcqcn --mark-red 2:1:0.1 | --mark-red: 2:1:0.1: not two lengths and a share, give KMIN:KMAX:
        --hosts dcqcn --mark-red 1:2                    | --mark-red: 1:2: not two lengths and a share, give
        --hosts dcqcn --mark-red 1:2:NaN                | --mark-red: 1:2:NaN: not two lengths and a share, give
        --hosts dcqcn --mark-red 1:2:x                  | --mark-red: 1:2:x: not two lengths and a share, give
        --hosts dcqcn --mark-bytes 9 --mark-red 1:2:0.1 | --mark-red: 1:2:0.1: --mark-bytes sets the threshold too
        --link-bytes 20                                 | --link-bytes: 20: must be 80 to 272
        --mode threads --clos-ports 4                   | --clos-ports: 4: an option of shoal
        --nic-threads 2                                 | --nic-threads: 2: not used in lock step
        """)
    void shouldRefuseWhatItCannotDo(final String options, final String start) {
        refuses("run --fabric stardust " + options, "skerry: " + start);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shoal"})
    void shouldRefuseItsOptionsForOthers(final String fabric) {
        refuses("run --fabric " + fabric + " --nodes 16 --packet-bytes 1500",
            "skerry: --packet-bytes: 1500: an option of fattree and stardust");
    }
}
