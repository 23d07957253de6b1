package dev.skerry.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.tools.trace.VectorFiles.CsvWriter;
import dev.skerry.tools.trace.VectorFiles.HexWriter;
import dev.skerry.tools.trace.VectorFiles.VcdWriter;
import dev.skerry.tools.trace.VectorSource.Scope;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Compares the output of the writers character by character, or with big integers. */
final class WritersTest {
    private static final long SEED = 9;
    private static final Scope SMALL = new Scope("unit", List.of(new Signal("flag", 1), new Signal("count", 3)));

    @Test
    void shouldDumpEveryValueOnceAndThenChanges() throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (VcdWriter vcd = new VcdWriter(bytes, List.of(SMALL, new Scope("other", List.of(new Signal("none", 64)))),
            10, null)) {
            vcd.time(4);
            vcd.vector(0, new long[] {0, 0});
            vcd.vector(1, new long[] {-1});
            vcd.time(5);
            vcd.vector(0, new long[] {0, 8});
            vcd.vector(1, new long[] {-1});
            vcd.time(6);
            vcd.vector(0, new long[] {1, 13});
            vcd.vector(1, new long[] {0});
            assertThrows(IllegalArgumentException.class, () -> vcd.time(6));
            assertEquals(6, vcd.changes());
        }
        assertEquals("""
            $version skerry trace 1 $end
            $timescale 1 ps $end
            $scope module unit $end
            $var wire 1 ! flag $end
            $var wire 3 " count [2:0] $end
            $upscope $end
            $scope module other $end
            $var wire 64 # none [63:0] $end
            $upscope $end
            $enddefinitions $end
            #40
            $dumpvars
            0!
            b0 "
            b%s #
            $end
            #60
            1!
            b101 "
            b0 #
            #70
            """.formatted("1".repeat(64)), bytes.toString(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldGiveEachOfManySignalsItsOwnCode() throws IOException {
        final List<Signal> signals = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            signals.add(new Signal("s" + i, 2));
        }
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (VcdWriter vcd = new VcdWriter(bytes, List.of(new Scope("many", signals)), 1, null)) {
            vcd.time(0);
        }
        final long codes = bytes.toString(StandardCharsets.US_ASCII).lines().filter(line -> line.startsWith("$var"))
            .map(line -> line.split(" ")[3]).distinct().count();
        assertEquals(20_000, codes);
    }

    @Test
    void shouldPackVectorsAsBigIntegersDo() throws IOException {
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 500; round++) {
            final List<Signal> signals = new ArrayList<>();
            final long[] values = new long[1 + random.nextInt(12)];
            BigInteger expected = BigInteger.ZERO;
            for (int i = 0; i < values.length; i++) {
                final int bits = random.nextInt(3) == 0 ? 64 : 1 + random.nextInt(64);
                signals.add(new Signal("s" + i, bits));
                values[i] = random.nextInt(3) == 0 ? -1 : random.nextLong();
                expected = expected.shiftLeft(bits).or(new BigInteger(1, toBytes(values[i] & Scope.mask(bits))));
            }
            final Scope scope = new Scope("packed", signals);
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (HexWriter hex = new HexWriter(bytes, scope)) {
                hex.vector(0, values);
            }
            final String[] lines = bytes.toString(StandardCharsets.US_ASCII).split("\n");
            assertEquals("// vectors of packed_pkg::vector_t", lines[0]);
            assertEquals((scope.bits() + 3) / 4, lines[1].length(), "seed=" + SEED + " round=" + round);
            assertEquals(expected, new BigInteger(lines[1], 16), "seed=" + SEED + " round=" + round);
        }
    }

    private static byte[] toBytes(final long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    @Test
    void shouldWriteUnsignedNumbersAndDescribeVectors() throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final Scope wide = new Scope("wide", List.of(new Signal("all", 64), new Signal("few", 3)));
        try (CsvWriter csv = new CsvWriter(bytes, wide, "slot")) {
            csv.vector(7, new long[] {-1, -1});
            csv.vector(10, new long[] {Long.MAX_VALUE, 9});
            csv.vector(1_000_000, new long[] {Long.MIN_VALUE, 0});
        }
        assertEquals("slot,all,few\n7,18446744073709551615,7\n10,9223372036854775807,1\n"
            + "1000000,9223372036854775808,0\n", bytes.toString(StandardCharsets.US_ASCII));
        final String text = HexWriter.sv(wide, 3, 7, "slot", null);
        assertTrue(text.contains("  typedef struct packed {\n    logic [63:0] all;\n    logic [2:0] few;\n"
            + "  } vector_t;"), text);
        assertTrue(text.contains("localparam int BITS = 67;"), text);
    }

    @Test
    void shouldRefuseWhatIsNoScope() {
        assertThrows(IllegalArgumentException.class, () -> new Scope("two words", SMALL.signals()));
        assertThrows(IllegalArgumentException.class, () -> new Scope("empty", List.of()));
        assertThrows(IllegalArgumentException.class, () -> new Scope("wide", List.of(new Signal("x", 65))));
        assertThrows(IllegalArgumentException.class,
            () -> new Scope("twice", List.of(new Signal("x", 1), new Signal("x", 2))));
    }
}
