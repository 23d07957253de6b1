package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

/** What is remembered of the last cells, for every history of four. */
final class JoinedQueuesTest {
    private static final int LINKS = 4;

    /** Four cells back, a queue that was joined counts only if the next cell joined one too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 40})
    void shouldKnowWhichQueuesCellsJoined(final int nodes) {
        try (Arena arena = Arena.ofConfined()) {
            final JoinedQueues queues = new JoinedQueues(arena, nodes, LINKS);
            final int first = nodes / 3;
            final int count = nodes - first;
            final int histories = (LINKS + 1) * (LINKS + 1) * (LINKS + 1) * (LINKS + 1);
            final int[] joined = new int[nodes];
            final long[] latest = new long[nodes];
            for (int history = 0; history < histories; history++) {
                for (int turn = 0; turn < JoinedQueues.TURNS; turn++) {
                    for (int i = 0; i < count; i++) {
                        joined[i] = link(history + i, turn);
                    }
                    queues.note(2, first, count, joined);
                }
                queues.latest(2, first, count, latest);
                for (int i = 0; i < count; i++) {
                    final int of = history + i;
                    assertEquals(link(of, 3), queues.last(2, first + i));
                    assertEquals(link(of, 2), queues.before(2, first + i));
                    final int beforeAnother = link(of, 1) == LINKS ? LINKS : link(of, 0);
                    final int notLast = link(of, 2) == LINKS ? beforeAnother : link(of, 2);
                    assertEquals(link(of, 3) == LINKS ? notLast : link(of, 3), latest[i], "history=" + of);
                }
                assertEquals(LINKS, queues.last(1, nodes - 1));
                assertEquals(LINKS, queues.last(3, 0));
            }
        }
    }

    /** The link of a turn of a history, a digit of its number. */
    private static int link(final int history, final int turn) {
        int left = history;
        for (int i = 0; i < turn; i++) {
            left /= LINKS + 1;
        }
        return left % (LINKS + 1);
    }
}
