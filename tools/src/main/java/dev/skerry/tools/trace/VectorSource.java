package dev.skerry.tools.trace;

import java.util.List;

/** A source of vectors in ascending order of time. One thread. */
public interface VectorSource extends AutoCloseable {
    /** Scopes of the vectors. */
    List<Scope> scopes();

    /** Moves to the first or next time. Returns false at the end. */
    boolean next();

    /** Current time, a slot or a clock; ascends. */
    long time();

    /** Length of a unit of time in ps. */
    long unitPs();

    /**
     * Reads the vector of a scope at this time.
     *
     * @param scope  index into {@link #scopes()}.
     * @param values receives one value per signal; bits above its width are undefined.
     */
    void read(int scope, long[] values);

    @Override
    void close();
}
