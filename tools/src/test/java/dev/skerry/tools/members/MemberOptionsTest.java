package dev.skerry.tools.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.Members.MemberKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

final class MemberOptionsTest {
    @TempDir
    Path folder;

    @Test
    void shouldKnowWhoIsNearAndWhoLeads() throws IOException {
        final Members members = members("--members a:1,b:1,b:2 --member 2 --member-timeout 7 --cluster mine "
            + "--member-key " + key("rw-------", "0123456789abcdef"));
        assertTrue(members.isNear(1));
        assertFalse(members.isNear(0));
        assertEquals(1, members.leader());
        assertTrue(members.isSpread());
        assertEquals("member 1 (b:1)", members.name(1));
        assertEquals(new Members(members.all(), 2, "mine", Duration.ofSeconds(7), members.key()), members);
        assertFalse(members("--members 1,2 --member 0").isSpread());
        assertNull(members(""));
    }

    private Path key(final String mode, final String text) throws IOException {
        final Path file = Files.writeString(folder.resolve("key"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }

    @Test
    void shouldShareASecretOverANetwork() throws IOException {
        final String far = "--members a:1,b:1 --member 0";
        assertTrue(refusal(far).contains("--member-key FILE"));
        assertTrue(refusal(far + " --member-key " + folder.resolve("none")).contains("no such file"));
        assertTrue(refusal(far + " --member-key " + key("rw-------", "short")).contains("less than 16 bytes"));
        final Path file = key("rw-r--r--", "0123456789abcdef");
        assertTrue(refusal(far + " --member-key " + file).contains("other users may read it"));
        assertNull(members("--members 1,2 --member 0").key());
        final MemberKey own = members("--members 127.0.0.1:1,127.0.0.2:1 --member 0").key();
        assertEquals(own, members("--members 127.0.0.1:1,127.0.0.2:1 --member 1").key());
        assertEquals("...", own.toString());
    }

    private static String refusal(final String options) {
        return assertThrows(InputException.class, () -> members(options)).getMessage();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--members a:1 | the index of this process is missing",
        "--members a:1,b --member 0 | is not host:port",
        "--members a:70000,b:1 --member 0 | is not host:port",
        "--members a:1,a:1 --member 0 | two members have one address",
        "--members a:1,b:1 --member 2 | --member: 2",
        "--members slurm | Slurm has not set it",
        "--members slurm:x | is not host:port",
        "--member 1 | there are no members",
        "--member-timeout 5 | there are no members",
        "--cluster x | there are no members",
    })
    void shouldRefuseInOneLine(final String line, final String why) {
        final InputException refused = assertThrows(InputException.class, () -> members(line), line);
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
        assertEquals(1, refused.getMessage().lines().count(), refused.getMessage());
    }

    private static Members members(final String line) {
        return CommandLine.populateCommand(new MemberOptions(), line.isEmpty() ? new String[0] : line.split(" "))
            .members();
    }
}
