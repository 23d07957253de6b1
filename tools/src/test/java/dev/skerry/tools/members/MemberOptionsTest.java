package dev.skerry.tools.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.MemberOptions.SlurmRanks;
import dev.skerry.tools.members.Members.MemberAddress;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Addresses of members, which secret they share, and where Slurm puts them. */
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

    @Test
    void shouldReadNodesAndTasksAsSlurmWritesThem() {
        assertEquals(List.of("a"), SlurmRanks.nodes("a"));
        assertEquals(List.of("c08", "c09", "c10", "c17", "login"), SlurmRanks.nodes("c[08-10,17],login"));
        assertEquals(List.of("r1-n3", "r1-n4", "x2"), SlurmRanks.nodes("r1-n[3-4],x[2]"));
        assertEquals(List.of(2, 2, 2, 1), SlurmRanks.tasks("2(x3),1"));
    }

    @Test
    void shouldGiveTasksOfANodePortsInARow() {
        final SlurmRanks ranks = new SlurmRanks(task(3, 1));
        assertEquals(3, ranks.self());
        assertEquals(List.of(new MemberAddress("n1", 500), new MemberAddress("n1", 501), new MemberAddress("n2", 500),
            new MemberAddress("n2", 501), new MemberAddress("n3", 500)), ranks.all(500));
    }

    @Test
    void shouldRefuseTasksThatAreNotInBlocksAndSayWhatSlurmHasNotSet() {
        final Map<String, String> bare = new HashMap<>(task(0, 0));
        bare.remove("SLURM_STEP_NODELIST");
        Map.of("tasks are not assigned to nodes in blocks", task(1, 1), "SLURM_STEP_NODELIST: Slurm has not set "
            + "it", bare)
            .forEach((why, task) -> {
                final InputException refused = assertThrows(InputException.class, () -> new SlurmRanks(task).all(500));
                assertTrue(refused.getMessage().contains(why), refused.getMessage());
            });
    }

    private static Map<String, String> task(final int rank, final int node) {
        return Map.of("SLURM_STEP_NODELIST", "n[1-3]", "SLURM_STEP_TASKS_PER_NODE", "2(x2),1",
            "SLURM_PROCID", Integer.toString(rank), "SLURM_NODEID", Integer.toString(node));
    }
}
