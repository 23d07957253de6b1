package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.shale.TieRule.LinkChoice;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Chooses the link of a spraying hop, ties uniformly at random (Shale §3.3.3, docs/spec/shale.md §3): any link;
 * spray-short, the link with the fewest queued cells; or bucket spray, the link with the least of the cell's bucket.
 *
 * <p>The latter two check {@link IdleLinks} first, and read the queues only if no link is idle. If tokens of its bucket
 * are outstanding on an idle link, that link may not be the one with the least.
 *
 * <p>Links to absent nodes are never chosen; nor, for the last spraying hop, links whose following direct path meets an
 * absent node (docs/spec/shale.md §8.6); nor links that failures make useless (§8.2). One bank, one thread.
 */
final class Spray {
    /** No link is usable. */
    static final int NONE = OpenLinks.NONE;
    /** Purpose number of the random bits of a slot. */
    static final int USE = 1;

    /** Value used instead of the length of a queue: more than any queue has. */
    private static final int UNUSABLE = Integer.MAX_VALUE;

    private final CellQueues queues;
    private final boolean shortest;
    /** Chooses among equally good links; null if the choice is random. */
    final LinkChoice ties;
    /** Whether spraying depends on the load of a bucket on a link. */
    private final boolean byBucket;
    private final CongestionControl control;
    /** Counts cells of a bucket; stored, so that a count allocates nothing. */
    private final CellQueues.Visitor counter = this::count;
    private int bucketCounted;
    private int cellsCounted;
    private final OpenLinks open;
    private final SlotMath numbers;
    private final int links;
    private final int words;
    private final IdleLinks empty;
    /** Idle links of a node in a phase, and the lengths of all its queues there. */
    private final long[] idle;
    private final int[] lengths;

    /**
     * Creates the choice for the links of a bank.
     *
     * @param control gives the outstanding tokens.
     * @param reach   knowledge of failures, null if nothing ever fails.
     */
    Spray(final Shale shale, final int nodes, final CellQueues queues, final CongestionControl control,
        final PathReachability reach, final IdleLinks empty) {
        final Phased schedule = shale.schedule();
        this.queues = queues;
        this.empty = empty;
        final SprayRule rule = shale.mechanisms().spraying();
        this.shortest = rule == SprayRule.SHORTEST_QUEUE;
        final TieRule ofTies = shale.mechanisms().ties();
        this.ties = ofTies == TieRule.DRAWN ? null : ofTies.choice(shale, nodes);
        this.byBucket = rule == SprayRule.LEAST_BUCKET;
        this.control = control;
        this.open = new OpenLinks(shale, reach);
        this.numbers = new SlotMath(schedule, nodes);
        this.links = schedule.linksPerPhase();
        this.words = schedule.linkWords();
        this.idle = new long[words];
        this.lengths = new int[links];
    }

    /**
     * Chooses a link.
     *
     * @param id          the node's id.
     * @param node        its number in the bank.
     * @param phase       phase of the hop.
     * @param destination destination of the cell.
     * @param sprays      spraying hops left after this one.
     * @param random      64 random bits.
     * @return a link of the phase, or {@link #NONE} if no link is usable.
     */
    int choose(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        if (!shortest && !byBucket) {
            return open.all(node) ? CounterRandom.below(random, links)
                : chooseOpen(id, node, phase, destination, sprays, random);
        }
        int count = 0;
        for (int word = 0; word < words; word++) {
            final long all = open.among(id, node, phase, word, empty.word(node, phase, word), destination, sprays);
            idle[word] = !byBucket ? all
                : withoutTokens(all, numbers.queue(phase, word * Long.SIZE, node), Route.bucket(destination, sprays));
            count += Long.bitCount(idle[word]);
        }
        return count == 0 ? chooseBusy(id, node, phase, destination, sprays, random)
            : ties == null ? OpenLinks.drawn(idle, count, random) : ties.among(id, node, phase, idle, count, random);
    }

    /** Chooses a link if no link that may be taken is idle. */
    private int chooseBusy(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        if (byBucket || !open.all(node)) {
            return chooseOpen(id, node, phase, destination, sprays, random);
        }
        final int fewest = queues.lengths(numbers.queue(phase, 0, node), numbers.step(), links, lengths);
        return pick(id, node, phase, fewest, random);
    }

    /**
     * Chooses an open link: if the rule requires it, one with the least of the cell's future bucket, and among those
     * one with the shortest queue.
     */
    private int chooseOpen(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        final int[] of = lengths;
        final int first = numbers.queue(phase, 0, node);
        final int bucket = Route.bucket(destination, sprays);
        int least = UNUSABLE;
        int fewest = UNUSABLE;
        long bits = 0;
        for (int link = 0; link < links; link++) {
            bits = link % Long.SIZE == 0 ? open.among(id, node, phase, link / Long.SIZE, -1, destination, sprays)
                : bits >>> 1;
            final int queue = first + link * numbers.step();
            final int load = (bits & 1) == 0 ? UNUSABLE : byBucket ? loadOf(queue, bucket) : 0;
            if (load < least) {
                Arrays.fill(of, 0, link, UNUSABLE);
                least = load;
                fewest = UNUSABLE;
            }
            of[link] = load > least || load == UNUSABLE ? UNUSABLE : byBucket || shortest ? queues.length(queue) : 0;
            fewest = Math.min(fewest, of[link]);
        }
        return fewest < UNUSABLE ? pick(id, node, phase, fewest, random) : open.none(node, phase, destination, sprays);
    }

    /**
     * Load of a bucket on the link of a queue: queued cells that will be in the bucket at the next node, plus its
     * outstanding tokens. Cells on their last hop are in no bucket.
     */
    private int loadOf(final int queue, final int bucket) {
        bucketCounted = bucket;
        cellsCounted = 0;
        queues.forEach(queue, counter);
        return cellsCounted + control.outstanding(queue, bucket);
    }

    private void count(final long entry, final long cell) {
        if (Route.bucket(entry) == bucketCounted) {
            cellsCounted += Route.tokens(entry);
        }
    }

    /**
     * Returns a bitmap of those of 64 idle links on which no token of a bucket is outstanding; the first link has queue
     * {@code first}.
     */
    private long withoutTokens(final long idleLinks, final int first, final int bucket) {
        long without = idleLinks;
        for (long left = idleLinks; left != 0; left &= left - 1) {
            final int link = Long.numberOfTrailingZeros(left);
            without ^= control.outstanding(first + link * numbers.step(), bucket) == 0 ? 0 : 1L << link;
        }
        return without;
    }

    /** Chooses one of the links whose length is {@code fewest}. */
    private int pick(final int id, final int node, final int phase, final int fewest, final long random) {
        if (ties != null) {
            return pickByRule(id, node, phase, fewest, random);
        }
        final int[] of = lengths;
        final int count = links;
        int ties = 0;
        for (int link = 0; link < count; link++) {
            ties += Branchless.ifEqual(of[link], fewest);
        }
        int pick = CounterRandom.below(random, ties);
        int chosen = 0;
        for (int link = 0; link < count; link++) {
            // Counts the links before the chosen one: up to each of them there are at most pick ties.
            pick -= Branchless.ifEqual(of[link], fewest);
            chosen -= ~pick >> 31;
        }
        return chosen;
    }

    private int pickByRule(final int id, final int node, final int phase, final int fewest, final long random) {
        Arrays.fill(idle, 0);
        int count = 0;
        for (int link = 0; link < links; link++) {
            if (lengths[link] == fewest) {
                idle[link / Long.SIZE] |= 1L << link;
                count++;
            }
        }
        return ties.among(id, node, phase, idle, count, random);
    }

    /**
     * Bitmap of the links of every node and phase whose queue is empty: while there are any, the shortest queues are
     * the set bits, and spray-short reads one word instead of r - 1 queues.
     *
     * <pre>
     *   [phase][node][word]: bit k mod 64 of word k div 64 is set while the queue of link k is empty
     * </pre>
     *
     * One bank, one thread.
     */
    static final class IdleLinks {
        private final SlotMath numbers;
        private final int words;
        private final Region bits;
        /** By position in the epoch: the first word of the phase in which the link has its bit, and the bit. */
        private final int[] wordOf;
        private final int[] bitOf;

        /** Creates a bitmap in which all links are idle. */
        IdleLinks(final Arena arena, final Shale shale, final int nodes) {
            final Phased schedule = shale.schedule();
            this.numbers = new SlotMath(schedule, nodes);
            this.words = schedule.linkWords();
            this.bits = Region.allocate(arena, bytes(shale, nodes));
            this.wordOf = new int[schedule.epochSlots()];
            this.bitOf = new int[schedule.epochSlots()];
            for (int hop = 0; hop < wordOf.length; hop++) {
                bitOf[hop] = numbers.link(hop) & 63;
                wordOf[hop] = numbers.column(numbers.phase(hop), 0) * words + (numbers.link(hop) >>> 6);
            }
            for (int queue = 0; queue < numbers.queues(); queue++) {
                onEmptiness(numbers.positionOf(queue), numbers.nodeOf(queue), true);
            }
        }

        /** Size in bytes of a bitmap of all links of a bank's nodes. */
        static long bytes(final Shale shale, final int nodes) {
            return (long) shale.schedule().phases() * nodes * shale.schedule().linkWords() * Long.BYTES;
        }

        /** A word of a node in a phase. */
        long word(final int node, final int phase, final int word) {
            return bits.getLong(Region.offset(numbers.column(phase, node) * words + word, Long.BYTES));
        }

        /**
         * Called when a cell joined or left the queue of the link at a position in the epoch.
         *
         * @param changed whether the queue was empty before or is empty now; unpredictable, so it is handled without a
         *                branch.
         */
        void onEmptiness(final int position, final int node, final boolean changed) {
            final long at = Region.offset(wordOf[position] + node * words, Long.BYTES);
            bits.setLong(at, bits.getLong(at) ^ (changed ? 1L : 0L) << bitOf[position]);
        }

        /** Called when cells left queues of the link at a position in the epoch. */
        void onDequeue(final int position, final CellBatch sent) {
            final Region memory = bits;
            final int count = sent.count();
            final int[] node = sent.node();
            final int[] length = sent.length();
            final int perNode = words;
            final int base = wordOf[position];
            final int bit = bitOf[position];
            for (int i = 0; i < count; i++) {
                final long at = Region.offset(base + node[i] * perNode, Long.BYTES);
                memory.setLong(at, memory.getLong(at) ^ (long) Branchless.ifZero(length[i]) << bit);
            }
        }

        /** Called when cells joined queues. */
        void onEnqueue(final CellBatch joined) {
            final Region memory = bits;
            final int count = joined.count();
            final int[] node = joined.node();
            final int[] hop = joined.hop();
            final int[] length = joined.length();
            final int perNode = words;
            final int[] first = wordOf;
            final int[] bit = bitOf;
            for (int i = 0; i < count; i++) {
                final long at = Region.offset(first[hop[i]] + node[i] * perNode, Long.BYTES);
                memory.setLong(at, memory.getLong(at) ^ (long) Branchless.ifEqual(length[i], 1) << bit[hop[i]]);
            }
        }
    }
}
