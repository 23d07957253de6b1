package dev.skerry.tools.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A format for tables in addition to CSV, from a part that is not in every build ({@code tools/parquet}). One thread.
 */
public interface TableFormat {
    /** The type of a column. */
    enum Kind {
        /** Whole numbers of 64 bits. */
        WHOLE,
        /** Doubles. */
        REAL,
        /** Text. */
        TEXT
    }

    /**
     * A column.
     *
     * @param name its head.
     * @param kind type of all its values; an empty value is a missing one.
     */
    record Column(String name, Kind kind) {
    }

    /** Returns the name that the user types; also the extension of the files. */
    String name();

    /**
     * Writes a table.
     *
     * @param csv table whose first line holds the heads.
     * @param columns columns of the table, in order.
     * @param file file to be written, replaced atomically when all is written.
     * @throws IOException if it cannot be written; then the file is unchanged.
     */
    void write(Path csv, List<Column> columns, Path file) throws IOException;
}
