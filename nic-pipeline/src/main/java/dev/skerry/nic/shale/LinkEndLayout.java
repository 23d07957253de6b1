package dev.skerry.nic.shale;

/**
 * The record of one end of a link in {@link LinkStates}.
 *
 * <pre>
 *   0       2        4       6         8      10     12       14       16      20
 *   +-------+--------+-------+---------+------+------+--------+--------+-------+
 *   | state | misses | heard | backoff | wait | life | theirs | echoed | eager |
 *   +-------+--------+-------+---------+------+------+--------+--------+-------+
 *     misses   cells in a row that an up link has failed to bring
 *     heard    epochs in a row in which a down link has brought a probe, at most HEARD_ENOUGH
 *     backoff  2^backoff epochs lie between probes that nobody answers
 *     wait     epochs to the next of them
 *     life     counts how often this end has been down
 *     theirs   what the other end's last probe said its life was, NO_LIFE: nothing was heard
 *     echoed   1 if that probe knew our life
 *     eager    epochs in which to probe every time, as the other end was heard
 * </pre>
 *
 * A probe says how long its sender has heard the other end, its own life, and the other end's as it knows it:
 *
 * <pre>
 *   bit 63       40 39        24 23     8 7       0
 *      +-----------+------------+--------+---------+
 *      |     0     | their life |  life  |  heard  |
 *      +-----------+------------+--------+---------+
 * </pre>
 */
final class LinkEndLayout {
    static final int STATE = 0;
    static final int MISSES = 2;
    static final int HEARD = 4;
    static final int BACKOFF = 6;
    static final int WAIT = 8;
    static final int LIFE = 10;
    static final int THEIRS = 12;
    static final int ECHOED = 14;
    static final int EAGER = 16;
    static final int END_BYTES = 20;
    static final int NO_LIFE = 0xFFFF;

    private static final int LIFE_SHIFT = 8;
    private static final int THEIR_LIFE_SHIFT = 24;

    private LinkEndLayout() {
    }

    /** What a probe says. */
    static long probe(final int theirLife, final int life, final int heard) {
        return (long) theirLife << THEIR_LIFE_SHIFT | (long) life << LIFE_SHIFT | heard;
    }

    /** How long the sender of a probe has heard the other end. */
    static int heard(final long probe) {
        return (int) probe & 0xFF;
    }

    /** The life of the sender of a probe. */
    static int life(final long probe) {
        return (int) (probe >>> LIFE_SHIFT) & NO_LIFE;
    }

    /** The life of the receiver of a probe, as its sender knows it. */
    static int theirLife(final long probe) {
        return (int) (probe >>> THEIR_LIFE_SHIFT) & NO_LIFE;
    }
}
