package dev.skerry.nic.stardust.credit;

import dev.skerry.dataplane.random.CounterRandom;

/**
 * The order in which each port of a bank turns to the queues that may send to it: random, its own for each port, so
 * that ports do not favour the same queues at once. Read by one thread.
 *
 * <pre>
 *   the turn of a port   place 0 | 1 | 2 | ..   the queues of all adapters in random order; key: adapter and queue
 * </pre>
 */
final class TurnOrder {
    private static final int USE_ORDER = 1;

    private final int places;
    private final int[] keyOf;
    private final int[] placeOf;

    /**
     * The order of every port.
     *
     * @param seed      of the fabric.
     * @param firstPort number of the first port of the bank; the order of a port follows from its number.
     * @param ports     ports of the bank.
     * @param places    queues that may send to a port.
     */
    TurnOrder(final long seed, final int firstPort, final int ports, final int places) {
        this.places = places;
        this.keyOf = new int[ports * places];
        this.placeOf = new int[ports * places];
        for (int port = 0; port < ports; port++) {
            shuffle(CounterRandom.slotKey(seed, (long) firstPort + port), port * places);
        }
    }

    /** The place of a queue in the turn of a port. */
    int place(final int port, final int key) {
        return placeOf[port * places + key];
    }

    /** The queue at a place in the turn of a port. */
    int key(final int port, final int place) {
        return keyOf[port * places + place];
    }

    private void shuffle(final long key, final int base) {
        for (int i = 0; i < places; i++) {
            final int j = CounterRandom.below(CounterRandom.bits(key, i, USE_ORDER), i + 1);
            keyOf[base + i] = keyOf[base + j];
            keyOf[base + j] = i;
        }
        for (int i = 0; i < places; i++) {
            placeOf[base + keyOf[base + i]] = i;
        }
    }
}
