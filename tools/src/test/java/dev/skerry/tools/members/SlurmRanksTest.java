package dev.skerry.tools.members;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.MemberOptions.SlurmRanks;
import dev.skerry.tools.members.Members.MemberAddress;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class SlurmRanksTest {
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
    void shouldRefuseTasksThatAreNotInBlocks() {
        final InputException refused = assertThrows(InputException.class,
            () -> new SlurmRanks(task(1, 1)).all(500));
        assertTrue(refused.getMessage().contains("tasks are not given to nodes in blocks"), refused.getMessage());
    }

    @Test
    void shouldSayWhatSlurmHasNotSet() {
        final Map<String, String> bare = new HashMap<>(task(0, 0));
        bare.remove("SLURM_STEP_NODELIST");
        final InputException refused = assertThrows(InputException.class, () -> new SlurmRanks(bare).all(500));
        assertTrue(refused.getMessage().contains("SLURM_STEP_NODELIST: Slurm has not set it"), refused.getMessage());
    }

    private static Map<String, String> task(final int rank, final int node) {
        return Map.of("SLURM_STEP_NODELIST", "n[1-3]", "SLURM_STEP_TASKS_PER_NODE", "2(x2),1",
            "SLURM_PROCID", Integer.toString(rank), "SLURM_NODEID", Integer.toString(node));
    }
}
