package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.LinkRecords.BucketSets;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * What the nodes of a bank know of failures and tell each other (Shale App. A, docs/spec/shale.md §8.2, §8.4, §8.5).
 *
 * <p>A link has a record {@code {j,0}} if somewhere on the direct paths that begin with it the hop to {@code j} has
 * failed, and {@code {d,n}}, n at least 1, if its other end cannot spray cells to {@code d} that come with n spraying
 * hops to go. A direct path is blocked if it enters a node that its first link has a record of.
 *
 * <p>A node tells its neighbours what it loses and what it regains. The records of a link are what the other end has
 * reported since the link came up. When the link goes down they are revoked, also at the neighbours that were told of
 * them. When it comes up, each end reports everything to the other. (The paper is silent on both.) So once all notices
 * have arrived, records are exactly what holds, in whatever order things happened.
 *
 * <p>Links are named by phase and link or by queue, see {@link SlotMath}. One thread at a time.
 */
public final class PathReachability {
    private static final int NO_NODE = -1;

    private final Phased schedule;
    private final Coordinates coordinates;
    private final int phases;
    private final int linksPerPhase;
    final SlotMath numbers;
    private final int words;
    private final int firstNode;
    final LinkStates states;
    final FailureNotices notices;
    final LinkRecords records;
    /** By phase and node: buckets {@code <d,n>} that the node cannot spray on in the phase, and has said so. */
    final BucketSets blocked;
    /** By node: destinations it has reported to its application as unreachable. */
    final BucketSets unreachable;
    /** By node: links that are down, and records. */
    private final int[] troubles;
    private long unreachableReports;
    private long errors;

    /**
     * Nothing has failed.
     *
     * @param arena     owner of the memory.
     * @param shale     the fabric.
     * @param firstNode id of the bank's first node.
     * @param nodes     nodes of the bank.
     * @param pool      overflow of the bank.
     */
    public PathReachability(final Arena arena, final Shale shale, final int firstNode, final int nodes,
        final SpillPool pool) {
        this.schedule = shale.schedule();
        this.coordinates = schedule.coordinates();
        this.phases = schedule.phases();
        this.linksPerPhase = schedule.linksPerPhase();
        this.numbers = new SlotMath(schedule, nodes);
        this.words = schedule.linkWords();
        this.firstNode = firstNode;
        this.states = new LinkStates(arena, shale, firstNode, nodes);
        this.notices = new FailureNotices(arena, numbers.queues(), pool);
        this.records = new LinkRecords(arena, shale, firstNode, nodes);
        this.blocked = new BucketSets(numbers.columns());
        this.unreachable = new BucketSets(nodes);
        this.troubles = new int[nodes];
    }

    /** Whether the link of a queue may be used. */
    public boolean isUp(final int queue) {
        return states.isUp(queue);
    }

    /** Whether the link of a queue is up at this end, has missed nothing, and has no miss to tell of. */
    public boolean isSound(final int queue) {
        return states.isSound(queue) && !FailureNotices.isMissing(notices.peek(queue));
    }

    /** Whether a link of a node is down or has a record; links to absent nodes do not count. */
    boolean isTroubled(final int node) {
        return troubles[node] > 0;
    }

    /**
     * Whether a cell may take a link: it is up, and nothing is known that blocks the paths behind it.
     *
     * @param sprays spraying hops left after the link.
     */
    boolean usable(final int node, final int phase, final int link, final int destination, final int sprays) {
        return usable(node, phase, link >>> 6, 1L << link, destination, sprays) != 0;
    }

    /**
     * Which links of a phase a cell may take.
     *
     * @param word   64 links of the phase, or what is left.
     * @param among  which of them are asked about, a bit each.
     * @param sprays spraying hops left after the link.
     * @return the links that it may take.
     */
    long usable(final int node, final int phase, final int word, final long among, final int destination,
        final int sprays) {
        return records.open(node, phase, word, among & states.up(node, phase, word), destination, sprays);
    }

    /** Whether the first failed hop of the direct path to a destination over an up link is the last one. */
    boolean lastHopFailed(final int node, final int phase, final int link, final int destination) {
        return blockedAt(queue(node, phase, link), peer(node, phase, link), phase, destination) == destination;
    }

    /** Whether no link of a node may be taken by a cell that starts there. */
    public boolean isUnreachable(final int node, final int destination) {
        for (int phase = 0; phase < phases; phase++) {
            if (anyUsable(node, phase, destination, phases - 1)) {
                return false;
            }
        }
        return true;
    }

    /** A local flow may not take a link. If it may take none, the application is told, once each time. */
    void onRefused(final int node, final int destination) {
        if (!unreachable.contains(node, destination) && isUnreachable(node, destination)) {
            unreachable.add(node, destination);
            unreachableReports++;
        }
    }

    /** An up link brought no cell: the other end is told before anything else. */
    void onMissing(final int node, final int queue) {
        notices.addFirst(queue, FailureNotices.missing(
            peer(node, numbers.phaseOf(queue), numbers.linkOf(queue))));
    }

    /** A link has gone down. */
    void onDown(final int node, final int phase, final int link) {
        final int queue = queue(node, phase, link);
        final int peer = peer(node, phase, link);
        notices.clear(queue);
        troubles[node]++;
        tell(node, phase, phases, FailureNotices.of(Route.bucket(peer, 0), true), queue);
        for (final int bucket : records.buckets.of(queue)) {
            pass(node, queue, bucket, false);
        }
        troubles[node] -= records.buckets.size(queue);
        records.clear(queue);
    }

    /** A link has come up. */
    void onUp(final int node, final int phase, final int link) {
        final int queue = queue(node, phase, link);
        troubles[node]--;
        tell(node, phase, phases, FailureNotices.of(Route.bucket(peer(node, phase, link), 0), false), queue);
        introduce(node, phase, queue);
        regain(node, phase);
    }

    /**
     * A neighbour says that paths are lost.
     *
     * @param queue  the link it is at the other end of.
     * @param bucket which paths.
     * @return whether this was not known.
     */
    boolean onLost(final int node, final int queue, final int bucket) {
        if (!isPossible(node, queue, bucket)) {
            errors++;
            return false;
        }
        if (!records.add(queue, bucket)) {
            return false;
        }
        troubles[node]++;
        pass(node, queue, bucket, true);
        return true;
    }

    /** A neighbour says that paths are there again. */
    void onRegained(final int node, final int queue, final int bucket) {
        if (records.remove(queue, bucket)) {
            troubles[node]--;
            pass(node, queue, bucket, false);
            regain(node, numbers.phaseOf(queue));
        }
    }

    /** A cell met a phase in which no link is usable: the neighbours it may come from are told, once (§8.4). */
    void onNoLink(final int node, final int phase, final int destination, final int sprays) {
        if (sprays + 1 < phases && blocked.add(numbers.column(phase, node), Route.bucket(destination, sprays + 1))) {
            final int notice = FailureNotices.of(Route.bucket(destination, sprays + 1), true);
            tell(node, phase + phases - 1, 1, notice, -1);
        }
    }

    /** A node stops: it forgets everything, and its links are down. */
    void onNodeDown(final int node) {
        troubles[node] = 0;
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            states.restart(queue);
            notices.clear(queue);
            records.clear(queue);
            troubles[node] += states.state(queue) == LinkStates.DOWN ? 1 : 0;
        }
        for (int phase = 0; phase < phases; phase++) {
            blocked.clear(numbers.column(phase, node));
        }
        unreachable.clear(node);
    }

    /** Times a destination was reported as unreachable. */
    public long unreachableReports() {
        return unreachableReports;
    }

    /** Notices that no neighbour can have meant. */
    public long errors() {
        return errors;
    }

    /** Times an end of a link went down. */
    public long linksLost() {
        return states.wentDown();
    }

    /** Times an end of a link came up again. */
    public long linksRegained() {
        return states.cameUp();
    }

    /** Queues a notice for the neighbours of consecutive phases, over every up link except one. */
    private void tell(final int node, final int firstPhase, final int count, final int notice, final int butQueue) {
        for (int i = 0; i < count; i++) {
            final int phase = (firstPhase + i) % phases;
            for (int link = 0; link < linksPerPhase; link++) {
                final int queue = numbers.queue(phase, link, node);
                if (queue != butQueue && states.isUp(queue)
                    && peer(node, phase, link) != Route.bucketDestination(FailureNotices.bucket(notice))) {
                    notices.add(queue, notice);
                }
            }
        }
    }

    /** Passes a notice {j,0} that came over a link on to neighbours whose direct paths to j lead over the link. */
    private void pass(final int node, final int queue, final int bucket, final boolean lost) {
        if ((bucket & Route.MAX_SPRAYS) == 0) {
            final int phase = numbers.phaseOf(queue);
            final int peer = peer(node, phase, numbers.linkOf(queue));
            final int failed = coordinates.lastDifference(peer, Route.bucketDestination(bucket), phase);
            tell(node, failed, phase - failed + (phase < failed ? phases : 0), FailureNotices.of(bucket, lost), queue);
        }
    }

    /** Tells a neighbour whose link has just come up everything it has missed. */
    private void introduce(final int node, final int phase, final int queue) {
        for (int other = node; other < numbers.queues(); other += numbers.step()) {
            final int ofPhase = numbers.phaseOf(other);
            final int peer = peer(node, ofPhase, numbers.linkOf(other));
            if (states.state(other) == LinkStates.DOWN) {
                notices.add(queue, FailureNotices.of(Route.bucket(peer, 0), true));
            }
            for (final int bucket : records.buckets.of(other)) {
                if (reaches(peer, bucket, ofPhase, phase)) {
                    notices.add(queue, FailureNotices.of(bucket, true));
                }
            }
        }
        for (final int bucket : blocked.of(numbers.column((phase + 1) % phases, node))) {
            if (Route.bucketDestination(bucket) != peer(node, phase, numbers.linkOf(queue))) {
                notices.add(queue, FailureNotices.of(bucket, true));
            }
        }
    }

    /** Whether a record of a link of one phase concerns the neighbours of another phase. */
    private boolean reaches(final int peer, final int bucket, final int recordPhase, final int phase) {
        if ((bucket & Route.MAX_SPRAYS) > 0) {
            return false;
        }
        final int failed = coordinates.lastDifference(peer, Route.bucketDestination(bucket), recordPhase);
        return (phase - failed + phases) % phases < (recordPhase - failed + phases) % phases;
    }

    /** Revokes what a phase could not reach, where it has a usable link again. */
    private void regain(final int node, final int phase) {
        final int index = numbers.column(phase, node);
        for (final int bucket : blocked.of(index)) {
            if (anyUsable(node, phase, Route.bucketDestination(bucket), (bucket & Route.MAX_SPRAYS) - 1)) {
                blocked.remove(index, bucket);
                tell(node, phase + phases - 1, 1, FailureNotices.of(bucket, false), -1);
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
        final int phase = numbers.phaseOf(queue);
        final int peer = peer(node, phase, numbers.linkOf(queue));
        return destination < schedule.nodes() && destination != peer && (bucket & Route.MAX_SPRAYS) < phases
            && destination != firstNode + node;
    }

    /** The node that a direct path enters over its first failed hop, as far as known. */
    private int blockedAt(final int queue, final int peer, final int phase, final int destination) {
        int at = peer;
        while (at != destination) {
            final int next = coordinates.nextDifference(at, destination, phase);
            at = coordinates.withDigit(at, next, coordinates.digit(destination, next));
            if (records.buckets.contains(queue, Route.bucket(at, 0))) {
                return at;
            }
        }
        return NO_NODE;
    }

    private int queue(final int node, final int phase, final int link) {
        return numbers.queue(phase, link, node);
    }

    private int peer(final int node, final int phase, final int link) {
        return schedule.peerOf(firstNode + node, phase, link);
    }
}
