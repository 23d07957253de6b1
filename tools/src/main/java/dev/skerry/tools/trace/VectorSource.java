package dev.skerry.tools.trace;

import java.util.List;

/** Where vectors come from, one time after the other. One thread. */
public interface VectorSource extends AutoCloseable {
    /** What is traced. */
    List<Scope> scopes();

    /** Goes to the first, or the next, time; false at the end. */
    boolean next();

    /** The time: a slot, or a clock. Ascends. */
    long time();

    /** Length of a unit of time in ps. */
    long unitPs();

    /**
     * The vector of a scope at this time.
     *
     * @param scope  its place in {@link #scopes()}.
     * @param values gets a value for each signal; bits above its width mean nothing.
     */
    void read(int scope, long[] values);

    @Override
    void close();
}
