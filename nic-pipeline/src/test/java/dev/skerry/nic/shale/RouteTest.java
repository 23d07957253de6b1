package dev.skerry.nic.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.skerry.dataplane.circuit.InFlightCells;
import org.junit.jupiter.api.Test;

/** Every field of the route word at its ends, in every combination, does not disturb the others. */
final class RouteTest {
    private static final int[] DESTINATIONS = {0, 1, 0x55555, (1 << 20) - 2, (1 << 20) - 1};
    private static final int[] SPRAYS = {0, 1, 6, 7};
    private static final int[] LINKS = {0, 1, 0x1555, Route.MAX_LINKS - 1};
    private static final long[] SLOTS = {0, 1, 0x2AAAAA, Route.SENT_SLOTS - 2, Route.SENT_SLOTS, 3L << 40 | 5};

    @Test
    void shouldKeepAllFieldsApart() {
        for (final int destination : DESTINATIONS) {
            for (final int came : SPRAYS) {
                for (final long slot : SLOTS) {
                    final long first = Route.first(destination, came, slot);
                    check(first, destination, came, slot);
                    for (final int sprays : SPRAYS) {
                        for (final int link : LINKS) {
                            for (final boolean last : new boolean[] {false, true}) {
                                final long queued = Route.queued(first, sprays, last, link);
                                check(queued, destination, sprays, slot);
                                assertEquals(last, Route.isFinal(queued));
                                assertEquals(link, Route.owedLink(queued));
                                assertEquals(Route.bucket(destination, came), Route.owedBucket(queued));
                                assertEquals(Route.first(destination, sprays, slot), Route.forwarded(queued));
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void shouldTellAgesUpToItsWindow() {
        for (final long slot : SLOTS) {
            for (final int age : new int[] {0, 1, 1000, Route.SENT_SLOTS - 1}) {
                assertEquals(age, Route.age(Route.first(7, 1, slot), slot + age));
            }
            assertEquals(0, Route.age(Route.first(7, 1, slot), slot + Route.SENT_SLOTS));
        }
    }

    private static void check(final long route, final int destination, final int sprays, final long slot) {
        assertEquals(destination, Route.destination(route));
        assertEquals(sprays, Route.sprays(route));
        assertEquals(Route.bucket(destination, sprays), Route.bucket(route));
        assertEquals(destination, Route.bucketDestination(Route.bucket(route)));
        assertEquals(0, Route.age(route, slot));
    }

    /** The schedule stays below 2^20 nodes, so a real cell has not all bits set. */
    @Test
    void shouldNeverLookLikeAnIdleSlot() {
        final long extreme = Route.first((1 << 20) - 2, 7, Route.SENT_SLOTS - 1);
        assertNotEquals(InFlightCells.NO_CELL, extreme);
    }
}
