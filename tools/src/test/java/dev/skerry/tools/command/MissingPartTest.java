package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

/** Commands of parts that are missing, as they are while these tests run: all others work. */
final class MissingPartTest {
    private static final String WHY = "figures: the jar that brings this command is missing, ";

    @ParameterizedTest
    @ValueSource(strings = {"figures", "figures --json", "figures --help", "help figures"})
    void shouldSayThatThePartOfACommandIsMissing(final String line) {
        Invocation.refuses(line, WHY);
    }

    @Test
    void shouldSayThatThePartOfASweepsCommandIsMissing(@TempDir final Path folder) {
        Invocation.refuses("sweep figures shoal-rates --out " + folder.resolve("out"), WHY);
    }

    @Test
    void shouldHelpWithoutIt() {
        final Invocation help = Invocation.ofLine("--help");
        assertEquals(0, help.code(), help.err());
        assertTrue(help.out().contains("  compare "), help.out());
        assertFalse(help.out().contains("  figures "), help.out());
        assertFalse(Invocation.ofLine("completion fish").out().contains("__fish_seen_subcommand_from figures"));
        Invocation.refuses("nosuch", "there is no such option or command");
    }
}
