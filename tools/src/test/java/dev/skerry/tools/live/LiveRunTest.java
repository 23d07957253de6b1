package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.live.LiveCommand.ClassOptions;
import dev.skerry.tools.live.LiveRun.Drain;
import dev.skerry.tools.live.LiveRun.SlotRateMonitor;
import dev.skerry.tools.live.PortSlot.PacketTap;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.LatencyBuckets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Parts of a run of {@code live}: when it gives up to drain, what it says of slots, its buckets, classes and unit. */
final class LiveRunTest {
    private static final int ROUNDS = Drain.MOST_ROUNDS;
    private static final long SECOND_NS = 1_000_000_000;

    private final Drain drain = new Drain();
    private long looks = 7;
    private final StringWriter out = new StringWriter();
    private final SlotRateMonitor status = new SlotRateMonitor(new PrintWriter(out), 0);
    private long nowNs;
    private long slots;
    private long cells;
    private long idleNs;

    /** Looks a number of times, each after every bank has looked. Returns the last result. */
    private boolean look(final int times, final long arrived, final long slot, final boolean atRest) {
        boolean givenUp = false;
        for (int i = 0; i < times; i++) {
            givenUp = drain.isGivenUp(arrived, looks++, slot, atRest);
        }
        return givenUp;
    }

    /** What a filter leaves out is counted and not received; a tap has a filter of its own. */
    @Test
    void shouldLeaveOutWhatAFilterDoesNotMatch() {
        final PortChoice choice = PortChoice.parse("0=tap:x,filter=udp and (src port 3 or src port 7)", 4);
        try (Arena arena = Arena.ofConfined(); GeneratorPort port = GeneratorPort.open(GeneratorSettings.parse(
                "gen:100B,max,sport=1-10,count=40", 0))) {
            final PortSlot slot = new PortSlot(choice, port);
            final PacketTap tap = new PacketTap(new Order.Tap(choice.place(), true, true, 1, 100, 60,
                "src port 7"), slot, () -> { });
            assertTrue(slot.begin(tap));
            final PacketBurst burst = new PacketBurst(arena, 16, 128);
            int took = 0;
            while (!port.isExhausted()) {
                took += slot.rxBurst(burst);
            }
            assertEquals(8, took);
            assertEquals("3 7 3 7 3 7 3 7", IntStream.range(0, burst.size()).mapToObj(packet -> "" + burst.bytes()
                .get(ValueLayout.JAVA_BYTE, burst.offset(packet) + 35)).collect(Collectors.joining(" ")));
            assertEquals(8, slot.counts().get(PortCounter.RX_PACKETS));
            assertEquals(800, slot.counts().get(PortCounter.RX_BYTES));
            assertEquals(32, slot.counts().get(PortCounter.RX_FILTERED));
            final ByteBuffer capture = ByteBuffer.allocate(4_096);
            tap.fill(capture);
            assertEquals(24 + 4 * (16 + 60), capture.position());
            tap.close();
        } catch (final InputException e) {
            assumeTrue(false, e.getMessage());
        }
    }

    @Test
    void shouldGiveUpWhereNothingMovesAnyMoreAndBeginAnewWithEveryArrival() {
        assertFalse(look(ROUNDS, 3, 100, true));
        assertFalse(look(ROUNDS, 4, 100, true));
        assertTrue(look(1, 4, 100, true));
    }

    /** A bank that is not scheduled does not look, however often the owner does. */
    @Test
    void shouldWaitForBanksThatDoNotRun() {
        for (int i = 0; i < 100 * ROUNDS; i++) {
            assertFalse(drain.isGivenUp(3, looks, 100, true), "given up at look " + i);
        }
    }

    /** Banks look, but the slots that cells in flight need have not run: switches wait for a processor. */
    @Test
    void shouldWaitForTheSlotsOfWhatIsUnderWay() {
        assertFalse(look(100 * ROUNDS, 3, 100, false));
        assertFalse(look(ROUNDS, 3, 99 + Drain.MOST_SLOTS, false));
        assertTrue(look(1, 3, 100 + Drain.MOST_SLOTS, false));
        // Slots count from the last arrival.
        assertFalse(look(ROUNDS, 4, Drain.MOST_SLOTS, false));
        assertFalse(look(ROUNDS, 4, 2 * Drain.MOST_SLOTS - 1, false));
        assertTrue(look(1, 4, 2 * Drain.MOST_SLOTS, false));
    }

    /** A slow port takes some packets now and then, while the slots of a fabric that never rests pass. */
    @Test
    void shouldNotCountSlotsInWhichAPortHasYetToTakePackets() {
        final long far = 100L * Drain.MOST_SLOTS;
        assertFalse(look(1, 3, 100, false));
        assertFalse(look(1, 3, far, true));
        assertFalse(look(1, 3, far + Drain.MOST_SLOTS - 1, false));
        assertTrue(look(1, 3, far + Drain.MOST_SLOTS, false));
        assertTrue(look(ROUNDS, 3, far, true));
    }

    /** Some seconds at a rate, with a share of rest. */
    private void pass(final int seconds, final long slotsPerSecond, final long cellsPerSecond, final double rest) {
        for (int step = 0; step < seconds * 100; step++) {
            nowNs += SECOND_NS / 100;
            slots += (long) (slotsPerSecond * (1 - rest) / 100);
            cells += (long) (cellsPerSecond * (1 - rest) / 100);
            idleNs += (long) (SECOND_NS / 100 * rest);
            status.tell(nowNs, slots, cells, idleNs);
        }
    }

    private List<String> lines() {
        return out.toString().lines().toList();
    }

    @Test
    void shouldSayOnceThatSlotsAreFarFewerThanAtTheStart() {
        pass(10, 700_000, 900_000, 0);
        assertEquals(List.of(), lines());
        pass(20, 60_000, 80_000, 0);
        assertEquals(1, lines().size(), out::toString);
        assertTrue(lines().get(0).matches("skerry: live: slots: 60,000 per second now, 700,000 at the start: .*, .*"),
            out::toString);
    }

    @Test
    void shouldSayItAgainAfterItWasWell() {
        pass(10, 700_000, 900_000, 0.5);
        pass(10, 60_000, 80_000, 0);
        pass(2, 700_000, 900_000, 0);
        pass(10, 60_000, 80_000, 0);
        assertEquals(1, lines().size(), "two good seconds are not reported");
        pass(10, 700_000, 900_000, 0);
        pass(10, 60_000, 80_000, 0);
        assertEquals(2, lines().size(), out::toString);
    }

    /** Full slots take longer than empty ones; a fabric at rest has no slots; one bad second is none. */
    @Test
    void shouldNotMistakeWorkOrRestForSlowness() {
        pass(6, 2_700_000, 30_000, 0.8);
        pass(10, 320_000, 1_290_000, 0);
        pass(10, 320_000, 1_290_000, 0.99);
        pass(10, 0, 0, 1);
        pass(2, 60_000, 80_000, 0);
        pass(10, 2_700_000, 30_000, 0.8);
        assertEquals(List.of(), lines());
    }

    /** The bounds of buckets are bounds of steps, so folding loses nothing. */
    @Test
    void shouldFoldEveryDurationIntoItsBucketExactly() {
        final SplittableRandom random = new SplittableRandom(5);
        final NanoHistogram counted = new NanoHistogram();
        final NanoHistogram before = new NanoHistogram();
        final LatencyBuckets folded = new LatencyBuckets();
        final long[] expected = new long[LatencyBuckets.BUCKETS];
        double sum = 0;
        for (int i = 0; i < 20_000; i++) {
            final int bits = random.nextInt(1, 40);
            final long edge = 1L << bits;
            final long ns = i % 3 == 0 ? edge - 1 : i % 3 == 1 ? edge : random.nextLong(edge);
            counted.record(ns);
            sum += ns;
            int bucket = 0;
            while (bucket < LatencyBuckets.BUCKETS - 1 && ns > Long.parseLong(LatencyBuckets.end(bucket))) {
                bucket++;
            }
            expected[bucket]++;
            if (i % 1_000 == 0) {
                counted.since(before).forEach(folded::add);
            }
        }
        counted.since(before).forEach(folded::add);
        for (int bucket = 0; bucket < LatencyBuckets.BUCKETS; bucket++) {
            assertEquals(expected[bucket], folded.count(bucket), "bucket up to " + LatencyBuckets.end(bucket));
        }
        assertEquals(1, folded.sumNs() / sum, 0.002);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--class-of=pcp | 33221100",
        "--class-of=PCP --class-map=6-7:0,4-5:1,2-3:2,0-1:3 | 33221100",
        "--class-of=pcp --class-map=5:0,6-7:1 | 11111011",
        "--class-of=pcp --class-map=7:2,0:0,1:1 | 01222222",
        "--class-of=dscp --class-map=46:0,32-45:1 | 1111111111111111111111111111111111111111111111011111111111111111",
        "--class-of=dscp | 3333333333333333222222222222222211111111111111110000000000000000",
    })
    void shouldPutEachValueIntoItsClass(final String typed, final String classes) {
        final ClassOptions options = new ClassOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("classes",
            CommandLine.Model.CommandSpec.forAnnotatedObject(options))).parseArgs(typed.split(" "));
        final PacketClasses of = options.classes();
        assertEquals(classes, IntStream.range(0, classes.length())
            .mapToObj(value -> Integer.toString(of.of(MemorySegment.ofArray(frame(classes.length(), value)), 0, 60)))
            .collect(Collectors.joining()));
        assertEquals(Arrays.stream(classes.split("")).mapToInt(Integer::parseInt).max().orElseThrow() + 1, of.count());
    }

    /** A frame with a priority in its tag, of 8 values, or a DSCP in its IPv4 header, of 64. */
    private static byte[] frame(final int values, final int value) {
        final byte[] frame = new byte[60];
        frame[12] = (byte) (values == 8 ? 0x81 : 0x08);
        frame[14] = (byte) (values == 8 ? value << 5 : 0x45);
        frame[15] = (byte) (value << 2);
        return frame;
    }

    /** The unit for systemd that is shipped. */
    @Test
    void shouldBeUnderstoodBySystemd(@TempDir final Path folder) throws Exception {
        final Path program = Path.of("/usr/bin/systemd-analyze");
        assumeTrue(Files.isExecutable(program), "there is no systemd-analyze");
        final String unit = Files.readString(Path.of("../docs/skerry-live.service"));
        assertEquals("", verify(program, folder, unit));
        assertTrue(verify(program, folder, unit.replace("ProtectSystem=strict", "ProtectSystem=perhaps"))
            .contains("Failed to parse"), "a mistake is found");
    }

    /** What it says of a unit whose program and user are there. */
    private static String verify(final Path program, final Path folder, final String unit) throws Exception {
        final Path file = Files.writeString(folder.resolve("skerry-live.service"),
            unit.replace("/opt/skerry/skerry", "/bin/true").replace("User=skerry", "User=root"));
        final Process process = new ProcessBuilder(program.toString(), "verify", "--man=no", "--recursive-errors=no",
            file.toString()).redirectErrorStream(true).start();
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return String.join("\n", said.lines().filter(line -> line.contains("skerry-live")).toList());
    }
}
