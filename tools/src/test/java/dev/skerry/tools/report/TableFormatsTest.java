package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.tools.report.TableFormat.Column;
import dev.skerry.tools.report.TableFormat.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Types of columns are those of all values, and names stay names. */
final class TableFormatsTest {
    @TempDir
    private Path folder;

    private List<Kind> kinds(final String csv) throws IOException {
        return TableFormats.columns(Files.writeString(folder.resolve("a.csv"), csv)).stream().map(Column::kind)
            .toList();
    }

    @Test
    void shouldTellTypesByAllLines() throws IOException {
        assertEquals(List.of(Kind.WHOLE, Kind.REAL, Kind.REAL, Kind.TEXT, Kind.TEXT, Kind.TEXT),
            kinds("a,b,c,d,e,f\n1,1,0.5,1,,9223372036854775808\n-2,2.5,NaN,x,,1\n"));
        assertEquals(List.of(Kind.TEXT, Kind.TEXT, Kind.TEXT), kinds("id,version,outcome.digest\n12,1e5,77\n"));
        assertEquals(List.of(Kind.TEXT, Kind.WHOLE), kinds("\"a, \"\"b\"\"\nc\",d\n\"1,2\",3\n"));
    }

    @Test
    void shouldRefuseATableThatIsNone() {
        assertThrows(IOException.class, () -> kinds("a,b\n1\n"));
        assertThrows(IOException.class, () -> kinds("a,\"b\n1,2\n"));
        assertThrows(IOException.class, () -> kinds(""));
    }
}
