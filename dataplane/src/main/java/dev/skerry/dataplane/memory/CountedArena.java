package dev.skerry.dataplane.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.LongAdder;

/**
 * A shared arena that counts the bytes allocated from it, so that the memory of a fabric built on it is measured rather
 * than computed. Any thread may call.
 */
public final class CountedArena implements Arena {
    private final Arena arena = Arena.ofShared();
    private final LongAdder bytes = new LongAdder();

    /** Creates an empty arena. */
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

    /** Sets the count to {@code sofar} bytes: a restored fabric had already grown. */
    void counted(final long sofar) {
        bytes.add(sofar - bytes.sum());
    }
}
