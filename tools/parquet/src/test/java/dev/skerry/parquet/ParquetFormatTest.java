package dev.skerry.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.report.TableFormats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/** Tables come back from Parquet as they stood in their CSV files, each column with its type. */
final class ParquetFormatTest {
    @TempDir
    private Path folder;

    @Test
    void shouldReadBackWhatWasWritten() throws IOException, SQLException {
        // A name that is all digits stays a text, as does one that looks like a number with an exponent.
        Files.writeString(folder.resolve("runs.csv"), """
            id,version,set.load,figure,name,mixed,nothing,outcome.digest
            000000000000000000000012,1e5,0.1,3,"a ""quoted"", one",1,,12
            9f,77,0.25,-9007199254740993,it's,x,,6d9d
            """);
        TableFormats.of("parquet").convert(folder);
        final Path file = folder.resolve("runs.parquet");
        assertEquals(List.of("id VARCHAR", "version VARCHAR", "set.load DOUBLE", "figure BIGINT", "name VARCHAR",
            "mixed VARCHAR", "nothing VARCHAR", "outcome.digest VARCHAR"), rows("SELECT column_name, column_type FROM "
            + "(DESCRIBE SELECT * FROM '" + file + "')"));
        assertEquals(List.of("000000000000000000000012 1e5 0.1 3 a \"quoted\", one 1 null 12",
            "9f 77 0.25 -9007199254740993 it's x null 6d9d"), rows("SELECT * FROM '" + file + "'"));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(2, files.count(), "nothing half-written is left");
        }
    }

    @Test
    void shouldKeepEveryDigitAndAnEmptyTable() throws IOException, SQLException {
        Files.writeString(folder.resolve("times.csv"), "seconds\n0.1\n1.7976931348623157E308\n4.9E-324\nNaN\n");
        Files.writeString(folder.resolve("none.csv"), "flow_id,cells\n");
        TableFormats.of("parquet").convert(folder);
        assertEquals(List.of("0.1", "1.7976931348623157E308", "4.9E-324", "NaN"),
            rows("SELECT * FROM '" + folder.resolve("times.parquet") + "'"));
        assertEquals(List.of(), rows("SELECT * FROM '" + folder.resolve("none.parquet") + "'"));
        assertTrue(Files.exists(folder.resolve("none.parquet")));
        assertFalse(Files.exists(folder.resolve("times.partial")));
    }

    private static List<String> rows(final String query) throws SQLException {
        final List<String> rows = new java.util.ArrayList<>();
        try (Connection database = DriverManager.getConnection("jdbc:duckdb:");
            Statement statement = database.createStatement(); ResultSet found = statement.executeQuery(query)) {
            final int columns = query.contains("DESCRIBE") ? 2 : found.getMetaData().getColumnCount();
            while (found.next()) {
                final StringBuilder row = new StringBuilder();
                for (int i = 1; i <= columns; i++) {
                    row.append(i == 1 ? "" : " ").append(found.getObject(i));
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }
}
