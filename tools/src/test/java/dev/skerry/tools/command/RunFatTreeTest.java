package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.ThreadMXBean;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fattree.FatTreeEngine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.EngineChoice;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.RunOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;

/** {@code skerry run --fabric fattree}. */
final class RunFatTreeTest {
    private static final String RUN = "run --fabric fattree --nodes 16 ";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"--load 0.5 --slots 5000 --drain", "--workload ring-allreduce --flow-bytes 40000",
        "--leaves 4 --oversubscription 2 --hosts dcqcn --workload permutation --slots 4000",
        "--hosts mptcp --subflows 2 --workload all-to-all --flow-bytes 9000 --buffer-bytes 4500 --min-rto-us 20"})
    void shouldGiveTheSameResultWhateverTheThreadsAndChecks(final String options) {
        final JsonNode one = same(RUN + options, "--threads 3", "--check");
        assertTrue(one.get("flowsCompleted").asLong() > 0 || options.contains("permutation"), one::toString);
        assertEquals(one.get("cellsInjected").asLong(), one.get("cellsDelivered").asLong()
            + one.get("cellsHeld").asLong() + one.get("cellsDropped").asLong());
    }

    @Test
    void shouldPrintACommandLineThatGivesTheSameResult() {
        final Invocation first = Invocation.ofLine(RUN + "--link-gbps 40 --hosts dctcp --mark-bytes 9000 --slots 3000 "
            + "--seed 9 --uplink-gbps 20").ok();
        assertEquals(first.printedDigest(), Invocation.ofLine(first.command()).ok().printedDigest());
    }

    /** Half of the links up carry half: flows to other leaves share them. */
    @Test
    void shouldGiveWhatOversubscriptionLeaves() {
        final String run = RUN + "--leaves 4 --hosts dcqcn --workload permutation --slots 60000 --warm-up 30000";
        final double whole = summary(run).get("throughput").asDouble();
        final double half = summary(run + " --oversubscription 2").get("throughput").asDouble();
        assertTrue(whole > 0.4 && half > 0.2 && half < 0.8 * whole, whole + " " + half);
    }

    @Test
    void shouldEndFlowsAroundAFailedSwitch() throws IOException {
        final Path script = Files.writeString(folder.resolve("faults"), "500 node 31 down\n2000 link 0 16 down\n"
            + "9000 link 0 16 up\n0 corrupt 0.001\n");
        final JsonNode one = same(RUN + "--workload all-to-all --flow-bytes 30000 --slots 0 --min-rto-us 100 "
            + "--reroute-us 5 --faults " + script, "--threads 2", "--check");
        assertEquals(16 * 15, one.get("flowsCompleted").asInt());
        assertTrue(one.get("events").get("droppedOnWay").asLong() > 0, one::toString);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes 17                      | --nodes: 17: not the size of a fat tree
        --leaves 3                      | --leaves: 3: 16 hosts cannot be spread evenly
        --leaves 4 --oversubscription 3 | --leaves: 4: a leaf with 4 hosts would have 1.33
        --hosts ideal                   | --hosts: ideal: packet switches need hosts
        --mode threads                  | --mode: threads: packet switches run in lock step
        --slot-ns 9 --link-gbps 50      | --link-gbps: 50.0: the rate follows from the length of a slot
        --header-bytes 8                | --header-bytes: 8: packet sizes include all headers
        --buffer-bytes 900              | --buffer-bytes: 900: smaller than a packet
        --buffer-bytes 90000 --pause-bytes 9000 | --buffer-bytes: 90000: --pause-bytes and the headroom set
        --hosts tcp --pause-bytes 2000  | --pause-bytes: 2000: a switch holds at least two packets
        --uplink-gbps 10 --oversubscription 2 | --oversubscription: 2.0: in a fat tree, --uplink-gbps sets it
        --class-bytes 600               | --class-bytes: 600: not supported by
        --engine reference              | --engine: reference: this fabric has no reference engine
        """)
    void shouldRefuseWhatItCannotDo(final String options, final String start) {
        refuses("run --fabric fattree " + options + (options.contains("--nodes") ? "" : " --nodes 16"),
            "skerry: " + start);
    }

    /** Once queues and lists have grown, 500 slots allocate what one does, which is what a call costs. */
    @Test
    void shouldAllocateNothingOnThePathOfAPacket() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 16; from++) {
            flows.add(from, from, (from + 5) % 16, 1L << 40, 1, 0);
        }
        final FabricChoice choice = FabricChoice.of(RunOptions.of("--fabric=fattree", "--nodes=16",
            "--buffer-bytes=20000", "--mark-bytes=5000"));
        try (FatTreeEngine engine = (FatTreeEngine) choice.engine(new EngineChoice(1, null, null, false, Map.of()),
            flows, Faults.NONE, false, null)) {
            engine.advance(200_000);
            assertEquals(allocated(engine, 1), allocated(engine, 500), "bytes of a window");
            assertTrue(engine.count(NicCounter.PACKETS_DELIVERED) > 50_000);
        }
    }

    /** The minimum over 40 windows. */
    private static long allocated(final FatTreeEngine engine, final int slots) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return IntStream.range(0, 40).mapToLong(window -> {
            final long before = threads.getCurrentThreadAllocatedBytes();
            engine.advance(slots);
            return threads.getCurrentThreadAllocatedBytes() - before;
        }).min().orElseThrow();
    }

    @Test
    void shouldRefusePacketsOfPorts() {
        refuses("live --fabric fattree --port 0=loop", "skerry: --fabric: fattree: it carries packets");
    }
}
