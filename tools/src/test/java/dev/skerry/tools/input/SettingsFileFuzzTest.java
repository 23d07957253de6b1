package dev.skerry.tools.input;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads arbitrary bytes as a file of options; see {@code CaptureReaderFuzzTest} for how it is run. */
final class SettingsFileFuzzTest {
    /** The input is the file. What it says, written anew in a plain way, says the same. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyBytes(final byte[] input) throws IOException {
        final Path file = Files.createTempFile("settings", "");
        try {
            Files.write(file, input);
            final String[] words = SettingsFile.expand("live", "@" + file, "--json");
            assertEquals("live", words[0]);
            assertEquals("--json", words[words.length - 1]);
            final List<String> lines = new ArrayList<>();
            for (int word = 1; word < words.length - 1; word++) {
                assertEquals(words[word], words[word].lines().findFirst().orElse(""), "a word is part of a line");
                final boolean isOption = word == 1 || words[word].startsWith("--");
                lines.add(isOption ? words[word] : lines.removeLast() + "=" + words[word]);
            }
            Files.write(file, lines);
            assertArrayEquals(words, SettingsFile.expand("live", "@" + file, "--json"));
        } catch (final InputException e) {
            assertTrue(e.getMessage().startsWith("skerry: settings: " + file), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        } finally {
            Files.delete(file);
        }
    }
}
