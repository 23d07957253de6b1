package dev.skerry.tools.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A format for tables beside CSV, brought by a part that is not in every build ({@code tools/parquet}). One thread. */
public interface TableFormat {
    /** What is in a column: 64-bit whole numbers, doubles, or text. */
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
     * @param name at its head.
     * @param kind of all its values; an empty one is none.
     */
    record Column(String name, Kind kind) {
    }

    /** What the user calls it; files end with it. */
    String name();

    /**
     * Writes a table.
     *
     * @param csv     the table, its heads in the first line.
     * @param columns of the table, in order.
     * @param file    replaced at once when all is written.
     * @throws IOException if it cannot be written; the file is as it was.
     */
    void write(Path csv, List<Column> columns, Path file) throws IOException;
}
