package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.refuses;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.cosim.CosimCommand.Shrinker;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Errors found before a library is loaded, sequences and their shrinking, and lines of text that describe models;
 * .ci/cosim tests the libraries themselves.
 */
final class CosimCommandTest {
    private static final String[] NAMES = {"a", "b"};
    private static final int ENOUGH = 100_000;

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
        assertTrue(refusal(text.toString()).contains("it is no shared library"));
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
        assertArrayEquals(new long[][] {{1, -2}, {4, 5}}, TestBench.read(file, NAMES).toArray());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a=1|:1", "a=1 c=2|:1", "a=x b=1|:1", "a=1 b=2 c=3|:1", "#|no row"})
    void shouldNameTheLineThatIsNoRow(final String line, final String reason) throws IOException {
        final Path file = Files.writeString(folder.resolve("s.txt"), line + "\n");
        final String message = assertThrows(InputException.class, () -> TestBench.read(file, NAMES)).getMessage();
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
        final List<long[]> shortest = new Shrinker(CosimCommandTest::failsAt, ENOUGH).shrink(rows);
        assertEquals(3, shortest.size(), "seed " + seed);
        assertArrayEquals(new long[] {7, 0}, shortest.get(0));
        assertArrayEquals(new long[] {7, 0}, shortest.get(1));
        assertEquals(3, shortest.get(2)[0]);
        assertTrue(shortest.get(2)[1] >= 100 && shortest.get(2)[1] < 200, "seed " + seed);
    }

    @Test
    void shouldEndWithTheFailingRowAndStopWhenTheReplaysRunOut() {
        final List<long[]> all = new Shrinker(CosimCommandTest::failsAt, ENOUGH).shrink(noise(9, 500));
        assertEquals(all.size() - 1, failsAt(all));
        final AtomicInteger replays = new AtomicInteger();
        final List<long[]> shortest = new Shrinker(rows -> {
            replays.incrementAndGet();
            return failsAt(rows);
        }, 5).shrink(noise(1, 1000));
        assertEquals(5, replays.get());
        assertEquals(shortest.size() - 1, failsAt(shortest));
    }

    @Test
    void shouldSayWhenTheFailureDoesNotComeAgain() {
        final List<long[]> rows = noise(1, 10);
        assertThrows(IllegalStateException.class, () -> new Shrinker(each -> -1, ENOUGH).shrink(rows));
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
        shoal-follower node=1 nodes=8 channels=1 failures=1 | that guards against failures cannot be followed
        shale-node node=1 nodes=16 faults=/no/such/file | /no/such/file
        shale-node nodes=16 order=sideways | order
        shale-node nodes=16 order=receive-first | propagation must be a number
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
        """)
    void shouldRefuseWithAReason(final String line, final String reason) {
        refuses(reason, () -> twin(line));
    }
}
