package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.FreeRunningThreads.AgentGraph;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Two banks, four leaves and two spines: banks 0 and 1, leaves 2 to 5, spines 6 and 7. */
final class AgentGraphTest {
    private static final Threading EIGHT = Threading.separate(2, 6, Idle.YIELD);

    private record Named(String roleName) implements Agent {
        @Override
        public int doWork() {
            return -1;
        }
    }

    @Test
    void shouldGiveEachThreadItsProcessor() {
        assertEquals(List.of("0", "1", "2", "3", "4", "5", "6", "7"), names(clos(), EIGHT, 8));
        assertEquals(List.of("0", "1", "2", "3", "4", "5", "6", "7"), names(clos(), EIGHT, 99));
    }

    @Test
    void shouldCarryLeavesWithTheirBanksWhereProcessorsAreFew() {
        assertEquals(List.of("0 2 3 6", "1 4 5 7"), names(clos(), EIGHT, 2));
        assertEquals(List.of("0 1 2 3 4 5 6 7"), names(clos(), EIGHT, 1));
    }

    @Test
    void shouldLeaveABankAloneThatHasMostOfTheWork() {
        final AgentGraph graph = clos();
        graph.loads()[0] = 1_000;
        graph.loads()[1] = 0;
        assertEquals(List.of("0", "1 2 3 4 5 6 7"), names(graph, EIGHT, 2));
    }

    @Test
    void shouldUseOneProcessorWhereHandingOverCostsMoreThanTheWork() {
        assertEquals(List.of("0 1 2 3 4 5 6 7"), names(clos(105), EIGHT, 2));
        assertEquals(List.of("0 2 3 6", "1 4 5 7"), names(clos(106), EIGHT, 2));
        assertEquals(List.of("0", "1", "2", "3", "4", "5", "6", "7"), names(clos(1), EIGHT, 8));
    }

    @Test
    void shouldKeepAgentsOfAThreadTogether() {
        assertEquals(List.of("0 4", "1 5", "2 6", "3 7"), names(clos(), Threading.shared(4, Idle.YIELD), 4));
        assertEquals(List.of("0 1 4 5", "2 3 6 7"), names(clos(), Threading.shared(4, Idle.YIELD), 2));
    }

    @Test
    void shouldCarryThreadsPinnedToOneProcessorTogether() {
        final Threading pinned = Threading.separate(2, 6, Idle.YIELD, 3, 1, 3, 3, 1, 1, 3, 7, 9);
        assertEquals(List.of("1 4 5", "0 2 3 6", "7"), names(clos(), pinned, 2));
        assertArrayEquals(new int[] {1, 3, 7}, clos().cpus(pinned));
        assertEquals(0, clos().cpus(EIGHT).length);
    }

    private static List<String> names(final AgentGraph graph, final Threading threading, final int processors) {
        return graph.carriers(threading, processors).stream()
            .map(of -> String.join(" ", of.stream().map(Agent::roleName).toList())).toList();
    }

    private static AgentGraph clos() {
        return clos(AgentGraph.ANY_BATCH);
    }

    private static AgentGraph clos(final int batch) {
        final int[][] fibres = new int[8][8];
        final long[] loads = {128, 128, 8, 8, 8, 8, 8, 8};
        final List<Agent> agents = new ArrayList<>();
        for (int agent = 0; agent < 8; agent++) {
            agents.add(new Named(Integer.toString(agent)));
        }
        for (int leaf = 2; leaf < 6; leaf++) {
            join(fibres, (leaf - 2) / 2, leaf, 4);
            join(fibres, leaf, 6, 2);
            join(fibres, leaf, 7, 2);
        }
        return new AgentGraph(agents, loads, fibres, batch);
    }

    private static void join(final int[][] fibres, final int one, final int other, final int count) {
        fibres[one][other] += count;
        fibres[other][one] += count;
    }
}
