package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.Collective.Options;
import dev.skerry.tools.traffic.TraceReader.TraceFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import picocli.CommandLine;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Graphs of flows by name, and those of traces. */
final class CollectiveTest {
    static final List<String> NAMES = Collective.NAMES;

    @TempDir
    private Path folder;

    private static Options options(final String... args) {
        return CommandLine.populateCommand(new Options(), args);
    }

    private static FlowSet flows(final String name, final long bytes, final int nodes, final long seed,
        final String... args) {
        return options(args).collective(name, bytes, null, null).generate(nodes, 244, 0, seed);
    }

    /** In a collective the source that waits is the destination that finished; all is done once all flows are. */
    @ParameterizedTest
    @FieldSource("NAMES")
    void shouldWaitWhereItReceives(final String name) {
        for (long seed = 1; seed <= 5; seed++) {
            final FlowSet flows = flows(name, 5000, 23, seed, "--groups", "3", "--rounds", "4", "--concurrent", "2");
            for (int flow = 0; flow < flows.size(); flow++) {
                final int before = flow;
                flows.waits().waitingFor(flow).forEach(after -> assertEquals(flows.destination(before),
                    flows.source(after), () -> name + " " + before + " before " + after));
            }
            assertEquals(6, Arrays.stream(flows.waits().jobs()).max().orElseThrow() + 1, name);
        }
        assertTrue(flows(name, 5000, 16, 1, "--rounds", "3").size() > flows(name, 5000, 16, 1, "--rounds", "2").size());
    }

    @Test
    void shouldGoAroundTheRing() {
        final FlowSet flows = flows("ring-allreduce", 1 << 20, 16, 1);
        final int[] steps = flows.waits().steps();
        assertEquals(16 * 30, flows.size());
        for (int flow = 0; flow < flows.size(); flow++) {
            assertEquals(65_536, flows.bytes(flow));
            assertEquals((flows.source(flow) + 1) % 16, flows.destination(flow));
            assertEquals(flow / 16, steps[flow]);
        }
    }

    /** 7 nodes: two levels below the root, up and down. */
    @Test
    void shouldGoUpAndDownTheTree() {
        final FlowSet flows = flows("tree-allreduce", 1000, 7, 1, "--rounds", "2");
        assertEquals(24, flows.size());
        assertEquals(7, Arrays.stream(flows.waits().steps()).max().orElseThrow(), "four steps a round, from 0");
    }

    /** The k-th expert has k^-1 of the tokens of the first, in each round another one; as much comes back as went. */
    @Test
    void shouldSkewExperts() {
        final FlowSet flows = flows("moe", 1 << 20, 16, 3, "--rounds", "2", "--skew", "1");
        final int phase = 16 * 15;
        assertEquals(4 * phase, flows.size());
        final double sum = IntStream.rangeClosed(1, 16).mapToDouble(k -> 1.0 / k).sum();
        for (int round = 0; round < 2; round++) {
            final Map<Integer, Long> tokens = new HashMap<>();
            for (int flow = 2 * round * phase; flow < (2 * round + 1) * phase; flow++) {
                tokens.put(flows.destination(flow), flows.bytes(flow));
            }
            for (int flow = (2 * round + 1) * phase; flow < (2 * round + 2) * phase; flow++) {
                assertEquals(tokens.get(flows.source(flow)), flows.bytes(flow), "as much comes back");
            }
            final long[] ranked = tokens.values().stream().mapToLong(bytes -> bytes).sorted().toArray();
            for (int k = 1; k <= 16; k++) {
                assertEquals((1 << 20) / sum / k, ranked[16 - k], 1, "k=" + k);
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNone() {
        assertNull(options().collective("short", null, 0.5, null));
        assertNull(options().collective("all-to-all", null, null, null));
        assertTrue(options("--rounds", "2").collective("all-to-all", null, null, null) instanceof Collective);
        for (final String[] args : new String[][] {{"short", "--rounds", "2"}, {"ring-allreduce", "--skew", "1"},
            {"moe", "--skew", "-1"}, {"moe", "--groups", "0"}, {"incast", "--concurrent", "2"}}) {
            assertThrows(InputException.class, () -> options(args[1], args[2]).collective(args[0], null, null, null),
                args[0]);
        }
        assertThrows(InputException.class, () -> options().collective("moe", null, 0.1, null));
        assertThrows(InputException.class, () -> flows("moe", 9, 16, 1, "--groups", "9"));
        assertThrows(InputException.class, () -> flows("moe", 9, 16, 1, "--rounds", "1000000"));
        final long tooMany = 1L << 60;
        final String message = assertThrows(InputException.class, () -> flows("ring-allreduce", tooMany, 4, 1))
            .getMessage();
        assertTrue(message.startsWith("skerry: --flow-bytes: " + tooMany + ": makes a flow of "), message);
    }

    /** The most rounds that are not refused make the most flows that there may be, with groups of 7 and 8 nodes. */
    @ParameterizedTest
    @FieldSource("NAMES")
    void shouldCountItsFlowsBeforehand(final String name) {
        final int each = flows(name, 9, 23, 1, "--groups", "3", "--rounds", "1").size();
        final String tooMany = Integer.toString(Workload.MAX_FLOWS / each + 1);
        assertThrows(InputException.class, () -> flows(name, 9, 23, 1, "--groups", "3", "--rounds", tooMany));
    }

    private FlowSet read(final String text) throws IOException {
        return TraceReader.read(Files.writeString(folder.resolve("flows.csv"), text), 8, 244, 5.632, TraceFilter.ALL)
            .flows();
    }

    /** A flow may wait for one below it, whose start is later; then places are not those of the file. */
    @Test
    void shouldReadWaitsOfTraces() throws IOException {
        final FlowSet flows = read("9,0,3,100,0.5\n4,3,0,50,0,after=9\n2,0,3,9,0,1,after=9+4,delay-s=1e-6\n"
            + "5 1 2 9 0 delay-s=0 after=2\n");
        assertArrayEquals(new long[] {4, 2, 5, 9}, IntStream.range(0, 4).mapToLong(flows::id).toArray());
        final FlowWaits waits = flows.waits();
        assertArrayEquals(new int[] {0, 1}, waits.waitingFor(3).toArray());
        assertArrayEquals(new int[] {1}, waits.waitingFor(0).toArray());
        assertArrayEquals(new int[] {2}, waits.waitingFor(1).toArray());
        assertEquals(1, flows.trafficClass(1));
        assertEquals((long) Math.ceil(1e-6 / 5.632e-9), waits.delay(1));
        assertArrayEquals(new int[] {1, 2, 3, 0}, waits.steps());
        assertNull(read("9,0,3,100,0.5\n").waits());
    }

    /** A delay of whole slots is not a slot longer because its seconds are not exact. */
    @Test
    void shouldDelayByWholeSlots() throws IOException {
        final StringBuilder text = new StringBuilder("0,0,3,100,0\n");
        for (int slots = 1; slots <= 3000; slots++) {
            text.append(slots).append(",0,3,100,0,after=0,delay-s=")
                .append(new BigDecimal("5.632e-9").multiply(BigDecimal.valueOf(slots))).append('\n');
        }
        final FlowWaits waits = read(text.toString()).waits();
        for (int slots = 1; slots <= 3000; slots++) {
            assertEquals(slots, waits.delay(slots));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"after=7; flow 1 waits for flow 7, which is not sent",
        "after=1; flow 1 waits for flow 1", "after=; names no flows", "after=0+; names no flows",
        "after=x; names no flows", "after=0,delay-s=-1; is not a delay",
        "after=2; flow 2 waits for flow 1 waits for flow 2",
        "after=3; flow 1 waits for flow 3, which is not sent", "before=2; no traffic class",
        "delay-s=1; does not wait for others", "after=0,delay-s=1,delay-s=2; a flow has two delays",
        "after=0,delay-s=0x1p-20; is not a delay", "after=0,delay-s=1d; is not a delay"})
    void shouldRefuseWrongWaits(final String wait, final String why) {
        final String message = assertThrows(InputException.class, () -> read("0,0,3,100,0.5\n1,3,0,50,0," + wait
            + "\n2,0,1,9,0,after=1\n3,4,4,9,0\n")).getMessage();
        assertTrue(message.contains(why) && message.lines().count() == 1, message);
    }
}
