package dev.skerry.bench.codec;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.codec.CellFormat;
import dev.skerry.codec.Crc8;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.memory.Slab;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The time to write the header of a cell with its check, to validate it, and to read every field. Shale's check covers
 * the header, Shoal's the whole cell of 64 bytes. The time is per cell. The baselines compute only the check of the
 * same bytes. Every field read is compared with the one written.
 */
@Compare(question = "a header written with its check, validated and read", unit = "header",
    ours = "encodeDecode", baselines = {"crcTable", "crc"})
public class HeaderBenchmark extends PerOperation {
    private static final int BATCH = 256;
    private static final int NODES = 1024;

    /** The header: 12 bytes of Shale, 8 bytes of Shoal. */
    @Param({"shale", "shoal"})
    public String cell;

    private Arena arena;
    private MemorySegment cells;
    private long stride;
    private ShaleHeader shale;
    private ShoalHeader shoal;
    private int round;

    /** Creates cells with a payload, one after the other as in a slab. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofShared();
        final CellFormat format = cell.equals("shale") ? CellFormat.SHALE : CellFormat.SHOAL;
        final Slab slab = new Slab(arena, BATCH, format.cellBytes());
        cells = slab.segment();
        stride = slab.offset(1);
        for (long at = 0; at < cells.byteSize(); at++) {
            cells.set(ValueLayout.JAVA_BYTE, at, (byte) (at * 7));
        }
        shale = cell.equals("shale") ? ShaleHeader.forFabric(NODES, 2, false) : null;
        shoal = cell.equals("shoal") ? new ShoalHeader(NODES, 1, CellFormat.SHOAL) : null;
        encodeDecode();
    }

    @TearDown(Level.Trial)
    public void close() {
        arena.close();
    }

    /** Our codec, cell by cell. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long encodeDecode() {
        round++;
        final long wrong = shale != null ? shale() : shoal();
        if (wrong != 0) {
            throw new IllegalStateException("read something else than was written");
        }
        return wrong;
    }

    private long shale() {
        final ShaleHeader header = shale;
        long wrong = 0;
        for (int i = 0; i < BATCH; i++) {
            final long at = (long) i * stride;
            final int source = i + round & NODES - 1;
            final int destination = source ^ 1 + i;
            final int sequence = round & 15;
            header.encode(cells, at, source, destination, i & 1, sequence, ShaleToken.NONE, ShaleToken.NONE);
            wrong |= header.check(cells, at) == HeaderFault.NONE ? 0 : 1;
            final long head = header.head(cells, at);
            final long tail = header.tail(cells, at);
            wrong |= header.source(head) ^ source | header.destination(head) ^ destination
                | header.sprays(head) ^ i & 1 | header.sequence(head, tail) ^ sequence
                | header.token1(tail) ^ ShaleToken.NONE | header.token2(tail) ^ ShaleToken.NONE;
        }
        return wrong;
    }

    private long shoal() {
        final ShoalHeader header = shoal;
        long wrong = 0;
        for (int i = 0; i < BATCH; i++) {
            final long at = (long) i * stride;
            final int source = i + round & NODES - 1;
            final int destination = source ^ 1 + i;
            final int feedback = i + round & 1023;
            header.encode(cells, at, source, destination, 0, round, feedback, ShoalHeader.SOP);
            wrong |= header.check(cells, at) == HeaderFault.NONE ? 0 : 1;
            final long read = ShoalHeader.read(cells, at);
            wrong |= ShoalHeader.source(read) ^ source | ShoalHeader.destination(read) ^ destination
                | header.feedback(read) ^ feedback | ShoalHeader.flags(read) ^ ShoalHeader.SOP
                | header.sequence(read) ^ round & (1 << header.sequenceBits()) - 1;
        }
        return wrong;
    }

    /** Baseline: the check alone, as the codec computes it. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long crc() {
        long sum = 0;
        for (int i = 0; i < BATCH; i++) {
            final long at = (long) i * stride;
            final long head = cells.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            sum += shale != null ? Crc8.SHALE.ofFirst88((int) head, cells.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 4))
                : Crc8.SHOAL.ofCell(head, cells, at, CellFormat.SHOAL.cellBytes());
        }
        return sum;
    }

    /** Baseline: the check alone, with one table lookup per byte. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long crcTable() {
        final Crc8 crc = shale != null ? Crc8.SHALE : Crc8.SHOAL;
        final long bytes = shale != null ? shale.layout().headerBytes() - 1 : CellFormat.SHOAL.cellBytes() - 1;
        long sum = 0;
        for (int i = 0; i < BATCH; i++) {
            sum += crc.of(cells, (long) i * stride, bytes);
        }
        return sum;
    }
}
