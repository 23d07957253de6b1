package dev.skerry.bench.nic;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.nic.packet.PacketReassembler;
import dev.skerry.nic.packet.PacketReassembler.PacketHandler;
import dev.skerry.nic.packet.PacketSegmenter;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The cost of cutting a packet into cells at one end and reassembling it at the other, with one copy of its bytes in
 * each direction. The time is per packet; {@code cells} counts cells. The baseline makes the same two copies of whole
 * packets, without cells. The first and last word of every packet are checked, and every byte of the first packet.
 */
@Compare(question = "a packet cut into cells and put together", unit = "packet",
    ours = "cells", baselines = "copies")
public class PacketBenchmark extends PerOperation implements PacketHandler {
    private static final int BATCH = 64;
    private static final int MTU = 9_000;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Bytes per packet. */
    @Param({"64", "256", "1500", "9000"})
    public int bytes;

    /** The cell format: 256 bytes of Shale, 64 bytes of Shoal. */
    @Param({"shale", "shoal"})
    public String cell;

    private Arena arena;
    private MemorySegment packet;
    private MemorySegment wire;
    private MemorySegment received;
    private PacketFormat format;
    private PacketSegmenter segmenter;
    private PacketReassembler reassembler;
    private PacketCounts counts;
    private FreeList free;
    private int number;
    private int came;

    /** The work of one invocation. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Cells. */
        public long cells;
    }

    /** Prepares a packet whose bytes differ. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofShared();
        format = new PacketFormat(cell.equals("shale") ? CellFormat.SHALE : CellFormat.SHOAL, MTU);
        final int cells = 2 * format.cells(MTU);
        final Slab slab = new Slab(arena, cells, format.cell().cellBytes());
        free = new FreeList(arena, 0, cells);
        counts = new PacketCounts();
        packet = arena.allocate(MTU, 64);
        wire = arena.allocate(MTU, 64);
        received = arena.allocate(MTU, 64);
        for (int i = 0; i < MTU; i++) {
            packet.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 >>> 3));
        }
        segmenter = new PacketSegmenter(format, slab, free, counts);
        reassembler = new PacketReassembler(arena, 1, 1, format, slab, free::free, this, counts);
        send(0);
        if (packet.asSlice(0, bytes).mismatch(received.asSlice(0, bytes)) != -1) {
            throw new IllegalStateException("another packet came");
        }
    }

    /** Checks that no packet was lost. */
    @TearDown(Level.Trial)
    public void close() {
        free.verify();
        if (free.held() != 0 || reassembler.held() != 0 || counts.dropped() != 0 || came != number) {
            throw new IllegalStateException("cells held=" + free.held() + " dropped=" + counts.dropped()
                + " packets sent=" + number + " came=" + came);
        }
        arena.close();
    }

    private void send(final int stamp) {
        number++;
        packet.set(INT, 0, stamp);
        packet.set(INT, bytes - Integer.BYTES, stamp);
        final int cells = format.cells(bytes);
        for (int index = 0; index < cells; index++) {
            reassembler.onCell(0, segmenter.cut(packet, 0, bytes, index), format.flags(bytes, index));
        }
    }

    @Override
    public void onPacket(final int stream, final MemorySegment segment, final long offset, final int length) {
        came++;
        MemorySegment.copy(segment, offset, received, 0, length);
    }

    @Override
    public void onLoss(final int stream, final PacketCounter why) {
        throw new IllegalStateException("lost: " + why);
    }

    private void check(final int stamp) {
        if (received.get(INT, 0) != stamp || received.get(INT, bytes - Integer.BYTES) != stamp) {
            throw new IllegalStateException("another packet came: stamp=" + stamp);
        }
    }

    /** Our path: segmenter and reassembler. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void cells(final Moved moved) {
        for (int i = 0; i < BATCH; i++) {
            send(i);
            check(i);
        }
        moved.cells += (long) BATCH * format.cells(bytes);
    }

    /**
     * The baseline: copies to the place of the cells, from there to the reassembly buffer, and from there to the
     * receiver.
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void copies() {
        for (int i = 0; i < BATCH; i++) {
            packet.set(INT, 0, i);
            packet.set(INT, bytes - Integer.BYTES, i);
            MemorySegment.copy(packet, 0, wire, 0, bytes);
            MemorySegment.copy(wire, 0, received, 0, bytes);
            MemorySegment.copy(received, 0, wire, 0, bytes);
            check(i);
        }
    }
}
