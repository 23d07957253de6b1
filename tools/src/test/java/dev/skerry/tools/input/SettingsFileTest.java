package dev.skerry.tools.input;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

final class SettingsFileTest {
    @TempDir
    private Path folder;

    /** Endless or huge files take no more memory than their bound. */
    @Test
    void shouldRefuseFilesWithoutEnd() throws IOException {
        final Path most = Files.writeString(folder.resolve("most"), "--a\n" + "#".repeat((1 << 20) - 4));
        assertArrayEquals(new String[] {"run", "--a"}, SettingsFile.expand("run", "@" + most));
        refuses(Files.writeString(folder.resolve("more"), "--a\n" + "#".repeat((1 << 20) - 3)));
        final Path zero = Path.of("/dev/zero");
        if (Files.exists(zero)) {
            refuses(zero);
        }
    }

    private static void refuses(final Path file) {
        final String why =
            assertThrows(InputException.class, () -> SettingsFile.expand("run", "@" + file)).getMessage();
        assertTrue(why.contains("more than 1048576 bytes"), why);
    }
}
