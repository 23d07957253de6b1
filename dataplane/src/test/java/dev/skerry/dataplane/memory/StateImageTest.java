package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.dataplane.queue.SpillPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;

/** Images of structures that change in every possible way: segments, words, memory taken later. */
final class StateImageTest {
    private static final long SEED = 21;

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    private Pieo pieo(final int capacity) {
        final PieoLayout layout = new PieoLayout(capacity);
        return new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
    }

    private StateImage image(final Object root) {
        return new StateImage(root, arena, value -> false);
    }

    @Test
    void shouldSavePieo() {
        final Pieo pieo = pieo(64);
        final Pieo other = pieo(64);
        final SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 2000; i++) {
            if (i % 7 == 0) {
                image(other).restore(image(pieo).save());
            }
            final int id = random.nextInt(64);
            final int number = random.nextInt(200);
            if (random.nextInt(9) < 5) {
                assertEquals(pieo.enqueue(id, number, number), other.enqueue(id, number, number));
            } else {
                assertEquals(pieo.dequeue(number), other.dequeue(number));
            }
            assertEquals(pieo.id(), other.id(), "seed=" + SEED + " operation=" + i);
            assertEquals(pieo.movedId(), other.movedId());
        }
        assertArrayEquals(image(pieo).save(), image(other).save());
        pieo.reset();
        other.reset();
        pieo.enqueue(1, 2, 3);
        other.enqueue(1, 2, 4);
        // Behind the 16 bytes of held and used, sublist, count and rank: the send time of the first pointer entry.
        assertEquals(List.of("model.memory.state[7]: 4, not 3"),
            StateImage.differences(image(other).save(), image(pieo).save()).stream()
                .map(StateImage.Difference::toString).toList());
    }

    /** Queues that spill into the pool, which takes memory later; restored into a pool that has taken none. */
    @Test
    void shouldTakeTheMemoryThatAStructureHasTaken() {
        final SpillPool pool = new SpillPool(arena, 1 << 20);
        final EligibilityQueues queues = new EligibilityQueues(arena, 2, pool);
        final byte[] empty = image(queues).save();
        for (int i = 0; i < 30_000; i++) {
            queues.enqueue(i & 1, i, i);
        }
        final byte[] full = image(queues).save();
        final EligibilityQueues other = new EligibilityQueues(arena, 2, new SpillPool(arena, 1 << 20));
        image(other).restore(full);
        for (int i = 0; i < 30_000; i++) {
            other.dequeue(i & 1, (queue, entry) -> true);
            assertEquals(i, other.entry());
        }
        image(other).restore(empty);
        assertArrayEquals(empty, image(other).save());
        assertEquals(0, other.length(0));
        other.enqueue(0, 1, 1);
        assertEquals(1, other.length(0));
    }

    @Test
    void shouldRefuseTheStateOfAnother() {
        final byte[] state = image(pieo(64)).save();
        assertThrows(IllegalArgumentException.class, () -> image(pieo(16)).restore(state));
        assertThrows(IllegalArgumentException.class, () -> image(new SpillPool(arena, 8)).restore(state));
        for (int at = 0; at < state.length; at += 97) {
            final byte[] damaged = state.clone();
            damaged[at] ^= 4;
            assertThrows(IllegalArgumentException.class, () -> image(pieo(64)).restore(damaged), "byte " + at);
        }
    }
}
