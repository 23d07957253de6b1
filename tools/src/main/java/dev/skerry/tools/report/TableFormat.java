package dev.skerry.tools.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A format for tables in addition to CSV, provided by an optional part ({@code tools/parquet}). Not thread-safe. */
public interface TableFormat {
    /** The type of a column. */
    enum Kind {
        /** 64-bit integers. */
        WHOLE,
        /** Doubles. */
        REAL,
        /** Text. */
        TEXT
    }

    /**
     * A column.
     *
     * @param name head of the column.
     * @param kind type of all its values; an empty value is missing.
     */
    record Column(String name, Kind kind) {
    }

    /** Returns the name that the user types, which is also the extension of the files. */
    String name();

    /**
     * Writes a table.
     *
     * @param csv     table whose first line contains the heads.
     * @param columns columns of the table, in order.
     * @param file    file to write, replaced atomically when it is complete.
     * @throws IOException if it cannot be written; then the file is unchanged.
     */
    void write(Path csv, List<Column> columns, Path file) throws IOException;
}
