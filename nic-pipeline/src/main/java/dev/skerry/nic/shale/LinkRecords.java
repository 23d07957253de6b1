package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * The records of every link of a bank's nodes: which paths the other end has reported as lost (docs/spec/shale.md §8.2,
 * see {@link PathReachability}). Links that records keep a cell off are looked up 64 at a time. One thread at a time.
 */
final class LinkRecords {
    private final Phased schedule;
    private final SlotMath numbers;
    private final int words;
    private final int firstNode;
    private final BucketSets buckets;
    /** Paths lost by records {j,0}. */
    private final LostPaths lost;
    /** By phase and node: a bit for each link with records {d,n}, n at least 1. */
    private final Region sprayless;

    /** No record. */
    LinkRecords(final Arena arena, final Shale shale, final int firstNode, final int nodes) {
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, nodes);
        this.words = schedule.linkWords();
        this.firstNode = firstNode;
        this.buckets = new BucketSets(numbers.queues());
        this.lost = new LostPaths(schedule.coordinates(), numbers.columns() * words);
        this.sprayless = Region.allocate(arena, bytes(shale, nodes));
    }

    /** Off-heap memory in bytes. */
    static long bytes(final Shale shale, final int nodes) {
        return IdleLinks.bytes(shale, nodes);
    }

    /** Adds a record; false if it was there already. */
    boolean add(final int queue, final int bucket) {
        final boolean added = buckets.add(queue, bucket);
        if (added) {
            note(queue, bucket, true);
        }
        return added;
    }

    /** Takes a record away; false if there was none. */
    boolean remove(final int queue, final int bucket) {
        final boolean removed = buckets.remove(queue, bucket);
        if (removed) {
            note(queue, bucket, false);
        }
        return removed;
    }

    /** Takes all records of a link away. */
    void clear(final int queue) {
        buckets.clear(queue);
        noteSprayless(queue);
        lost.clear(word(queue), link(queue));
    }

    /** A record was added or removed. */
    private void note(final int queue, final int bucket, final boolean isNew) {
        if (isOfSpraying(bucket)) {
            noteSprayless(queue);
            return;
        }
        final int phase = numbers.phaseOf(queue);
        final int link = link(queue);
        final int peer = schedule.peerOf(firstNode + numbers.nodeOf(queue), phase, link);
        if (isNew) {
            lost.lose(word(queue), phase, link, peer, Route.bucketDestination(bucket));
        } else {
            lost.regain(word(queue), phase, link, peer, Route.bucketDestination(bucket));
        }
    }

    private void noteSprayless(final int queue) {
        boolean any = false;
        for (final int bucket : buckets.of(queue)) {
            any |= isOfSpraying(bucket);
        }
        final long at = Region.offset(word(queue), Long.BYTES);
        final long others = sprayless.getLong(at) & ~(1L << link(queue));
        sprayless.setLong(at, any ? others | 1L << link(queue) : others);
    }

    /** Whether a link has a record. */
    boolean contains(final int queue, final int bucket) {
        return buckets.contains(queue, bucket);
    }

    /** The records of a link in ascending order: a snapshot, not to be written. */
    int[] of(final int queue) {
        return buckets.of(queue);
    }

    /** Records of a link. */
    int size(final int queue) {
        return buckets.size(queue);
    }

    /**
     * The links among a word of a phase that no record keeps a cell off.
     *
     * @param sprays spraying hops left after the link.
     */
    long open(final int node, final int phase, final int word, final long links, final int destination,
        final int sprays) {
        final int at = word(node, phase, word);
        if (sprays == 0) {
            return links & ~lost.to(at, phase, destination);
        }
        long open = links;
        for (long rest = links & sprayless.getLong(Region.offset(at, Long.BYTES)); rest != 0; rest &= rest - 1) {
            final int link = word * Long.SIZE + Long.numberOfTrailingZeros(rest);
            if (buckets.contains(numbers.queue(phase, link, node), Route.bucket(destination, sprays))) {
                open ^= Long.lowestOneBit(rest);
            }
        }
        return open;
    }

    private static boolean isOfSpraying(final int bucket) {
        return (bucket & Route.MAX_SPRAYS) > 0;
    }

    private int link(final int queue) {
        return numbers.linkOf(queue);
    }

    private int word(final int queue) {
        return word(numbers.nodeOf(queue), numbers.phaseOf(queue), link(queue) >>> 6);
    }

    private int word(final int node, final int phase, final int word) {
        return numbers.column(phase, node) * words + word;
    }
}
