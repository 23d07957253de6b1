package dev.skerry.dataplane.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;

/**
 * A shared arena that knows how many bytes were asked of it, so that the memory of a fabric built on it is measured
 * and not worked out. Any thread may call.
 */
public final class CountedArena implements Arena {
    private final Arena arena = Arena.ofShared();
    private final LongAdder bytes = new LongAdder();

    /** Nothing allocated. */
    public CountedArena() {
    }

    @Override
    public MemorySegment allocate(final long byteSize, final long byteAlignment) {
        final MemorySegment segment = arena.allocate(byteSize, byteAlignment);
        bytes.add(byteSize);
        return segment;
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    @Override
    public void close() {
        arena.close();
    }

    /** Bytes allocated so far; none are freed before {@link #close}. */
    public long bytes() {
        return bytes.sum();
    }

    /** From now on, counts as if this much had been asked of it so far: a restored fabric grew before. */
    void counted(final long sofar) {
        bytes.add(sofar - bytes.sum());
    }
}
