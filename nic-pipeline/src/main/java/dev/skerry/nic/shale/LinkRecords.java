package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;

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
        this.lost = new LostPaths(schedule.coordinates(), numbers.columns() * words);
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
     * end of the link. Those are some lanes of {@link Coordinates#digits}, the same for all links of a phase. Hence
     * there is a table for each last phase, and the digits of a destination are the key to the links behind which its
     * path is lost.
     *
     * <pre>
     *   tables of 64 links of a node in a phase, one for each last phase: pairs of
     *     digits in those lanes + 1, 0: free | links, a bit each
     * </pre>
     *
     * Keys whose links are all mended stay until the table is full. One thread at a time.
     */
    static final class LostPaths {
        private static final int PAIR = 2;
        private static final int FIRST_PAIRS = 4;
        private static final long SPREAD = 0x9E3779B97F4A7C15L;
        private static final long[] NONE = {};

        private final Coordinates coordinates;
        private final int phases;
        /** By phase and last phase: the lanes of the phases after the first up to the last. */
        private final long[] lanes;
        private final long[][] tables;
        /** Of each table: pairs in use, and a bit for the hash of each key, since most look-ups find nothing. */
        private final int[] used;
        private final long[] filters;

        /**
         * Nothing lost.
         *
         * @param words of 64 links of a node in a phase.
         */
        LostPaths(final Coordinates coordinates, final int words) {
            this.coordinates = coordinates;
            this.phases = coordinates.phases();
            this.lanes = new long[phases * phases];
            for (int phase = 0; phase < phases; phase++) {
                long all = 0;
                for (int turn = 1; turn <= phases; turn++) {
                    final int last = (phase + turn) % phases;
                    all |= coordinates.lane(last);
                    lanes[phase * phases + last] = all;
                }
            }
            this.tables = new long[words * phases][];
            Arrays.fill(tables, NONE);
            this.used = new int[tables.length];
            this.filters = new long[tables.length];
        }

        /**
         * Paths behind a link are lost.
         *
         * @param word  the word of the link.
         * @param phase of the link.
         * @param link  its number in the phase; the bit is that modulo 64.
         * @param peer  the node at its other end.
         * @param node  which they enter over a hop that has failed; not the peer.
         */
        void lose(final int word, final int phase, final int link, final int peer, final int node) {
            final int last = coordinates.lastDifference(peer, node, phase);
            add(word * phases + last, key(phase, last, coordinates.digits(node)), 1L << link);
        }

        /** Paths behind a link that were lost are there again; parameters as in {@link #lose}. */
        void regain(final int word, final int phase, final int link, final int peer, final int node) {
            final int last = coordinates.lastDifference(peer, node, phase);
            final long[] table = tables[word * phases + last];
            table[find(table, key(phase, last, coordinates.digits(node))) + 1] &= ~(1L << link);
        }

        /** Forgets what is lost behind a link. */
        void clear(final int word, final int link) {
            for (int last = 0; last < phases; last++) {
                final long[] table = tables[word * phases + last];
                for (int at = 0; at < table.length; at += PAIR) {
                    table[at + 1] &= ~(1L << link);
                }
            }
        }

        /** The links of a word behind which the path to a destination is lost, a bit each. */
        long to(final int word, final int phase, final int destination) {
            final long digits = coordinates.digits(destination);
            long lost = 0;
            for (int last = 0; last < phases; last++) {
                final int table = word * phases + last;
                final long key = key(phase, last, digits);
                if ((filters[table] >>> hash(key) & 1) != 0) {
                    lost |= tables[table][find(tables[table], key) + 1];
                }
            }
            return lost;
        }

        private long key(final int phase, final int last, final long digits) {
            return (digits & lanes[phase * phases + last]) + 1;
        }

        private void add(final int table, final long key, final long links) {
            if (used[table] * PAIR * 2 >= tables[table].length) {
                makeRoom(table);
            }
            final long[] pairs = tables[table];
            final int at = find(pairs, key);
            used[table] += pairs[at] == 0 ? 1 : 0;
            filters[table] |= 1L << hash(key);
            pairs[at] = key;
            pairs[at + 1] |= links;
        }

        /** Removes mended pairs; grows the table if few were. */
        private void makeRoom(final int table) {
            final long[] old = tables[table];
            int lost = 0;
            for (int at = 0; at < old.length; at += PAIR) {
                lost += old[at + 1] != 0 ? 1 : 0;
            }
            final int length = lost * PAIR * 3 > old.length ? 2 * old.length : old.length;
            tables[table] = new long[Math.max(FIRST_PAIRS * PAIR, length)];
            used[table] = 0;
            filters[table] = 0;
            for (int at = 0; at < old.length; at += PAIR) {
                if (old[at + 1] != 0) {
                    add(table, old[at], old[at + 1]);
                }
            }
        }

        /** The place of a key in a table, or the free place for it. */
        private static int find(final long[] table, final long key) {
            final int mask = table.length - 1;
            int at = hash(key) * PAIR & mask;
            while (table[at] != key && table[at] != 0) {
                at = at + PAIR & mask;
            }
            return at;
        }

        /** The low bits are the place in a table, the low six the bit of a filter. */
        private static int hash(final long key) {
            return (int) (key * SPREAD >>> Integer.SIZE);
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
