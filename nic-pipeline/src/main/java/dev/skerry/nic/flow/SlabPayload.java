package dev.skerry.nic.flow;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Slab;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.dataplane.ring.FreeListReturn;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Payload end to end. The source writes every cell into a slab, with words that follow from its flow and sequence
 * number; the destination reads and compares them. What travels is the cell's handle. A cell that was lost, doubled,
 * mixed up or overwritten fails the comparison.
 *
 * <p>All banks share one slab; each owns a part of it. The destination's bank frees a cell; if the cell belongs to
 * another bank, it returns over a ring. Each bank and its thread have a store of their own; {@link #stores} makes all
 * of them together.
 */
public final class SlabPayload implements PayloadStore {
    private static final int FLOW_AND_SEQUENCE = 0;
    private static final int WORDS = 8;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final Slab slab;
    private final int words;
    private final int cellsOfBank;
    private final int bank;
    private final FreeList free;
    /** By bank: where this bank returns cells of that bank; null at its own index. */
    private final FreeListReturn[] home;
    /** By bank: cells that return from that bank to this one; null at its own index. */
    private final FreeListReturn[] arriving;

    private SlabPayload(final Slab slab, final int bank, final int cellsOfBank, final FreeList free,
        final FreeListReturn[] home, final FreeListReturn[] arriving) {
        this.slab = slab;
        this.words = slab.cellBytes() / Long.BYTES;
        this.bank = bank;
        this.cellsOfBank = cellsOfBank;
        this.free = free;
        this.home = home;
        this.arriving = arriving;
    }

    /**
     * The stores of a run.
     *
     * @param arena       owner of the memory.
     * @param banks       number of banks.
     * @param cellsOfBank most cells that a bank may have under way at once, a power of two.
     * @param cellBytes   bytes stored for a cell, a multiple of 8, at least 16.
     */
    public static SlabPayload[] stores(final Arena arena, final int banks, final int cellsOfBank, final int cellBytes) {
        final Slab slab = new Slab(arena, banks * cellsOfBank, cellBytes);
        final FreeList[] lists = new FreeList[banks];
        final FreeListReturn[][] ways = new FreeListReturn[banks][banks];
        for (int to = 0; to < banks; to++) {
            lists[to] = new FreeList(arena, to * cellsOfBank, cellsOfBank);
            for (int from = 0; from < banks; from++) {
                ways[from][to] = from == to ? null : new FreeListReturn(arena, lists[to], cellsOfBank);
            }
        }
        final SlabPayload[] stores = new SlabPayload[banks];
        for (int bank = 0; bank < banks; bank++) {
            final FreeListReturn[] arriving = new FreeListReturn[banks];
            for (int from = 0; from < banks; from++) {
                arriving[from] = ways[from][bank];
            }
            stores[bank] = new SlabPayload(slab, bank, cellsOfBank, lists[bank], ways[bank], arriving);
        }
        return stores;
    }

    @Override
    public long inject(final long identity) {
        int handle = free.alloc();
        if (handle == Slab.NONE) {
            for (final FreeListReturn way : arriving) {
                if (way != null) {
                    way.collect();
                }
            }
            handle = free.alloc();
        }
        if (handle == Slab.NONE) {
            throw new IllegalStateException("payload slab is full: cells under way=" + free.held()
                + " (the fabric holds more than --check has room for; lower the load or the size)");
        }
        final MemorySegment memory = slab.segment();
        final long at = slab.offset(handle);
        memory.set(ValueLayout.JAVA_LONG, at + FLOW_AND_SEQUENCE, identity);
        for (int word = 1; word < words; word++) {
            memory.set(ValueLayout.JAVA_LONG, at + (long) word * WORDS, content(identity, word));
        }
        return handle;
    }

    @Override
    public long deliver(final long cell) {
        final int handle = (int) cell;
        final MemorySegment memory = slab.segment();
        final long at = slab.offset(handle);
        final long identity = memory.get(ValueLayout.JAVA_LONG, at + FLOW_AND_SEQUENCE);
        for (int word = 1; word < words; word++) {
            if (memory.get(ValueLayout.JAVA_LONG, at + (long) word * WORDS) != content(identity, word)) {
                throw new IllegalStateException("payload damaged: flow=" + Cell.flow(identity) + " cell="
                    + Cell.sequence(identity) + " handle=" + handle + " byte=" + word * WORDS);
            }
        }
        // A read of this place before the next write must fail the comparison.
        memory.set(ValueLayout.JAVA_LONG, at + WORDS, ~content(identity, 1));
        discard(cell);
        return identity;
    }

    @Override
    public long identify(final long cell) {
        return slab.segment().get(ValueLayout.JAVA_LONG, slab.offset((int) cell) + FLOW_AND_SEQUENCE);
    }

    @Override
    public void copy(final long cell, final MemorySegment into) {
        MemorySegment.copy(slab.segment(), slab.offset((int) cell), into, 0,
            Math.min((long) words * WORDS, into.byteSize()));
    }

    @Override
    public void discard(final long cell) {
        final int handle = (int) cell;
        final int owner = handle / cellsOfBank;
        if (owner == bank) {
            free.free(handle);
        } else if (!home[owner].free(handle)) {
            throw new IllegalStateException("more cells come home than there are: owner=" + owner);
        }
    }

    private static long content(final long identity, final int word) {
        return CounterRandom.mix(identity + word * GOLDEN);
    }
}
