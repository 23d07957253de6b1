package dev.skerry.parquet;

import dev.skerry.tools.report.TableFormat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/** Parquet files, written by DuckDB. One thread; the database in memory exists for one table. */
public final class ParquetFormat implements TableFormat {
    private static final Driver DUCKDB = new org.duckdb.DuckDBDriver();

    @Override
    public String name() {
        return "parquet";
    }

    @Override
    public void write(final Path csv, final List<Column> columns, final Path file) throws IOException {
        final Path beside = file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid());
        try (Connection database = DUCKDB.connect("jdbc:duckdb:", new Properties());
            Statement statement = database.createStatement()) {
            // Nothing is downloaded: the CSV reader and the Parquet writer are built in.
            statement.execute("SET autoinstall_known_extensions = false");
            statement.execute("COPY (SELECT * FROM read_csv(" + quoted(csv.toString())
                + ", header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
                + "auto_detect = false, parallel = false, columns = {"
                + columns.stream().map(ParquetFormat::column).collect(Collectors.joining(", ")) + "})) TO "
                + quoted(beside.toString()) + " (FORMAT parquet, COMPRESSION zstd)");
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (final SQLException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    private static String column(final Column column) {
        return quoted(column.name()) + ": '" + switch (column.kind()) {
            case WHOLE -> "BIGINT";
            case REAL -> "DOUBLE";
            case TEXT -> "VARCHAR";
        } + "'";
    }

    private static String quoted(final String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
