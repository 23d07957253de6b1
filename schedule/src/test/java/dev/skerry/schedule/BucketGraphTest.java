package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Hop-by-hop control cannot deadlock: the buckets that a bucket may wait for (docs/spec/shale.md §5.6), built from the
 * schedule, is a graph without cycles.
 *
 * <p>A vertex is a bucket {@code <destination, sprays left>} at a node that is not the destination; its edges lead to
 * the buckets at the neighbours for which a cell of it may need a token.
 */
class BucketGraphTest {
    private static final int CYCLIC = -1;

    @ParameterizedTest
    @CsvSource({"1, 9, 72, 0, 0", "2, 3, 144, 324, 2", "2, 4, 480, 1632, 2", "3, 3, 2106, 9396, 4",
        "4, 2, 960, 3136, 6", "4, 3, 25920, 170424, 6"})
    void shouldHaveNoCycle(final int phases, final int radix, final int buckets, final int edges, final int longest) {
        final int[][] graph = graph(new Phased(phases, radix), phases);

        assertEquals(buckets, Arrays.stream(graph).filter(to -> to != null).count());
        assertEquals(edges, Arrays.stream(graph).filter(to -> to != null).mapToInt(to -> to.length).sum());
        assertEquals(longest, longestPath(graph));
        assertEquals(2 * phases - 2, longest);
    }

    /** If spraying and direct cells to a destination shared their tokens, they could wait for each other. */
    @ParameterizedTest
    @CsvSource({"2, 3", "2, 4", "3, 3", "4, 2", "4, 3"})
    void shouldHaveACycleWithOneBucketPerDestination(final int phases, final int radix) {
        assertEquals(CYCLIC, longestPath(graph(new Phased(phases, radix), 1)));
    }

    /**
     * The edges of every vertex {@code (node * nodes + destination) * kept + min(sprays, kept - 1)}.
     *
     * @param kept how many numbers of sprays left are distinguished.
     */
    private static int[][] graph(final Phased schedule, final int kept) {
        final int nodes = schedule.nodes();
        final int[][] graph = new int[nodes * nodes * kept][];
        for (int node = 0; node < nodes; node++) {
            for (int destination = 0; destination < nodes; destination++) {
                if (node == destination) {
                    continue;
                }
                for (int level = 0; level < kept; level++) {
                    final Set<Integer> edges = new HashSet<>();
                    final int mostSprays = level == kept - 1 ? schedule.phases() - 1 : level;
                    for (int sprays = level; sprays <= mostSprays; sprays++) {
                        final int next = Math.min(Math.max(sprays - 1, 0), kept - 1);
                        for (final int neighbour : nextHops(schedule, node, destination, sprays)) {
                            if (neighbour != destination) {
                                edges.add((neighbour * nodes + destination) * kept + next);
                            }
                        }
                    }
                    graph[(node * nodes + destination) * kept + level] =
                        edges.stream().mapToInt(Integer::intValue).toArray();
                }
            }
        }
        return graph;
    }

    private static int[] nextHops(final Phased schedule, final int node, final int destination, final int sprays) {
        if (sprays > 0) {
            return IntStream.range(0, schedule.epochSlots()).map(slot -> schedule.peerOf(node, (long) slot)).toArray();
        }
        return IntStream.range(0, schedule.phases())
            .map(phase -> schedule.coordinates().nextDifference(node, destination, phase))
            .map(phase -> schedule.peerOf(node, phase, schedule.linkTowards(node, destination, phase)))
            .toArray();
    }

    /** Edges of the longest path, found by a topological sort; {@link #CYCLIC} if there is none. */
    private static int longestPath(final int[][] graph) {
        final int[] waiting = new int[graph.length];
        int vertices = 0;
        for (final int[] edges : graph) {
            vertices += edges == null ? 0 : 1;
            for (final int to : edges == null ? new int[0] : edges) {
                waiting[to]++;
            }
        }
        final int[] sorted = new int[vertices];
        final int[] length = new int[graph.length];
        int found = 0;
        for (int vertex = 0; vertex < graph.length; vertex++) {
            if (graph[vertex] != null && waiting[vertex] == 0) {
                sorted[found++] = vertex;
            }
        }
        int longest = 0;
        for (int next = 0; next < found; next++) {
            final int from = sorted[next];
            longest = Math.max(longest, length[from]);
            for (final int to : graph[from]) {
                length[to] = Math.max(length[to], length[from] + 1);
                if (--waiting[to] == 0) {
                    sorted[found++] = to;
                }
            }
        }
        return found == vertices ? longest : CYCLIC;
    }
}
