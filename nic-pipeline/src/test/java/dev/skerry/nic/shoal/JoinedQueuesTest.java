package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
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

    @Test
    void shouldTellOfTheLastThatJoinedAQueueOfAClass() {
        try (Arena arena = Arena.ofConfined()) {
            final JoinedQueues queues = new JoinedQueues(arena, 3, LINKS);
            assertEquals(JoinedQueues.entry(LINKS, 0), queues.latest(0, 2));
            queues.note(0, 2, JoinedQueues.entry(3, 2));
            assertEquals(3, JoinedQueues.linkOf(queues.latest(0, 2)));
            assertEquals(2, JoinedQueues.classOf(queues.latest(0, 2)));
            queues.note(0, 2, JoinedQueues.entry(1, 1));
            queues.note(0, 2, LINKS);
            assertEquals(JoinedQueues.entry(1, 1), queues.latest(0, 2), "the last but one");
            queues.note(0, 2, LINKS);
            assertEquals(JoinedQueues.entry(3, 2), queues.latest(0, 2), "the last but three");
            queues.note(0, 2, LINKS);
            assertEquals(LINKS, queues.latest(0, 2), "both told twice");
            assertEquals(LINKS, queues.latest(0, 1), "no other node");
        }
    }

    @Test
    void shouldForget() {
        try (Arena arena = Arena.ofConfined()) {
            final JoinedQueues queues = new JoinedQueues(arena, 3, LINKS);
            queues.note(1, 2, JoinedQueues.entry(1, 3));
            queues.note(1, 2, JoinedQueues.entry(2, 3));
            queues.forgetLast(1, 2);
            assertEquals(JoinedQueues.entry(1, 3), queues.latest(1, 2));
            queues.note(1, 2, LINKS);
            assertEquals(LINKS, queues.latest(1, 2), "a refused cell is told of once");
            queues.note(1, 2, JoinedQueues.entry(0, 0));
            queues.clear(1, 2);
            assertEquals(LINKS, queues.latest(1, 2));
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
