package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The unit for systemd that is shipped is one that systemd understands. */
final class ServiceUnitTest {
    private static final Path SHIPPED = Path.of("../docs/skerry-live.service");

    @Test
    void shouldBeUnderstoodBySystemd(@TempDir final Path folder) throws Exception {
        final Path program = Path.of("/usr/bin/systemd-analyze");
        assumeTrue(Files.isExecutable(program), "there is no systemd-analyze");
        final String unit = Files.readString(SHIPPED);
        assertEquals("", verify(program, folder, unit));
        assertTrue(verify(program, folder, unit.replace("ProtectSystem=strict", "ProtectSystem=perhaps"))
            .contains("Failed to parse"), "a mistake is found");
    }

    /** What it says of a unit whose program and user are there. */
    private static String verify(final Path program, final Path folder, final String unit) throws Exception {
        final Path file = Files.writeString(folder.resolve("skerry-live.service"),
            unit.replace("/opt/skerry/skerry", "/bin/true").replace("User=skerry", "User=root"));
        final Process process = new ProcessBuilder(program.toString(), "verify", "--man=no", "--recursive-errors=no",
            file.toString()).redirectErrorStream(true).start();
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return String.join("\n", said.lines().filter(line -> line.contains("skerry-live")).toList());
    }
}
