package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.refuses;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.command.Invocation;
import dev.skerry.tools.cosim.CosimCommand.Failure;
import dev.skerry.tools.cosim.CosimCommand.Shrinker;
import dev.skerry.tools.cosim.CosimCommand.Step;
import dev.skerry.tools.cosim.CosimCommand.TestBench;
import dev.skerry.tools.cosim.Stimulus.Weights;
import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/**
 * Errors found before a library is loaded, sequences and their shrinking, and lines of text that describe models;
 * .ci/cosim tests the libraries themselves.
 */
final class CosimCommandTest {
    private static final String[] NAMES = {"a", "b"};
    private static final IntPredicate ALWAYS = left -> true;
    private static final String PIEO = "pieo capacity=16 idBits=5";

    @TempDir
    private Path folder;

    private static String refusal(final String... arguments) {
        final CosimCommand command = new CosimCommand();
        new CommandLine(command).parseArgs(arguments);
        return assertThrows(InputException.class, command::call).getMessage();
    }

    @Test
    void shouldRefuseWhatIsNoLibraryOrNoModel() throws IOException {
        final Path text = Files.writeString(folder.resolve("text.so"), "no library");
        assertTrue(refusal(folder.resolve("absent.so").toString()).startsWith("skerry: model: "));
        assertTrue(refusal(folder.toString()).contains("no such file"));
        assertTrue(refusal(text.toString()).contains("it is not a shared library"));
        // A library that every JDK has.
        final Path library = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("java"));
        assertTrue(refusal(library.toString()).contains("no function skerry_model_version"));
    }

    @Test
    void shouldRefuseOptionsOutOfRange() {
        assertTrue(refusal("x.so", "--operations", "0").startsWith("skerry: --operations: 0: "));
        assertTrue(refusal("x.so", "--length", "100001").startsWith("skerry: --length: "));
        assertTrue(refusal("x.so", "--out", folder.toString()).contains("already exists"));
    }

    @Test
    void shouldWriteABindFile() {
        final Invocation sva = Invocation.of("sva", "shale-follower node=5 nodes=9 h=2 firstHopTokens=2 propagation=3 "
            + "owedLatency=2 sprayTies=lowest", "--bind", "my_nic", "--connect", "sent_valid=tx_valid && tx_ready",
            "--connect", "NODE=ID").ok();
        final String text = sva.out().replaceAll("\\s+", " ");
        assertTrue(text.endsWith("bind my_nic skerry_shale_laws #( .RADIX(3), .PHASES(2), .NODE(ID), .TOKENS(1), "
            + ".FIRST_HOP_TOKENS(2), .PROPAGATION(3), .RECEIVE_FIRST(1'b0), .TOKENS_A_SLOT(2), .OWED_LATENCY(2), "
            + ".SCAN_DEPTH(2147483647), .SHORTEST(1'b1), .LOWEST(1'b1), .CELLS(108), .OWED(27) ) laws ( "
            + ".sent_valid(tx_valid && tx_ready), .* ); "), sva.out());
    }

    @ParameterizedTest
    @CsvSource({"shale-node nodes=9,are for a shale-follower", "shale-follower nodes=9 tokenDelay=1,setting tokenDelay",
        "shale-follower nodes=9 owedFifo=8 full=drop,setting owedFifo", "shale-follower nodes=10 h=2,as many nodes as",
        "shale-follower nodes=9 cc=hbh+spray+priority,order of arrival", "shale-follower nodes=9 node=9,no such node",
        "shale-follower nodes=4 h=1,from h=2 on"})
    void shouldRefuseAssertionsOfOtherDevices(final String description, final String why) {
        Invocation.of("sva", description, "--bind", "my_nic").refused("skerry: description: " + description, why);
    }

    @Test
    void shouldRefuseWeightsOfNothing() {
        assertThrows(InputException.class, () -> new Weights("a=1", "b=2").with(Map.of("c", 1)));
        assertThrows(InputException.class, () -> new Weights("a=1", "b=2").with(Map.of("a", -1)));
        assertThrows(InputException.class, () -> new Weights("a=1", "b=2").with(Map.of("a", 0, "b", 0)));
        final Weights weights = new Weights("a=1", "b=2").with(Map.of("a", 0));
        for (int i = 0; i < 100; i++) {
            assertEquals("b", weights.draw(new SplittableRandom(i)));
        }
    }

    @Test
    void shouldReadASequenceBack() throws IOException {
        final Path file = Files.writeString(folder.resolve("s.txt"), "a=1 b=-2  # c=3\n\n# nothing\n a=4 b=5\n");
        assertArrayEquals(new long[][] {{1, -2}, {4, 5}}, TestBench.read(file, NAMES, "pieo").toArray());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a=1|:1", "a=1 c=2|:1", "a=x b=1|:1", "a=1 b=2 c=3|:1", "#|no row",
        "# skerry cosim sequence 2|does not have version 1", "# model: pieo-2 a=1|not for a pieo"})
    void shouldNameTheLineThatIsNoRow(final String line, final String reason) throws IOException {
        final Path file = Files.writeString(folder.resolve("s.txt"), line + "\n");
        final String message = assertThrows(InputException.class, () -> TestBench.read(file, NAMES, "pieo"))
            .getMessage();
        assertTrue(message.contains(reason), message);
    }

    private static List<long[]> noise(final long seed, final int rows) {
        final SplittableRandom random = new SplittableRandom(seed);
        final List<long[]> noise = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            noise.add(new long[] {random.nextInt(10), random.nextLong(1000)});
        }
        return noise;
    }

    /** Fails at the row that completes 7, then 7, then a row with 3 and at least 100, with any rows between. */
    private static int failsAt(final List<long[]> rows) {
        int sevens = 0;
        for (int i = 0; i < rows.size(); i++) {
            final long[] row = rows.get(i);
            if (sevens == 2 && row[0] == 3 && row[1] >= 100) {
                return i;
            }
            sevens += row[0] == 7 && sevens < 2 ? 1 : 0;
        }
        return -1;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldLeaveTheRowsThatMatterWithTheirSmallestWords(final long seed) {
        final List<long[]> rows = noise(seed, 1000);
        assertTrue(failsAt(rows) > 3, "seed " + seed);
        final List<long[]> shortest = new Shrinker(CosimCommandTest::failsAt, ALWAYS).shrink(rows);
        assertEquals(3, shortest.size(), "seed " + seed);
        assertArrayEquals(new long[] {7, 0}, shortest.get(0));
        assertArrayEquals(new long[] {7, 0}, shortest.get(1));
        assertEquals(3, shortest.get(2)[0]);
        assertTrue(shortest.get(2)[1] >= 100 && shortest.get(2)[1] < 200, "seed " + seed);
    }

    @Test
    void shouldEndWithTheFailingRowAndStopWhenTheReplaysRunOut() {
        final List<long[]> all = new Shrinker(CosimCommandTest::failsAt, ALWAYS).shrink(noise(9, 500));
        assertEquals(all.size() - 1, failsAt(all));
        final AtomicInteger replays = new AtomicInteger();
        final List<long[]> shortest = new Shrinker(rows -> {
            replays.incrementAndGet();
            return failsAt(rows);
        }, left -> replays.get() < 5).shrink(noise(1, 1000));
        assertEquals(5, replays.get());
        assertEquals(shortest.size() - 1, failsAt(shortest));
    }

    @Test
    void shouldLeaveASequenceThatDoesNotFailAgain() {
        final List<long[]> rows = noise(1, 10);
        assertSame(rows, new Shrinker(each -> -1, ALWAYS).shrink(rows));
    }

    /** A device like the model that fails at a step after reset. */
    private static TestBench bench(final String fault, final int at) {
        final TestBench bench = new TestBench(Description.of(PIEO), Map.of(), names -> DeviceHost.onThread(() ->
            new DeviceHost.Device() {
                private Twin twin;
                private int step;

                @Override
                public void reset() {
                    twin = twin(PIEO);
                    step = 0;
                }

                @Override
                public void step(final MemorySegment in, final MemorySegment out) {
                    twin.step(in, 0, out, 0);
                    if (step++ == at) {
                        switch (fault) {
                            case "throws" -> throw new IllegalStateException("planted");
                            case "hangs" -> LockSupport.parkNanos(Long.MAX_VALUE);
                            default -> Twin.Words.set(out, 0, 7, -9);
                        }
                    }
                }

                @Override
                public void close() {
                    step = 0;
                }
            }, names));
        bench.host.patience(0.5);
        return bench;
    }

    @ParameterizedTest
    @CsvSource({"differs, 0, differs", "differs, 1024, differs", "throws, 1500, device ended",
        "hangs, 1030, device gave no answer within 0.5 s"})
    void shouldFindTheRowAtWhichADeviceFails(final String fault, final int at, final String name) {
        try (TestBench bench = bench(fault, at)) {
            final List<long[]> rows = new ArrayList<>();
            final Failure failure = bench.explore(new SplittableRandom(1), rows, 5000);
            assertTrue(failure.name().startsWith(name), failure.name());
            assertEquals(at + 1, rows.size());
            final List<Step> steps = new ArrayList<>();
            assertEquals(at, bench.replay(rows, steps::add).at());
            assertTrue(bench.text(steps, failure).lines().toList().get(at).contains("  # DIFFERS "));
            assertNull(bench.replay(rows.subList(0, at), step -> { }));
        }
    }

    @Test
    void shouldCompareOnlyTheWordsNamed() {
        try (TestBench bench = bench("differs", 10)) {
            final String message = assertThrows(InputException.class, () -> bench.compare(List.of("id", "colour")))
                .getMessage();
            assertTrue(message.contains("colour") && message.contains("code, id, rank, time, enqueuedIn"), message);
            assertThrows(InputException.class, () -> bench.compare(List.of()));
            bench.compare(List.of("code", "id", "rank", "time"));
            assertNull(bench.explore(new SplittableRandom(1), new ArrayList<>(), 3000));
        }
    }

    /** Some sequences are longer than a counter of 15 bits, or with the usual number of operations of 16. */
    @ParameterizedTest
    @CsvSource({"200000, 32768", "1000000, 65536"})
    void shouldMixLongSequencesWithShortOnes(final int operations, final int counter) {
        int longest = 0;
        int left = operations;
        for (int sequence = 1; left > 0; sequence++) {
            longest = Math.max(longest, Math.min(left, CosimCommand.usualLength(sequence)));
            left -= CosimCommand.usualLength(sequence);
        }
        assertTrue(longest > counter, "longest=" + longest);
        assertEquals(CosimCommand.usualLength(1), CosimCommand.usualLength(2));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pieo|5|8",
        "pieo capacity=16 idBits=5 rankBits=8 timeBits=8|5|8",
        "switch ports=2 rows=1,0/-1,1|6|11",
        "shoal|15|15",
        "shoal nodes=64 classes=3|15|15",
        "shale|9|9",
        "shale layout=L16 nodes=4096 phases=6 failures=1|9|9",
        "header file=shale-prototype|16|17",
        "header file=shoal payload=56|17|11"
    })
    void shouldMakeTheModelDescribed(final String line, final int inputs, final int outputs) {
        final Twin twin = twin(line);
        assertEquals(inputs, twin.names().inputs().length);
        assertEquals(outputs, twin.names().outputs().length);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        fifo | no such model: fifo
        pieo 64 | not name=value: 64
        pieo capacity=x | capacity=x
        pieo capacity=0 | capacity=0
        pieo colour=1 | a pieo has no colour
        pieo ties=random | ties=random
        switch ports=2 | rows
        switch ports=2 rows=0,0 | not a partial permutation
        switch ports=2 rows=0 | ports=2
        shoal nodes=2000 | nodes=2000
        shale layout=L13 | layout=L13
        shale layout=L12 failures=1 | failure tokens
        header | file=
        header file=/nowhere | /nowhere
        header file=L12 payload=x | payload=x
        header file=L12 payload=-1 | payload=-1
        shale-node node=16 nodes=16 | node=16
        shale-node colour=1 | no colour
        shale-node threads=2 | no threads
        shale-node nodes=x | nodes
        shale-node nodes=16 channels=2 | --channels
        shoal-node nodes=8 h=2 | --h
        shoal-node nodes=8 probes=no_such | no_such
        stardust-node | no such model
        stardust-device device=99 nodes=6 topology=single | no such device: device=99
        stardust-device device=0 nodes=6 topology=single messages=0 | messages=0
        stardust-device device=0 nodes=6 topology=single probes=link9_cells | name=link9_cells
        stardust-device device=0 nodes=6 topology=single threads=2 | a device of stardust has no threads
        stardust-device device=0 nodes=6 topology=single hosts=tcp | not TCP
        stardust-device device=0 nodes=6 topology=ring | --topology
        stardust-follower device=99 nodes=6 topology=single | no such device: device=99
        stardust-follower device=0 nodes=6 topology=single reachability=learnt | without faults
        shoal-follower node=1 nodes=8 channels=1 failures=1 mayBeSilent=1 | without latencies
        shale-node node=1 nodes=16 faults=/no/such/file | /no/such/file
        shale-node nodes=16 order=sideways | order
        shale-node nodes=16 order=receive-first | needs propagation=
        shale-node nodes=16 order=receive-first propagation=0 | propagation
        shale-node nodes=16 tokenDelay=-1 | tokenDelay
        shoal-node nodes=8 tokenDelay=2 | tokenDelay
        shoal-node nodes=8 failures=1 start=2 | has no registers
        shale-node nodes=16 pairs=0>16 | pairs
        shale-node nodes=16 pairs=0 | pairs
        shale-node nodes=16 pairs=3>3 | pairs
        shale-node nodes=16 offers=0 | offers
        shale-node nodes=16 offers=x | offers
        shale-node nodes=16 probes=queue0_tokens_d16n0 | no such signal
        shale-node nodes=9 tokensASlot=3 | tokensASlot
        shale-node nodes=9 owedFifo=0 | owedFifo
        shale-node nodes=9 owedFifo=2 full=count | full
        shale-node nodes=9 full=drop | full
        shoal-node nodes=8 tokensASlot=1 | tokensASlot
        shale-node nodes=9 registerBits=33 | registerBits
        shale-follower nodes=9 order=last | order
        shale-follower nodes=9 owedFifo=2 full=burn | full
        shale-follower nodes=9 queueCells=2 full=stall | full
        shale-node nodes=9 owedFifo=2 queueCells=2 full=stall | full
        shale-follower nodes=9 queueCells=x | queueCells
        shale-follower cc=hbh+priority | the ranks of priority
        shale-follower limit=0 | limit
        shale-follower colour=red | colour
        shale-follower node=9 nodes=9 workload=permutation | node=9
        shoal-follower node=0 nodes=3 channels=2 queueCells=5 | no limits of hardware
        stimulus | no such model
        stimulus shale-follower nodes=9 | needs a device
        stimulus stimulus pieo | not name=value
        stimulus pieo weights=colour:1 | no such choice
        stimulus pieo weights=enqueue | weights must be a number
        """)
    void shouldRefuseWithAReason(final String line, final String reason) {
        refuses(reason, () -> twin(line));
    }
}
