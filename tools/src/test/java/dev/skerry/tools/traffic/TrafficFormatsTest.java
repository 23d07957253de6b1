package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.command.Invocation;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.TraceReader.Trace;
import dev.skerry.tools.traffic.TraceReader.TraceFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** A file of each of the field's formats, its flows and sizes calculated by hand; the fuzzer starts with them. */
class TrafficFormatsTest {
    private static final int ENDPOINTS = 16;
    private static final int PAYLOAD_BYTES = 244;
    private static final double SLOT_NS = 5.632;
    private static final TraceFilter FROM_FIRST = new TraceFilter(0, Long.MAX_VALUE, 1, 1, Long.MAX_VALUE,
        Long.MAX_VALUE, true);

    @TempDir
    private Path folder;

    private static Path example(final String name) throws URISyntaxException {
        return Path.of(TrafficFormatsTest.class.getResource("TrafficFileFuzzTestInputs/shouldReadOrRefuseAnyBytes/"
            + name).toURI());
    }

    private static Trace read(final Path file, final TraceFilter filter) {
        return TraceReader.read(file, ENDPOINTS, PAYLOAD_BYTES, SLOT_NS, filter);
    }

    /** Lines are separated by semicolons. */
    private Path file(final String text) throws IOException {
        return Files.writeString(folder.resolve("file"), text.replace(';', '\n'));
    }

    /** 2 s are 355,113,636.4 slots, 1 us is 177.6, 5,632 ns are 1,000. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        flow.txt              | 0,0,3,1000,5,355113636 1,1,2,500,3,355113813 2,3,0,244,1,355114080
        flow-without-port.txt | 0,0,3,1000,5,355113636 1,1,2,500,3,355113813 2,3,0,244,1,355114080
        flows.htsim           | 0,0,3,1000,5,0 1,2,1,500,3,1000 2,3,0,244,1,1999
        connections.cm        | 1,0,3,1000,5,0 2,3,0,244,1,999 7,2,1,500,3,1000
        schedule.goal         | 2,1,2,1,1,99 0,0,1,1000,5,1000 1,0,1,500,3,1000
        """)
    void shouldReadTheFlowsOfOtherSimulators(final String name, final String flows) throws URISyntaxException {
        assertEquals(List.of(flows.split(" ")), WorkloadTest.rows(read(example(name), TraceFilter.ALL).flows()));
    }

    @Test
    void shouldCountStartsFromTheFirstFlow() throws IOException, URISyntaxException {
        assertEquals(List.of("0,0,3,1000,5,0", "1,1,2,500,3,177", "2,3,0,244,1,443"),
            WorkloadTest.rows(read(example("flow.txt"), FROM_FIRST).flows()));
        final Path unsorted = file("0 1 9 5;0 1 9 4");
        assertEquals("skerry: trace: " + unsorted + ":2: start '4' lies before that of the first flow, sort the trace "
            + "or leave out --from-first-start", assertThrows(InputException.class, () -> read(unsorted, FROM_FIRST))
            .getMessage());
    }

    /** Times of an exact number of slots start in that slot, which decimal fractions of a second need not. */
    @Test
    void shouldPlaceWholePicosecondsExactly() throws IOException {
        for (final double slotNs : new double[] {5.632, 5.8125, 0.7, 81.92}) {
            final StringBuilder text = new StringBuilder("Nodes 2\nConnections 2000\n");
            for (int slot = 0; slot < 2000; slot++) {
                text.append("0->1 size 1 start ").append(Math.round(slotNs * 1000 * 16) / 16.0 * slot).append('\n');
            }
            final Trace trace = TraceReader.read(file(text.toString()), 2, PAYLOAD_BYTES, slotNs, TraceFilter.ALL);
            for (int slot = 0; slot < 2000; slot++) {
                assertEquals(slot, trace.flows().startSlot(slot), "slot of " + slotNs + " ns");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        0 1 9 0;0 1 9                                       | :2: 4 fields are needed and 3 found, write source
        0 1 9 0;0 1 9 -1                                    | :2: start '-1' is not a time, give ns from 0 up
        0,1,9,0                                             | :1: 5 fields are needed and 4 found, write flow-id
        1;0 1 3 100 9 8 7                                   | :2: 6 fields are needed and 7 found, write source
        1;0 16 3 100 9 0                                    | :2: destination '16' is not a node, give 0 to 15
        5                                                   | : holds no flow, write source destination priority-group
        Nodes 16;Connections 0                              | : holds no flow, write source->destination
        Nodes 17;Connections 1;0->1 start 0 size 9          | :1: the matrix has 17 nodes and the fabric 16, add --nodes
        Nodes x                                             | :1: Nodes needs a whole number, write for example Nodes 16
        Nodes 4;0->1 start 0 size 9                         | :2: a line Connections is missing, write Connections 1
        Nodes 4;Connections 2;0->1 start 0 size 9           | :3: the file says that it has 2 flows and has 1, write
        Nodes 4;Failures 1                                  | :2: failures of htsim's switches are not read, leave them
        Nodes 4;Connections 1;0->1 start 0 size 9 colour 3  | :3: 'colour' is not a keyword of a connection, write
        Nodes 4;Connections 1;0->1 start 0 size 9 start 1   | :3: 'start' is given twice, write
        Nodes 4;Connections 1;0->1 start 0 size             | :3: 'size' has no value, write
        Nodes 4;Connections 1;0->1 start 0                  | :3: a connection needs a size, and a start or a trigger
        Nodes 4;Connections 1;0->1 start 0 size 9 trigger 1 | :3: a connection needs a size, and a start or a trigger
        Nodes 4;Connections 1;0->1 trigger x size 9         | :3: a trigger is a whole number, write for example
        Nodes 4;Connections 1;trigger id 1 barrier          | :3: a trigger needs an id, and oneshot, multishot or
        Nodes 4;trigger id 1 oneshot;trigger id 1 oneshot   | :3: trigger 1 is given twice, leave one out
        Nodes 4;Connections 1;0->1 trigger 1 size 9         | : trigger 1 has no line, add: trigger id 1 oneshot
        Nodes 4;Connections 1;0->1 trigger 1 size 9;trigger id 1 oneshot | : trigger 1 fires after 1 connections, and 0
        Nodes 4;Connections 2;0->1 start 0 size 9 recv_done_trigger 1;1->2 size 9 trigger 1;\
        trigger id 1 barrier count 2 | : trigger 1 fires after 2 connections, and 1 fire it, make it a barrier with
        Nodes 4;Connections 1;0->1 trigger 1 size 9 send_done_trigger 1;trigger id 1 oneshot | : flows wait for each
        Nodes 4;Connections 1;0 1 start 0 size 9            | :3: '0' is not a keyword of a matrix, write
        Nodes 4;Connections 1;0-> start 0 size 9            | :3: destination '' is not a node, give 0 to 15
        Nodes 4;Connections 2;0->1 id 1 start 0 size 9;0->1 id 1 start 0 size 9 | :4: flow id 1 occurs a second time
        num_ranks 17                                        | :1: the schedule has 17 ranks and the fabric 16 nodes, add
        num_ranks -1                                        | :1: num_ranks needs a whole number, write for example
        num_ranks 2;rank 0 {;num_ranks 3                    | :3: num_ranks is given twice, leave one out
        num_ranks 2;rank 2 {                                | :2: no rank of the schedule begins here, write rank 0 { to
        num_ranks 2;rank 1 {;};rank 1 {                     | :4: rank 1 is defined twice, leave one out
        num_ranks 2;rank 1 {;rank 0 {                       | :3: no rank of the schedule begins here, write rank 0 {
        num_ranks 2;calc 9                                  | :2: 'calc' is outside of any rank, write rank 0 {
        num_ranks 2;}                                       | :2: there is no rank to end here, write for example l1:
        num_ranks 2;rank 0 {;send 9b to 1                   | :3: the last rank or comment is not closed, add } or */
        num_ranks 2;/* rank 0 {                             | :2: the last rank or comment is not closed, add } or */
        num_ranks 2;rank 0 {;}                              | : holds no flow, write num_ranks
        num_ranks 2;rank 0 {;send 9b to 1 tag 7;}           | :4: sends and receives from rank 0 to rank 1 with tag 7
        num_ranks 2;rank 0 {;recv 9b from 1;}               | :4: sends and receives from rank 1 to rank 0 with tag 0
        num_ranks 2;rank 0 {;send 9b to 1;};rank 1 {;recv 8b from 0;} | :7: message 1 from rank 0 to rank 1 with tag 0
        num_ranks 2;rank 0 {;recv 9b from -1                | :3: which flow is received from any rank depends on the
        num_ranks 2;rank 0 {;recv 9b from 1 tag -1          | :3: which flow is received with any tag depends on the run
        num_ranks 2;rank 0 {;send 9b to 0                   | :3: '0' is not another rank, give 0 to 1
        num_ranks 2;rank 0 {;send 9 to 1                    | :3: 'send' needs bytes and a rank, write for example
        num_ranks 2;rank 0 {;send xb to 1                   | :3: 'xb' is not a size, write for example 100b
        num_ranks 2;rank 0 {;send 9b to 1 cpu               | :3: 'cpu' is not part of an operation or has no value
        num_ranks 2;rank 0 {;send 9b to 1 cpu x             | :3: 'x' is not a whole number, write for
        num_ranks 2;rank 0 {;calc 9 tag 1                   | :3: 'tag' is not part of an operation or has no value
        num_ranks 2;rank 0 {;calc -9                        | :3: '-9' is not a time, or the computations add up to more
        num_ranks 2;rank 0 {;l1: put 9b to 1                | :3: 'put' is not an operation, write for example
        num_ranks 2;rank 0 {;l1: calc 9;l1: calc 9          | :4: the label 'l1' is used twice, give another one
        num_ranks 2;rank 0 {;l1: calc 9;l1 requires l2      | :4: no operation above has the label 'l2', write for
        num_ranks 2;rank 0 {;l1: calc 9;l1 requires l1;}    | :5: operations of rank 0 require each other, remove one
        num_ranks 2;rank 0 {;l1: send 9b to 1;l2: recv 9b from 1;l1 requires l2;};rank 1 {;l1: send 9b to 0;\
        l2: recv 9b from 0;l1 requires l2;} | : flows wait for each other: flow 1 waits for flow 0 waits for flow 1
        """)
    void shouldSayInALineWhatIsWrong(final String text, final String said) throws IOException {
        final Path file = file(text);
        final String message = assertThrows(InputException.class, () -> read(file, TraceFilter.ALL)).getMessage();
        assertTrue(message.startsWith("skerry: trace: " + file + said) && message.lines().count() == 1, message);
    }

    /** A barrier of two starts the third; a oneshot the fourth and fifth. */
    @Test
    void shouldLetConnectionsWaitForTriggers() throws IOException {
        final FlowSet flows = read(file("""
            Nodes 16
            Connections 5
            Triggers 2
            0->1 id 10 start 0 size 1000 recv_done_trigger 1
            2->1 id 11 start 5000 size 1000 send_done_trigger 1
            1->3 id 12 trigger 1 size 1000 recv_done_trigger 2
            3->4 id 13 trigger 2 size 1000
            3->5 id 14 trigger 2 size 1000
            trigger id 1 barrier count 2
            trigger id 2 oneshot
            """), TraceFilter.ALL).flows();
        final Map<Long, Set<Long>> waiting = new TreeMap<>();
        for (int flow = 0; flow < flows.size(); flow++) {
            waiting.put(flows.id(flow), flows.waits().waitingFor(flow).mapToObj(flows::id).collect(Collectors.toSet()));
        }
        assertEquals(Map.of(10L, Set.of(12L), 11L, Set.of(12L), 12L, Set.of(13L, 14L), 13L, Set.of(), 14L, Set.of()),
            waiting);
    }

    /** One operation after the other: when each begins, by the slots in which flows are complete. */
    @Test
    void shouldStartTheFlowsOfASchedule() throws IOException {
        for (long seed = 0; seed < 100; seed++) {
            final Random random = new Random(seed);
            final List<List<Operation>> ranks = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int step = 0; step < 30; step++) {
                final int from = random.nextInt(3);
                final int to = (from + 1 + random.nextInt(2)) % 3;
                final int tag = random.nextInt(2);
                if (random.nextInt(3) == 0) {
                    add(ranks.get(from), "calc " + 5 * step, step, random);
                } else {
                    add(ranks.get(from), "send 9b to " + to + " tag " + tag, step, random);
                    add(ranks.get(to), "recv 9b from " + from + " tag " + tag, step, random);
                }
            }
            final StringBuilder text = new StringBuilder("num_ranks 3\n");
            final List<Operation> sends = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                text.append("rank ").append(rank).append(" {\n");
                ranks.get(rank).forEach(one -> text.append(one.line));
                text.append("}\n");
                ranks.get(rank).stream().filter(one -> one.line.contains("send")).forEach(sends::add);
            }
            final FlowSet flows = TraceReader.read(file(text.toString()), 3, PAYLOAD_BYTES, 5, TraceFilter.ALL).flows();
            final long[] ends = random.longs(30, 0, 1000).toArray();
            final int[] all = IntStream.range(0, flows.size()).toArray();
            final int notice = 9;
            final FlowSet started = flows.started(all, Arrays.stream(all).mapToLong(flow -> ends[sends.get((int) flows
                .id(flow)).step]).toArray(), notice);
            for (final int flow : all) {
                assertEquals(sends.get((int) flows.id(flow)).begins(ends, notice), started.startSlot(flow),
                    "seed=" + seed + " flow=" + flows.id(flow) + "\n" + text);
            }
        }
    }

    /** An operation that waits for others, or for their beginning; a send and its receive are of one step. */
    private record Operation(String line, int step, List<Operation> awaited, List<Operation> begun) {
        long begins(final long[] ends, final int notice) {
            return Math.max(awaited.stream().mapToLong(one -> one.isOver(ends, notice)).max().orElse(0),
                begun.stream().mapToLong(one -> one.begins(ends, notice)).max().orElse(0));
        }

        long isOver(final long[] ends, final int notice) {
            return line.contains("calc") ? begins(ends, notice) + step : line.contains("send") ? ends[step] + notice
                : Math.max(begins(ends, notice), ends[step] + 1);
        }
    }

    private static void add(final List<Operation> rank, final String what, final int step, final Random random) {
        final Operation one = new Operation("l" + rank.size() + ": " + what + "\n", step, new ArrayList<>(),
            new ArrayList<>());
        String line = one.line;
        for (int left = rank.isEmpty() ? 0 : random.nextInt(3); left > 0; left--) {
            final int before = random.nextInt(rank.size());
            final boolean isBegun = random.nextInt(4) == 0;
            (isBegun ? one.begun : one.awaited).add(rank.get(before));
            line += "l" + rank.size() + (isBegun ? " irequires l" : " requires l") + before + "\n";
        }
        rank.add(new Operation(line, step, one.awaited, one.begun));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        9;0 1 3 100 9 0               | :2: the file says that it has 9 flows and has 1, flows read: 1
        1;0 1 3 100 9 0;0 1 3 100 9 0 | :3: more flows than the first line says, flows read: 1
        """)
    void shouldTakeTheNumberOfFlowsAsHpccDoes(final String text, final String warning) throws IOException {
        final Path file = file(text);
        assertEquals(List.of("trace: " + file + ":1: read as HPCC's flow.txt, starts in seconds", "warning: trace: "
            + file + warning), read(file, TraceFilter.ALL).warnings());
    }

    /** Means in bytes: sizes from a + 1 to b are equally likely, or b is the only one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        hpcc-sizes.txt    |       | 6425.5    | 1 500 1000 4112 5000 20000
        hpcc-sizes.txt    | true  | 10400     | 1000 1000 1000 5000 5000 20000
        pfabric-sizes.txt |       | 3650      | 1460 1460 1460 1460 2920 10220
        homa-sizes.txt    |       | 200050    | 100 100 100 100 400000 400000
        homa-sizes.txt    | false | 100075.25 | 100 100 100 100 80080 400000
        opera-sizes.csv   |       | 4263      | 101 370 640 4000 5200 10000
        opera-sizes.csv   | true  | 7750      | 1000 1000 1000 10000 10000 10000
        """)
    void shouldReadTheSizesOfOtherSimulators(final String name, final Boolean stepped, final double mean,
        final String sizes) throws URISyntaxException {
        final SizeDistribution read = SizeDistribution.read(example(name), stepped);
        assertEquals(mean, read.meanCells(1), 1e-9 * mean);
        assertEquals(List.of(sizes.split(" ")), DoubleStream.of(0, .075, .15, .5, .6, 1).mapToObj(read::bytes)
            .map(String::valueOf).toList());
    }

    /** What is read is run, and printed back with the class of each flow before its start. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        flow.txt       | 0,0,3,1000,5,0,0, 1,1,2,500,3,0,177, 2,3,0,244,1,0,443,  | HPCC's flow.txt, starts in seconds
        flows.htsim    | 0,0,3,1000,5,0,0, 1,2,1,500,3,0,1000, 2,3,0,244,1,0,1999, | opera-sim's flows, starts in ns
        connections.cm | 1,0,3,1000,5,0,0, 2,3,0,244,1,0,999, 7,2,1,500,3,0,1000, | connection matrix, starts in ps
        schedule.goal  | 2,1,2,1,1,0, 0,0,1,1000,5,0,1000, 1,0,1,500,3,0,1000,   | GOAL schedule, times in ns
        """)
    void shouldRunTheFlowsOfOtherSimulators(final String name, final String flows, final String said)
        throws IOException, URISyntaxException {
        final Path out = folder.resolve("out");
        Invocation.ofLine("run --nodes 16 --from-first-start --flows " + example(name) + " --out " + out).ok()
            .says(said);
        final List<String> lines = Files.readAllLines(out.resolve("flows.csv"));
        assertEquals(4, lines.size());
        for (int flow = 0; flow < 3; flow++) {
            assertTrue(lines.get(flow + 1).startsWith(flows.split(" ")[flow]), lines.get(flow + 1));
        }
    }

    @Test
    void shouldWarnOfStartsFarBeyondTheRun() throws URISyntaxException {
        final Path trace = example("flow.txt");
        Invocation.ofLine("run --nodes 16 --flows " + trace).ok().says("warning: trace: " + trace
            + ": the last flow starts at 2.000 s, check the unit of starts; use --from-first-start");
        Invocation.ofLine("run --nodes 16 --slots 300 --from-first-start --flows " + trace).ok().says("warning: trace: "
            + trace + ": 1 of 3 flows start after the end of the run, check the unit of starts");
        assertFalse(Invocation.ofLine("run --nodes 16 --from-first-start --flows " + trace).ok().err()
            .contains("warning"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        file:   | homa-sizes.txt    | bytes, only the sizes listed occur (steps), mean 200,050 bytes
        linear: | homa-sizes.txt    | bytes, uniform between lines (linear), mean 100,075 bytes
        file:   | pfabric-sizes.txt | packets of 1460 bytes, uniform between lines (linear), mean 3,650 bytes
        """)
    void shouldSayHowSizesAreDrawn(final String prefix, final String name, final String said)
        throws URISyntaxException {
        final String workload = prefix + example(name);
        for (final String command : List.of("run --slots 1000", "compare --time-us 20 --fabrics shale")) {
            final Invocation run = Invocation.ofLine(command + " --nodes 16 --load 0.1 --workload " + workload);
            run.says("skerry: " + workload + ": " + said);
            assertTrue(command.startsWith("compare") || run.out().contains(workload + " of " + said.substring(
                said.indexOf("mean ") + 5) + " on average"), run.out());
        }
    }
}
