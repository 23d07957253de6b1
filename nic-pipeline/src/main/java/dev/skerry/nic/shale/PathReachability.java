package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import org.agrona.collections.Long2LongCounterMap;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Knowledge of failures of the nodes of a bank, which they announce to each other (Shale App. A, docs/spec/shale.md
 * §8.2, §8.4, §8.5).
 *
 * <p>A link has a record {@code {j,0}} if on the direct paths that begin with it the hop to {@code j} has failed, and
 * {@code {d,n}}, n at least 1, if its other end cannot spray cells to {@code d} that arrive with n spraying hops left.
 * A direct path is blocked if it enters a node of which its first link has a record.
 *
 * <p>A node notifies its neighbours of what it loses and regains. The records of a link are what the other end has
 * reported since the link came up. When the link goes down they are revoked, also at the neighbours that were notified
 * of them. When it comes up, each end reports everything to the other. (The paper does not specify either.) Once all
 * notices have arrived, the records therefore match the actual state, in whatever order the events happened.
 *
 * <p>Links are identified by phase and link or by queue, see {@link SlotMath}. One thread at a time.
 */
public final class PathReachability {
    private final Phased schedule;
    private final int phases;
    final SlotMath numbers;
    private final int words;
    private final int firstNode;
    final LinkStates states;
    final FailureNotices notices;
    /** Records of each queue; data derived from them is kept separately. */
    final BucketSets records;
    /** Paths lost by records {j,0}. */
    private final LostPaths lost;
    /** By phase and node: bitmap of the links with records {d,n}, n at least 1. */
    private final Region sprayless;
    /** By phase and node: buckets {@code <d,n>} that the node cannot spray in the phase, and has reported. */
    final BucketSets blocked;
    /** By node: destinations it has reported to its application as unreachable. */
    final BucketSets unreachable;
    /** By node: number of links that are down, plus number of records. */
    private final int[] troubles;
    private long unreachableReports;
    private long errors;

    /**
     * Creates the state without failures.
     *
     * @param arena     owner of the memory.
     * @param shale     the fabric.
     * @param firstNode id of the bank's first node.
     * @param nodes     number of nodes of the bank.
     * @param pool      overflow of the bank.
     */
    public PathReachability(final Arena arena, final Shale shale, final int firstNode, final int nodes,
        final SpillPool pool) {
        this.schedule = shale.schedule();
        this.phases = schedule.phases();
        this.numbers = new SlotMath(schedule, nodes);
        this.words = schedule.linkWords();
        this.firstNode = firstNode;
        this.states = new LinkStates(arena, shale, firstNode, nodes);
        this.notices = new FailureNotices(arena, numbers.queues(), pool);
        this.records = new BucketSets(numbers.queues());
        this.lost = new LostPaths(schedule);
        this.sprayless = Region.allocate(arena, IdleLinks.bytes(shale, nodes));
        this.blocked = new BucketSets(numbers.columns());
        this.unreachable = new BucketSets(nodes);
        this.troubles = new int[nodes];
    }

    /** Whether the link of a queue may be used. */
    public boolean isUp(final int queue) {
        return states.isUp(queue);
    }

    /** Whether the link of a queue is up at this end, has missed nothing, and has no miss to announce. */
    public boolean isSound(final int queue) {
        return states.isSound(queue) && !FailureNotices.isMissing(notices.peek(queue));
    }

    /** Whether a link of a node is down or has a record; links to absent nodes do not count. */
    boolean isTroubled(final int node) {
        return troubles[node] > 0;
    }

    /**
     * Whether a cell may take a link: it is up, and no known failure blocks the paths after it.
     *
     * @param sprays spraying hops left after the link.
     */
    boolean usable(final int queue, final int destination, final int sprays) {
        final int link = numbers.linkOf(queue);
        return usable(numbers.nodeOf(queue), numbers.phaseOf(queue), link >>> 6, 1L << link, destination, sprays) != 0;
    }

    /**
     * The links of a phase that a cell may take.
     *
     * @param word   index of a group of 64 links of the phase.
     * @param among  bitmap of the links to consider.
     * @param sprays spraying hops left after the link.
     * @return bitmap of the links that it may take.
     */
    long usable(final int node, final int phase, final int word, final long among, final int destination,
        final int sprays) {
        final int at = numbers.column(phase, node) * words + word;
        final long links = among & states.up(node, phase, word);
        if (sprays == 0) {
            return links & ~lost.to(at, phase, destination);
        }
        long open = links;
        for (long rest = links & sprayless.getLong(Region.offset(at, Long.BYTES)); rest != 0; rest &= rest - 1) {
            final int link = word * Long.SIZE + Long.numberOfTrailingZeros(rest);
            if (records.contains(numbers.queue(phase, link, node), Route.bucket(destination, sprays))) {
                open ^= Long.lowestOneBit(rest);
            }
        }
        return open;
    }

    /**
     * Whether, as far as known, the first failed hop of the direct path to a destination over an up link is the last
     * one.
     */
    boolean lastHopFailed(final int queue, final int destination) {
        int at = peer(queue);
        while (at != destination) {
            final int next = schedule.coordinates().nextDifference(at, destination, numbers.phaseOf(queue));
            at = schedule.coordinates().withDigit(at, next, schedule.coordinates().digit(destination, next));
            if (records.contains(queue, Route.bucket(at, 0))) {
                return at == destination;
            }
        }
        return false;
    }

    /** Whether a cell that starts at a node may take none of its links. */
    public boolean isUnreachable(final int node, final int destination) {
        for (int phase = 0; phase < phases; phase++) {
            if (anyUsable(node, phase, destination, phases - 1)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Called when a local flow may not take a link. If it may take no link, this is reported to the application once.
     */
    void onRefused(final int node, final int destination) {
        if (!unreachable.contains(node, destination) && isUnreachable(node, destination)) {
            unreachable.add(node, destination);
            unreachableReports++;
        }
    }

    /** Called when an up link brought no cell: this is reported to the other end before anything else. */
    void onMissing(final int queue) {
        notices.addFirst(queue, FailureNotices.missing(peer(queue)));
    }

    /** Called when a link has gone down. */
    void onDown(final int node, final int queue) {
        notices.clear(queue);
        troubles[node]++;
        announce(node, numbers.phaseOf(queue), phases, FailureNotices.of(Route.bucket(peer(queue), 0), true), queue);
        for (final int bucket : records.of(queue)) {
            pass(node, queue, bucket, false);
        }
        troubles[node] -= records.size(queue);
        forget(queue);
    }

    /** Removes all records of a link. */
    private void forget(final int queue) {
        final int[] all = records.of(queue);
        records.clear(queue);
        for (final int bucket : all) {
            note(queue, bucket, false);
        }
    }

    /** Updates derived data after a record was added or removed. */
    private void note(final int queue, final int bucket, final boolean isNew) {
        final int phase = numbers.phaseOf(queue);
        final int link = numbers.linkOf(queue);
        final int word = numbers.column(phase, numbers.nodeOf(queue)) * words + (link >>> 6);
        if (Route.sprays(bucket) == 0) {
            lost.note(word, phase, peer(queue), Route.bucketDestination(bucket), isNew ? 1L << link : -(1L << link));
            return;
        }
        final long at = Region.offset(word, Long.BYTES);
        final long others = sprayless.getLong(at) & ~(1L << link);
        sprayless.setLong(at, Arrays.stream(records.of(queue)).anyMatch(each -> Route.sprays(each) > 0)
            ? others | 1L << link : others);
    }

    /** Called when a link has come up. */
    void onUp(final int node, final int queue) {
        final int phase = numbers.phaseOf(queue);
        troubles[node]--;
        announce(node, phase, phases, FailureNotices.of(Route.bucket(peer(queue), 0), false), queue);
        introduce(node, phase, queue);
        regain(node, phase);
    }

    /**
     * Handles a neighbour's notice that paths are lost.
     *
     * @param queue  the link to this neighbour.
     * @param bucket the paths.
     * @return whether this was not known before.
     */
    boolean onLost(final int node, final int queue, final int bucket) {
        if (!isPossible(node, queue, bucket)) {
            errors++;
            return false;
        }
        if (!records.add(queue, bucket)) {
            return false;
        }
        note(queue, bucket, true);
        troubles[node]++;
        pass(node, queue, bucket, true);
        return true;
    }

    /** Handles a neighbour's notice that paths are available again. */
    void onRegained(final int node, final int queue, final int bucket) {
        if (records.remove(queue, bucket)) {
            note(queue, bucket, false);
            troubles[node]--;
            pass(node, queue, bucket, false);
            regain(node, numbers.phaseOf(queue));
        }
    }

    /**
     * Called when a cell found no usable link in a phase: notifies the neighbours from which it may come, once (§8.4).
     */
    void onNoLink(final int node, final int phase, final int destination, final int sprays) {
        if (sprays + 1 < phases && blocked.add(numbers.column(phase, node), Route.bucket(destination, sprays + 1))) {
            final int notice = FailureNotices.of(Route.bucket(destination, sprays + 1), true);
            announce(node, phase + phases - 1, 1, notice, -1);
        }
    }

    /** Called when a node stops: it loses its state, and its links are down. */
    void onNodeDown(final int node) {
        troubles[node] = 0;
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            states.restart(queue);
            notices.clear(queue);
            forget(queue);
            troubles[node] += states.state(queue) == LinkStates.DOWN ? 1 : 0;
        }
        for (int phase = 0; phase < phases; phase++) {
            blocked.clear(numbers.column(phase, node));
        }
        unreachable.clear(node);
    }

    /** Number of times that a destination was reported as unreachable. */
    public long unreachableReports() {
        return unreachableReports;
    }

    /** Number of notices that no neighbour can have sent. */
    public long errors() {
        return errors;
    }

    /** Queues a notice for the neighbours of consecutive phases, over every up link except one. */
    private void announce(final int node, final int firstPhase, final int count, final int notice, final int butQueue) {
        for (int i = 0; i < count; i++) {
            final int phase = (firstPhase + i) % phases;
            for (int link = 0; link < schedule.linksPerPhase(); link++) {
                final int queue = numbers.queue(phase, link, node);
                if (queue != butQueue && states.isUp(queue)
                    && peer(queue) != Route.bucketDestination(FailureNotices.bucket(notice))) {
                    notices.add(queue, notice);
                }
            }
        }
    }

    /** Passes a notice {j,0} from a link on to neighbours whose direct paths to j lead over that link. */
    private void pass(final int node, final int queue, final int bucket, final boolean lost) {
        if (Route.sprays(bucket) == 0) {
            final int phase = numbers.phaseOf(queue);
            final int failed = lastHop(queue, bucket);
            announce(node, failed, phase - failed + (phase < failed ? phases : 0), FailureNotices.of(bucket, lost),
                queue);
        }
    }

    /** The phase of the last hop of direct paths over a link to the destination of a bucket. */
    private int lastHop(final int queue, final int bucket) {
        return schedule.coordinates().lastDifference(peer(queue), Route.bucketDestination(bucket),
            numbers.phaseOf(queue));
    }

    /** Reports everything to a neighbour whose link has just come up. */
    private void introduce(final int node, final int phase, final int queue) {
        for (int other = node; other < numbers.queues(); other += numbers.step()) {
            if (states.state(other) == LinkStates.DOWN) {
                notices.add(queue, FailureNotices.of(Route.bucket(peer(other), 0), true));
            }
            for (final int bucket : records.of(other)) {
                if (reaches(other, bucket, phase)) {
                    notices.add(queue, FailureNotices.of(bucket, true));
                }
            }
        }
        for (final int bucket : blocked.of(numbers.column((phase + 1) % phases, node))) {
            if (Route.bucketDestination(bucket) != peer(queue)) {
                notices.add(queue, FailureNotices.of(bucket, true));
            }
        }
    }

    /** Whether a record of a link of one phase concerns the neighbours of another phase. */
    private boolean reaches(final int queue, final int bucket, final int phase) {
        if (Route.sprays(bucket) > 0) {
            return false;
        }
        final int recordPhase = numbers.phaseOf(queue);
        final int failed = lastHop(queue, bucket);
        return (phase - failed + phases) % phases < (recordPhase - failed + phases) % phases;
    }

    /** Revokes the reports of what a phase could not reach, if it has a usable link again. */
    private void regain(final int node, final int phase) {
        final int index = numbers.column(phase, node);
        for (final int bucket : blocked.of(index)) {
            if (anyUsable(node, phase, Route.bucketDestination(bucket), Route.sprays(bucket) - 1)) {
                blocked.remove(index, bucket);
                announce(node, phase + phases - 1, 1, FailureNotices.of(bucket, false), -1);
            }
        }
        unreachable.clear(node);
    }

    private boolean anyUsable(final int node, final int phase, final int destination, final int sprays) {
        for (int word = 0; word < words; word++) {
            if (usable(node, phase, word, -1, destination, sprays) != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a neighbour can report a bucket: with n = 0, that a hop of a direct path from it has failed; with n above
     * 0, that it cannot spray to a node other than itself and the receiver.
     */
    private boolean isPossible(final int node, final int queue, final int bucket) {
        final int destination = Route.bucketDestination(bucket);
        return destination < schedule.nodes() && destination != peer(queue) && Route.sprays(bucket) < phases
            && destination != firstNode + node;
    }

    /** The node at the other end of a link. */
    private int peer(final int queue) {
        return schedule.peerOf(firstNode + numbers.nodeOf(queue), numbers.positionOf(queue));
    }

    /**
     * Lost direct paths: links that a cell to a destination must avoid, because the direct path after them enters a
     * node over a failed hop (docs/spec/shale.md §8.2).
     *
     * <p>A direct path corrects one digit after another, from the phase after that of its link on. It therefore enters
     * a node if the destination has the node's digits in all phases up to the last one in which the node differs from
     * the end of the link. Hence a link is found by the last phase and the destination's digits up to that phase, which
     * are the same for all links of a phase. One thread at a time.
     */
    static final class LostPaths {
        private final Coordinates coordinates;
        private final int phases;
        private final int nodes;
        /**
         * Bitmap of links after which the path is lost, by group of 64 links of a node in a phase, last phase, and the
         * node that has the destination's digits up to that phase and 0 otherwise.
         */
        private final Long2LongCounterMap lost = new Long2LongCounterMap(0);

        /** Creates the state without lost paths. */
        LostPaths(final Phased schedule) {
            this.coordinates = schedule.coordinates();
            this.phases = schedule.phases();
            this.nodes = schedule.nodes();
        }

        /**
         * Records that paths after a link are newly lost, or available again.
         *
         * @param word   the word of the link.
         * @param phase  phase of the link.
         * @param peer   the node at its other end.
         * @param node   the node that they enter over a failed hop; not the peer.
         * @param change the bit of the link in the word, to be added.
         */
        void note(final int word, final int phase, final int peer, final int node, final long change) {
            final int last = coordinates.lastDifference(peer, node, phase);
            int prefix = 0;
            int at = phase;
            do {
                at = at + 1 == phases ? 0 : at + 1;
                prefix = coordinates.withDigit(prefix, at, coordinates.digit(node, at));
            } while (at != last);
            lost.addAndGet(key(word, last, prefix), change);
        }

        /** Bitmap of the links of a word after which the path to a destination is lost. */
        long to(final int word, final int phase, final int destination) {
            long links = 0;
            int prefix = 0;
            int at = phase;
            do {
                at = at + 1 == phases ? 0 : at + 1;
                prefix = coordinates.withDigit(prefix, at, coordinates.digit(destination, at));
                links |= lost.get(key(word, at, prefix));
            } while (at != phase);
            return links;
        }

        private long key(final int word, final int last, final int prefix) {
            return ((long) word * phases + last) * nodes + prefix;
        }
    }

    /**
     * Sets of buckets that failures have made unavailable, one per index, almost all of them empty. They change only
     * when something fails or is repaired, so a change copies. The lookup for every cell is a search in a sorted array.
     * One thread at a time.
     */
    static final class BucketSets {
        private static final int[] EMPTY = {};

        private final int[][] sets;

        BucketSets(final int indices) {
            this.sets = new int[indices][];
            Arrays.fill(sets, EMPTY);
        }

        boolean contains(final int index, final int bucket) {
            return Arrays.binarySearch(sets[index], bucket) >= 0;
        }

        /** Adds a bucket; false if it was already present. */
        boolean add(final int index, final int bucket) {
            final int[] old = sets[index];
            final int found = Arrays.binarySearch(old, bucket);
            if (found >= 0) {
                return false;
            }
            final int place = -found - 1;
            final int[] more = Arrays.copyOf(old, old.length + 1);
            System.arraycopy(old, place, more, place + 1, old.length - place);
            more[place] = bucket;
            sets[index] = more;
            return true;
        }

        /** Removes a bucket; false if it was not present. */
        boolean remove(final int index, final int bucket) {
            final int[] old = sets[index];
            final int place = Arrays.binarySearch(old, bucket);
            if (place < 0) {
                return false;
            }
            final int[] fewer = old.length == 1 ? EMPTY : Arrays.copyOf(old, old.length - 1);
            System.arraycopy(old, place + 1, fewer, place, fewer.length - place);
            sets[index] = fewer;
            return true;
        }

        int size(final int index) {
            return sets[index].length;
        }

        /** The buckets of a set in ascending order: a snapshot, read-only. */
        int[] of(final int index) {
            return sets[index];
        }

        void clear(final int index) {
            sets[index] = EMPTY;
        }
    }
}
