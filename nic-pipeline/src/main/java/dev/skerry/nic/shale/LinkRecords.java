package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import org.agrona.collections.Long2LongCounterMap;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The records of every link of a bank's nodes: which paths the other end has reported as lost (docs/spec/shale.md §8.2,
 * see {@link PathReachability}). Links that records keep a cell off are looked up 64 at a time. One thread at a time.
 */
final class LinkRecords {
    private final Phased schedule;
    private final SlotMath numbers;
    private final int words;
    private final int firstNode;
    /** By queue; changed only by this class, as what follows from a record is kept beside it. */
    final BucketSets buckets;
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
        this.lost = new LostPaths(schedule);
        this.sprayless = Region.allocate(arena, IdleLinks.bytes(shale, nodes));
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
        final int[] all = buckets.of(queue);
        buckets.clear(queue);
        for (final int bucket : all) {
            note(queue, bucket, false);
        }
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
        lost.note(word(queue), phase, peer, Route.bucketDestination(bucket), isNew ? 1L << link : -(1L << link));
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

    /**
     * Direct paths that are lost: links that a cell to a destination must avoid, because the direct path behind them
     * enters a node over a failed hop (docs/spec/shale.md §8.2).
     *
     * <p>A direct path corrects one digit after the other, from the phase after that of its link on. So it enters a
     * node if the destination has the node's digits in all phases up to the last one in which the node differs from the
     * end of the link. Hence a link is found by the last phase and the destination's digits up to there, the same for
     * all links of a phase. One thread at a time.
     */
    static final class LostPaths {
        private final Coordinates coordinates;
        private final int phases;
        private final int nodes;
        /**
         * By 64 links of a node in a phase, last phase, and the node that has the destination's digits up to there and
         * else 0: links behind which the path is lost, a bit each.
         */
        private final Long2LongCounterMap lost = new Long2LongCounterMap(0);

        /** Nothing lost. */
        LostPaths(final Phased schedule) {
            this.coordinates = schedule.coordinates();
            this.phases = schedule.phases();
            this.nodes = schedule.nodes();
        }

        /**
         * Paths behind a link are lost that were not, or are there again that were lost.
         *
         * @param word   the word of the link.
         * @param phase  of the link.
         * @param peer   the node at its other end.
         * @param node   which they enter over a hop that has failed; not the peer.
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

        /** The links of a word behind which the path to a destination is lost, a bit each. */
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
     * Sets of buckets that failures have taken away, one for each index, almost all of them empty. They change only
     * when something fails or is mended, so a change copies. The question for every cell is a search in a sorted array.
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

        /** Adds a bucket; false if it was there already. */
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

        /** Takes a bucket out; false if it was not there. */
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

        /** The buckets of a set in ascending order: a snapshot, not to be written. */
        int[] of(final int index) {
            return sets[index];
        }

        void clear(final int index) {
            sets[index] = EMPTY;
        }
    }
}
