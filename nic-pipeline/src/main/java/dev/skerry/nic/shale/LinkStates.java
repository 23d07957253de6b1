package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * State of each link of each node of a bank, as known at its own end. A link goes down when it fails to bring a cell,
 * and comes up again when both ends have received from each other for a while (Shale §3.4, App. A, docs/spec/shale.md
 * §8.1, §8.5).
 *
 * <p>A down link carries only probes. A probe contains the number of epochs for which its sender has received from the
 * other end, the sender's life, and the life of the other end as far as the sender knows it. An end comes up when it
 * has received {@value #HEARD_ENOUGH} consecutive probes, the last of which shows that the other end has received as
 * many and knows this end's life. The other end has then also received enough; if it misses the last probe, the first
 * cell replaces it. Any other probe takes an up link down.
 *
 * <p>Each life of a link therefore begins empty at both ends, whatever the propagation delay. An end that comes up has
 * received a probe that the other end sent while it was down and knew that this end was down; everything it sent
 * earlier has arrived.
 *
 * <p>Links that are up are also stored as bits, for a fast search. One thread at a time. The record of one end of a
 * link:
 *
 * <pre>
 *   0       2        4       6         8      10     12       14       16      20
 *   +-------+--------+-------+---------+------+------+--------+--------+-------+
 *   | state | misses | heard | backoff | wait | life | theirs | echoed | eager |
 *   +-------+--------+-------+---------+------+------+--------+--------+-------+
 *     misses   consecutive cells that an up link has failed to bring
 *     heard    consecutive epochs in which a down link has brought a probe, at most HEARD_ENOUGH
 *     backoff  2^backoff epochs lie between unanswered probes
 *     wait     epochs until the next of them
 *     life     counts how often this end has been down
 *     theirs   life of the other end according to its last probe, NO_LIFE: none received
 *     echoed   1 if that probe knew our life
 *     eager    epochs in which to probe every time, because the other end was heard
 * </pre>
 *
 * The format of a probe:
 *
 * <pre>
 *   bit 63       40 39        24 23     8 7       0
 *      +-----------+------------+--------+---------+
 *      |     0     | their life |  life  |  heard  |
 *      +-----------+------------+--------+---------+
 * </pre>
 */
final class LinkStates {
    /** A link to or from an absent node: it is never up, and nothing is expected from it. */
    static final int ABSENT = 0;
    static final int DOWN = 1;
    static final int UP = 2;

    /** Effect of an arrival on the state of its link. */
    static final int AS_BEFORE = 0;
    static final int WENT_DOWN = 1;
    static final int CAME_UP = 2;
    static final int MISSED_ONE = 3;

    /** R: number of epochs in which both ends must have received from each other. */
    static final int HEARD_ENOUGH = 4;
    /** Value used instead of a probe if none is sent. */
    static final long NO_PROBE = -1;

    private static final int FIRST_BACKOFF = 3;
    private static final int LAST_BACKOFF = 8;

    private static final int STATE = 0;
    private static final int MISSES = 2;
    private static final int HEARD = 4;
    private static final int BACKOFF = 6;
    private static final int WAIT = 8;
    private static final int LIFE = 10;
    private static final int THEIRS = 12;
    private static final int ECHOED = 14;
    private static final int EAGER = 16;
    private static final int END_BYTES = 20;
    private static final int NO_LIFE = 0xFFFF;

    private static final int LIFE_SHIFT = 8;
    private static final int THEIR_LIFE_SHIFT = 24;
    private final SlotMath numbers;
    private final int words;
    private final int missLimit;
    private final int eagerEpochs;
    private final Region region;
    /** Bitmap of the links that are up, by phase and node; and the number of links that are down. */
    private final Region up;
    private int down;
    /** Number of times that a link went down, and came up. */
    long wentDown;
    long cameUp;

    /** Creates links that are all up. */
    LinkStates(final Arena arena, final Shale shale, final int firstNode, final int nodes) {
        final Phased schedule = shale.schedule();
        final int links = schedule.epochSlots();
        this.numbers = new SlotMath(schedule, nodes);
        this.words = schedule.linkWords();
        this.missLimit = shale.failures().missLimit();
        // Long enough for the reply to a reply to arrive, and for enough of them.
        this.eagerEpochs = 2 * (shale.propagationSlots() / links + 2) + 2 * HEARD_ENOUGH;
        this.region = Region.allocate(arena, (long) numbers.queues() * END_BYTES);
        this.up = Region.allocate(arena, IdleLinks.bytes(shale, nodes));
        for (int queue = 0; queue < numbers.queues(); queue++) {
            final int id = firstNode + numbers.nodeOf(queue);
            final int peer = schedule.peerOf(id, numbers.positionOf(queue));
            if (shale.population().present(id) && shale.population().present(peer)) {
                turn(queue, UP);
            }
        }
    }

    /** Memory of a bank in bytes. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) shale.schedule().epochSlots() * nodes * END_BYTES + IdleLinks.bytes(shale, nodes);
    }

    /** Whether a link is up. */
    boolean isUp(final int queue) {
        return state(queue) == UP;
    }

    /** A word of the bitmap of a node's links in a phase that are up. */
    long up(final int node, final int phase, final int word) {
        return up.getLong(wordAt(node, phase, word));
    }

    /** Sets 1 for each of consecutive nodes whose link is up, else 0. */
    void up(final int first, final int count, final int phase, final int link, final int[] into) {
        final Region memory = up;
        final long from = wordAt(first, phase, link >>> 6);
        final int perNode = words * Long.BYTES;
        for (int i = 0; i < count; i++) {
            into[i] = (int) (memory.getLong(from + Region.offset(i, perNode)) >>> link) & 1;
        }
    }

    /** Number of links that are down; links to and from absent nodes do not count. */
    int down() {
        return down;
    }

    /** State of a link: {@link #UP}, {@link #DOWN} or {@link #ABSENT}. */
    int state(final int queue) {
        return region.getShort((long) queue * END_BYTES + STATE);
    }

    /** Whether a link is up and has missed no cell, so that another cell changes nothing. */
    boolean isSound(final int queue) {
        assert MISSES == STATE + Short.BYTES : "one number for both";
        return region.getInt((long) queue * END_BYTES + STATE) == UP;
    }

    /** Called when a link brought no valid cell in its slot. */
    int onMiss(final int queue) {
        final long at = (long) queue * END_BYTES;
        if (region.getShort(at + STATE) != UP) {
            region.setShort(at + HEARD, 0);
            return AS_BEFORE;
        }
        final int misses = region.getShort(at + MISSES) + 1;
        region.setShort(at + MISSES, misses);
        return misses < missLimit ? MISSED_ONE : down(queue);
    }

    /** Called when a link brought a cell, possibly an idle one. */
    int onCell(final int queue) {
        final long at = (long) queue * END_BYTES;
        if (region.getShort(at + STATE) == DOWN && hasHeardEnough(at)) {
            return up(queue);
        }
        region.setShort(at + MISSES, 0);
        region.setShort(at + HEARD, 0);
        return AS_BEFORE;
    }

    /**
     * Called when a link brought a probe.
     *
     * @param probe its content, see {@link #probe}.
     */
    int onProbe(final int queue, final long probe) {
        final long at = (long) queue * END_BYTES;
        final boolean enoughThere = received(probe) == HEARD_ENOUGH;
        final boolean echoes = theirLife(probe) == region.getShort(at + LIFE);
        if (region.getShort(at + STATE) != DOWN) {
            region.setShort(at + MISSES, 0);
            final boolean isComing = enoughThere && echoes && life(probe) == region.getShort(at + THEIRS);
            return region.getShort(at + STATE) == ABSENT || isComing ? AS_BEFORE : down(queue);
        }
        final int before = life(probe) == region.getShort(at + THEIRS) ? region.getShort(at + HEARD) : 0;
        region.setShort(at + HEARD, Math.min(before + 1, HEARD_ENOUGH));
        region.setShort(at + THEIRS, life(probe));
        region.setShort(at + ECHOED, echoes ? 1 : 0);
        region.setInt(at + EAGER, eagerEpochs);
        region.setShort(at + BACKOFF, FIRST_BACKOFF);
        region.setShort(at + WAIT, 1 << FIRST_BACKOFF);
        return enoughThere && hasHeardEnough(at) ? up(queue) : AS_BEFORE;
    }

    /**
     * Called in the slot of a down link.
     *
     * @return content of its probe, or {@link #NO_PROBE}.
     */
    long probe(final int queue) {
        final long at = (long) queue * END_BYTES;
        final int eager = region.getInt(at + EAGER);
        if (eager > 0) {
            region.setInt(at + EAGER, eager - 1);
            return word(at);
        }
        final int wait = region.getShort(at + WAIT) - 1;
        if (wait > 0) {
            region.setShort(at + WAIT, wait);
            return NO_PROBE;
        }
        final int backoff = Math.min(region.getShort(at + BACKOFF) + 1, LAST_BACKOFF);
        region.setShort(at + BACKOFF, backoff);
        region.setShort(at + WAIT, 1 << backoff);
        return word(at);
    }

    /** Takes an up link down immediately, whatever it brings. */
    void giveUp(final int queue) {
        assert isUp(queue) : "queue=" + queue;
        down(queue);
    }

    /** Resets a link of a node that starts again: it is down, and is probed immediately. */
    void restart(final int queue) {
        final long at = (long) queue * END_BYTES;
        if (region.getShort(at + STATE) != ABSENT) {
            beDown(queue);
            region.setShort(at + BACKOFF, FIRST_BACKOFF - 1);
            region.setShort(at + WAIT, 1);
        }
    }

    private boolean hasHeardEnough(final long at) {
        return region.getShort(at + HEARD) == HEARD_ENOUGH && region.getShort(at + ECHOED) == 1;
    }

    private int down(final int queue) {
        beDown(queue);
        wentDown++;
        return WENT_DOWN;
    }

    private void beDown(final int queue) {
        final long at = (long) queue * END_BYTES;
        turn(queue, DOWN);
        region.setShort(at + MISSES, 0);
        region.setShort(at + HEARD, 0);
        region.setShort(at + BACKOFF, FIRST_BACKOFF);
        region.setShort(at + WAIT, 1 << FIRST_BACKOFF);
        region.setShort(at + LIFE, (region.getShort(at + LIFE) + 1) % NO_LIFE);
        region.setShort(at + THEIRS, NO_LIFE);
        region.setShort(at + ECHOED, 0);
        region.setInt(at + EAGER, 0);
    }

    private int up(final int queue) {
        final long at = (long) queue * END_BYTES;
        turn(queue, UP);
        region.setShort(at + MISSES, 0);
        region.setShort(at + HEARD, 0);
        cameUp++;
        return CAME_UP;
    }

    private void turn(final int queue, final int to) {
        down += (to == DOWN ? 1 : 0) - (state(queue) == DOWN ? 1 : 0);
        region.setShort((long) queue * END_BYTES + STATE, to);
        final int link = numbers.linkOf(queue);
        final long at = wordAt(numbers.nodeOf(queue), numbers.phaseOf(queue), link >>> 6);
        up.setLong(at, to == UP ? up.getLong(at) | 1L << link : up.getLong(at) & ~(1L << link));
    }

    private long wordAt(final int node, final int phase, final int word) {
        return Region.offset(numbers.column(phase, node) * words + word, Long.BYTES);
    }

    private long word(final long at) {
        return (long) region.getShort(at + THEIRS) << THEIR_LIFE_SHIFT | (long) region.getShort(at + LIFE) << LIFE_SHIFT
            | region.getShort(at + HEARD);
    }

    /** Number of epochs for which the sender of a probe has received from the other end. */
    private static int received(final long probe) {
        return (int) probe & 0xFF;
    }

    /** The life of the sender of a probe. */
    private static int life(final long probe) {
        return (int) (probe >>> LIFE_SHIFT) & NO_LIFE;
    }

    /** The life of the receiver of a probe, as known by its sender. */
    private static int theirLife(final long probe) {
        return (int) (probe >>> THEIR_LIFE_SHIFT) & NO_LIFE;
    }
}
