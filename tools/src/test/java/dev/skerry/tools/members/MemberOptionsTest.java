package dev.skerry.tools.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.time.Duration;

final class MemberOptionsTest {
    @Test
    void shouldKnowWhoIsNearAndWhoLeads() {
        final Members members = members("--members a:1,b:1,b:2 --member 2 --member-timeout 7 --cluster mine");
        assertTrue(members.isNear(1));
        assertFalse(members.isNear(0));
        assertEquals(1, members.leader());
        assertTrue(members.isSpread());
        assertEquals("member 1 (b:1)", members.name(1));
        assertEquals(new Members(members.all(), 2, "mine", Duration.ofSeconds(7)), members);
        assertFalse(members("--members 1,2 --member 0").isSpread());
        assertNull(members(""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--members a:1 | which of them this is is not said",
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
