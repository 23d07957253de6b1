package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * Whether each link of each node of a bank is up, as its own end knows it: a link goes down when it fails to bring a
 * cell, and comes up again when both ends have heard each other for a while (Shale §3.4, App. A, docs/spec/shale.md
 * §8.1, §8.5).
 *
 * <pre>
 *   one end of a link
 *   0       2        4       6         8      10     12       14       16      20
 *   +-------+--------+-------+---------+------+------+--------+--------+-------+
 *   | state | misses | heard | backoff | wait | life | theirs | echoed | eager |
 *   +-------+--------+-------+---------+------+------+--------+--------+-------+
 *     misses   cells in a row that an up link has failed to bring
 *     heard    epochs in a row in which a down link has brought a probe, {@value #HEARD_ENOUGH} at most
 *     backoff  2^backoff epochs lie between probes that nobody answers
 *     wait     epochs to the next of them
 *     life     counts how often this end has been down
 *     theirs   what the other end's last probe said its life was, NO_LIFE: nothing was heard
 *     echoed   1 if that probe knew our life
 *     eager    epochs in which to probe every time, as the other end was heard
 * </pre>
 *
 * A down link is silent but for probes, which say how long their sender has heard the other end, its own life and the
 * other's as it knows it. An end that has heard {@value #HEARD_ENOUGH} probes in a row, the last of which says the same
 * of the other end and knows its life, is up: it knows that both know. The other end has then heard enough as well;
 * should it lack the word, the first cell it gets is it. Any other probe puts an up link down.
 *
 * <p>So each life of a link begins empty at both ends, whatever the propagation delay: who comes up has heard a probe
 * that its sender sent after it had learned that this end was down, and down itself; all it sent before has arrived.
 *
 * <p>Beside these records, which change with what arrives, the links that are up are bits, for who looks for one. One
 * thread at a time.
 */
final class LinkStates {
    /** A link to or from an absent node: it is never up, and nothing is expected of it. */
    static final int ABSENT = 0;
    static final int DOWN = 1;
    static final int UP = 2;

    /** What an arrival means for its link. */
    static final int AS_BEFORE = 0;
    static final int WENT_DOWN = 1;
    static final int CAME_UP = 2;
    static final int MISSED_ONE = 3;

    /** R: epochs in which both ends must have heard each other. */
    static final int HEARD_ENOUGH = 4;
    /** In place of what a probe says: there is none. */
    static final long NO_PROBE = -1;

    private static final int FIRST_BACKOFF = 3;
    private static final int LAST_BACKOFF = 8;
    private static final int NO_LIFE = 0xFFFF;

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

    private final int nodes;
    private final int linksPerPhase;
    private final int words;
    private final int missLimit;
    private final int eagerEpochs;
    private final Region region;
    /** By phase and node, a bit for each link that is up; and how many are down. */
    private final Region up;
    private int down;
    private long wentDown;
    private long cameUp;

    /** All links up. */
    LinkStates(final Arena arena, final Shale shale, final int firstNode, final int nodes) {
        final Phased schedule = shale.schedule();
        final int links = schedule.epochSlots();
        this.nodes = nodes;
        this.linksPerPhase = schedule.linksPerPhase();
        this.words = schedule.linkWords();
        this.missLimit = shale.failures().missLimit();
        // Until the answer to an answer can have come, and enough of them.
        this.eagerEpochs = 2 * (shale.propagationSlots() / links + 2) + 2 * HEARD_ENOUGH;
        this.region = Region.allocate(arena, (long) links * nodes * END_BYTES);
        this.up = Region.allocate(arena, Spray.bytes(shale, nodes));
        for (int queue = 0; queue < links * nodes; queue++) {
            final int id = firstNode + queue % nodes;
            if (shale.population().present(id) && shale.population().present(schedule.peerOf(id, queue / nodes))) {
                turn(queue, UP);
            }
        }
    }

    /** Memory of a bank in bytes. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) shale.schedule().epochSlots() * nodes * END_BYTES + Spray.bytes(shale, nodes);
    }

    /** Whether a link is up. */
    boolean isUp(final int queue) {
        return state(queue) == UP;
    }

    /** The links of a node in a phase that are up: a word of them, a bit each. */
    long up(final int node, final int phase, final int word) {
        return up.getLong(wordAt(node, phase, word));
    }

    /** Which of some nodes that follow each other have their link of a phase up: 1 for each, else 0. */
    void up(final int first, final int count, final int phase, final int link, final int[] into) {
        final Region memory = up;
        final long from = wordAt(first, phase, link >>> 6);
        final int perNode = words * Long.BYTES;
        for (int i = 0; i < count; i++) {
            into[i] = (int) (memory.getLong(from + Region.offset(i, perNode)) >>> link) & 1;
        }
    }

    /** Links that are down, those to and from absent nodes left aside. */
    int down() {
        return down;
    }

    /** {@link #UP}, {@link #DOWN} or {@link #ABSENT}. */
    int state(final int queue) {
        return region.getShort((long) queue * END_BYTES + STATE);
    }

    /** Whether a link is up and has brought every cell: one more changes nothing. */
    boolean isSound(final int queue) {
        assert MISSES == STATE + Short.BYTES : "one number for both";
        return region.getInt((long) queue * END_BYTES + STATE) == UP;
    }

    /** A link brought no valid cell in its slot. */
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

    /** A link brought a cell, be it an idle one. */
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
     * A link brought a probe.
     *
     * @param probe what it says, see {@link #probe}.
     */
    int onProbe(final int queue, final long probe) {
        final long at = (long) queue * END_BYTES;
        final boolean enoughThere = heardThere(probe) == HEARD_ENOUGH;
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
     * The slot of a down link has come.
     *
     * <pre>
     *   bit 63       40 39        24 23     8 7       0
     *      +-----------+------------+--------+---------+
     *      |     0     | their life |  life  |  heard  |
     *      +-----------+------------+--------+---------+
     * </pre>
     *
     * @return what its probe says, or {@link #NO_PROBE}.
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

    /** An up link goes down at once, whatever it brings. */
    void giveUp(final int queue) {
        assert isUp(queue) : "queue=" + queue;
        down(queue);
    }

    /** A link of a node that starts again: down, and to be probed at once. */
    void restart(final int queue) {
        final long at = (long) queue * END_BYTES;
        if (region.getShort(at + STATE) != ABSENT) {
            beDown(queue);
            region.setShort(at + BACKOFF, FIRST_BACKOFF - 1);
            region.setShort(at + WAIT, 1);
        }
    }

    /** Times a link went down. */
    long wentDown() {
        return wentDown;
    }

    /** Times a link came up. */
    long cameUp() {
        return cameUp;
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
        final int inEpoch = queue / nodes;
        final int phase = inEpoch / linksPerPhase;
        final int link = inEpoch - phase * linksPerPhase;
        final long at = wordAt(queue - inEpoch * nodes, phase, link >>> 6);
        up.setLong(at, to == UP ? up.getLong(at) | 1L << link : up.getLong(at) & ~(1L << link));
    }

    private long wordAt(final int node, final int phase, final int word) {
        return Region.offset((phase * nodes + node) * words + word, Long.BYTES);
    }

    private long word(final long at) {
        return (long) region.getShort(at + THEIRS) << 24 | (long) region.getShort(at + LIFE) << 8
            | region.getShort(at + HEARD);
    }

    private static int heardThere(final long probe) {
        return (int) probe & 0xFF;
    }

    private static int life(final long probe) {
        return (int) (probe >>> 8) & 0xFFFF;
    }

    private static int theirLife(final long probe) {
        return (int) (probe >>> 24) & 0xFFFF;
    }
}
