package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The choice of the link of a spraying hop: uniform, or spray-short, the link with the fewest cells waiting, ties
 * uniform at random (Shale §3.3.3, docs/spec/shale.md §3).
 *
 * <p>For spray-short it keeps, for every node and phase, a bit for each link whose queue is empty: as long as there is
 * one such link the shortest queues are the set bits, and the choice reads one word instead of r - 1 queues.
 *
 * <pre>
 *   [phase][node][word]: bit k mod 64 of word k div 64 is set while the queue of link k is empty
 * </pre>
 *
 * Links to absent nodes are never chosen, nor, for the last spraying hop, links from whose end the direct path meets an
 * absent node (docs/spec/shale.md §8.6), nor links that failures make useless (§8.2). One bank, one thread.
 */
final class Spray {
    /** No link can be used. */
    static final int NONE = -1;
    /** What the random bits of a slot are used for. */
    static final int USE = 1;

    /** In place of the length of a queue: more than any has. */
    private static final int UNUSABLE = Integer.MAX_VALUE;

    private final Population population;
    private final EligibilityQueues queues;
    private final boolean shortest;
    private final PathReachability reach;
    private final boolean complete;
    private final int nodes;
    private final int links;
    private final int words;
    private final Region empty;
    /** By position in the epoch: the first word of the phase in which the link has its bit, and the bit. */
    private final int[] wordOf;
    private final int[] bitOf;
    /** Random bits for each cell of a block. */
    private final long[] random;
    /** Links that each cell of a block may take, 64 and the next 64, as far as they are idle. */
    private final long[] usable;
    private final long[] alsoUsable;
    /** Cells that have no idle link; a place more than cells, to be written in vain. */
    private final int[] list;
    /** Idle links of a node in a phase, and the lengths of all its queues there. */
    private final long[] idle;
    private final int[] lengths;
    /** Cells of the last block without a link. */
    private int lacking;

    Spray(final Arena arena, final Shale shale, final int nodes, final EligibilityQueues queues,
        final PathReachability reach) {
        final Phased schedule = shale.schedule();
        this.population = shale.population();
        this.queues = queues;
        this.shortest = shale.control().sprayShort();
        this.reach = reach;
        this.complete = population.allPresent();
        this.nodes = nodes;
        this.links = schedule.linksPerPhase();
        this.words = schedule.linkWords();
        this.idle = new long[words];
        this.lengths = new int[links];
        this.random = new long[CellBatch.block(nodes)];
        this.usable = new long[random.length];
        this.alsoUsable = new long[random.length];
        Arrays.fill(usable, -1);
        Arrays.fill(alsoUsable, -1);
        this.list = new int[random.length + 1];
        this.empty = Region.allocate(arena, bytes(shale, nodes));
        this.wordOf = new int[schedule.epochSlots()];
        this.bitOf = new int[schedule.epochSlots()];
        for (int hop = 0; hop < wordOf.length; hop++) {
            bitOf[hop] = hop % links & 63;
            wordOf[hop] = hop / links * nodes * words + (hop % links >>> 6);
        }
        for (int record = 0; record < schedule.phases() * nodes; record++) {
            for (int link = 0; link < links; link++) {
                flip(record, link, 1);
            }
        }
    }

    /** Memory of a bank in bytes. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) shale.schedule().phases() * nodes * shale.schedule().linkWords() * Long.BYTES;
    }

    /**
     * A cell joined or left the queue of a link.
     *
     * @param changed whether the queue was empty before or is now; asked without a branch, as it is a coin toss.
     */
    void onEmptiness(final int phase, final int link, final int node, final boolean changed) {
        flip(phase * nodes + node, link, changed ? 1L : 0L);
    }

    /** Cells left queues of a link. */
    void onDequeue(final int phase, final int link, final CellBatch sent) {
        final Region memory = empty;
        final int count = sent.count();
        final int[] node = sent.node();
        final int[] length = sent.length();
        final int perNode = words;
        final int base = phase * nodes * words + (link >>> 6);
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(base + node[i] * perNode, Long.BYTES);
            memory.setLong(at, memory.getLong(at) ^ (long) Branchless.ifZero(length[i]) << link);
        }
    }

    /** Cells joined queues. */
    void onEnqueue(final CellBatch joined) {
        final Region memory = empty;
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

    /**
     * Chooses links for cells of nodes that follow each other, one of each.
     *
     * @param firstId   id of the first node.
     * @param firstNode its number in the bank.
     * @param which     the nodes with a cell, counted from the first.
     * @param count     how many.
     * @param slotKey   what the random bits of the slot come from.
     * @param routes    the route words that the cells came with, by node.
     * @param chosen    gets the link of each, or {@link #NONE}, in the order of the list.
     * @return false if nothing was chosen and {@link #choose(int, int, int, int, int, long)} has to be asked for each.
     * @see #lacking()
     */
    boolean choose(final int firstId, final int firstNode, final int phase, final int[] which, final int count,
        final long slotKey, final long[] routes, final int[] chosen) {
        if (!shortest) {
            return false;
        }
        lacking = 0;
        for (int k = 0; k < count; k++) {
            random[k] = CounterRandom.bits(slotKey, firstId + which[k], USE);
        }
        if (words > 2) {
            for (int k = 0; k < count; k++) {
                final int i = which[k];
                chosen[k] = choose(firstId + i, firstNode + i, phase, Route.destination(routes[i]),
                    Route.sprays(routes[i]) - 1, random[k]);
                lacking += chosen[k] == NONE ? 1 : 0;
            }
            return true;
        }
        if (!complete || reach != null) {
            allow(firstId, firstNode, phase, which, count, routes);
        }
        final int base = phase * nodes + firstNode;
        final int busy = words == 1 ? chooseIdle(base, which, count, chosen)
            : chooseIdleOfTwo(base, which, count, chosen);
        for (int n = 0; n < busy; n++) {
            final int k = list[n];
            final int i = which[k];
            chosen[k] = chooseBusy(firstId + i, firstNode + i, phase, Route.destination(routes[i]),
                Route.sprays(routes[i]) - 1, random[k]);
            lacking += chosen[k] == NONE ? 1 : 0;
        }
        return true;
    }

    /** How many cells of the last block no link was found for. */
    int lacking() {
        return lacking;
    }

    /** Works out which idle links the cells of a block may take. */
    private void allow(final int firstId, final int firstNode, final int phase, final int[] which, final int count,
        final long[] routes) {
        final int base = phase * nodes + firstNode;
        for (int word = 0; word < words; word++) {
            final long[] into = word == 0 ? usable : alsoUsable;
            for (int k = 0; k < count; k++) {
                final int i = which[k];
                final long idle = empty.getLong(Region.offset((base + i) * words + word, Long.BYTES));
                into[k] = open(firstId + i, firstNode + i, phase, word, idle, Route.destination(routes[i]),
                    Route.sprays(routes[i]) - 1);
            }
        }
    }

    /** Chooses among the idle links of the nodes listed, which have one word; lists those with none. */
    private int chooseIdle(final int base, final int[] cells, final int count, final int[] chosen) {
        final Region memory = empty;
        int busy = 0;
        for (int k = 0; k < count; k++) {
            final long bits = memory.getLong(Region.offset(base + cells[k], Long.BYTES)) & usable[k];
            final int pick = CounterRandom.below(random[k], Long.bitCount(bits));
            chosen[k] = Long.numberOfTrailingZeros(Long.expand(1L << pick, bits));
            list[busy] = k;
            busy += (int) (Branchless.ifAny(bits) ^ 1);
        }
        return busy;
    }

    /** The same for nodes that have two words. */
    private int chooseIdleOfTwo(final int base, final int[] cells, final int count, final int[] chosen) {
        final Region memory = empty;
        int busy = 0;
        for (int k = 0; k < count; k++) {
            final long at = Region.offset(base + cells[k], 2 * Long.BYTES);
            final long low = memory.getLong(at, 0) & usable[k];
            final long high = memory.getLong(at, 1) & alsoUsable[k];
            final int ofLow = Long.bitCount(low);
            final int pick = CounterRandom.below(random[k], ofLow + Long.bitCount(high));
            // All ones if it is among the bits of the second word.
            final int second = ofLow - 1 - pick >> 31;
            final long bits = low ^ (low ^ high) & second;
            chosen[k] = Long.numberOfTrailingZeros(Long.expand(1L << pick - (ofLow & second), bits))
                + (second & Long.SIZE);
            list[busy] = k;
            busy += (int) (Branchless.ifAny(low | high) ^ 1);
        }
        return busy;
    }

    /** Whether the bits say that the queue of a link is empty, for tests. */
    boolean isNotedEmpty(final int phase, final int link, final int node) {
        return (empty.getLong(((long) (phase * nodes + node) * words + (link >>> 6)) * Long.BYTES) >>> link & 1) != 0;
    }

    /**
     * Chooses a link.
     *
     * @param id          the node's id.
     * @param node        its number in the bank.
     * @param phase       phase of the hop.
     * @param destination of the cell.
     * @param sprays      spraying hops left after this one.
     * @param random      64 random bits.
     * @return a link of the phase, or {@link #NONE} if none can be used.
     */
    int choose(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        if (!shortest) {
            return mayTakeAny(node) ? CounterRandom.below(random, links)
                : chooseUsable(id, node, phase, destination, sprays, random);
        }
        final long at = (long) (phase * nodes + node) * words * Long.BYTES;
        int count = 0;
        for (int word = 0; word < words; word++) {
            idle[word] = open(id, node, phase, word, empty.getLong(at + Region.offset(word, Long.BYTES)), destination,
                sprays);
            count += Long.bitCount(idle[word]);
        }
        return count > 0 ? select(CounterRandom.below(random, count))
            : chooseBusy(id, node, phase, destination, sprays, random);
    }

    /** The choice where no link that may be taken is idle. */
    private int chooseBusy(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        return mayTakeAny(node) ? chooseShortest(node, phase, random)
            : chooseUsable(id, node, phase, destination, sprays, random);
    }

    private boolean mayTakeAny(final int node) {
        return complete && (reach == null || !reach.isTroubled(node));
    }

    /** The n-th of the idle links. */
    private int select(final int n) {
        int rest = n;
        int word = 0;
        for (int count = Long.bitCount(idle[0]); rest >= count; count = Long.bitCount(idle[word])) {
            rest -= count;
            word++;
        }
        return word * Long.SIZE + Long.numberOfTrailingZeros(Long.expand(1L << rest, idle[word]));
    }

    private int chooseShortest(final int node, final int phase, final long random) {
        final int[] of = lengths;
        final int first = phase * links * nodes + node;
        int fewest = UNUSABLE;
        for (int link = 0; link < links; link++) {
            of[link] = queues.length(first + link * nodes);
            fewest = Math.min(fewest, of[link]);
        }
        return pick(fewest, random);
    }

    private int chooseUsable(final int id, final int node, final int phase, final int destination, final int sprays,
        final long random) {
        final int[] of = lengths;
        final int first = phase * links * nodes + node;
        int fewest = UNUSABLE;
        long open = 0;
        for (int link = 0; link < links; link++) {
            open = link % Long.SIZE == 0 ? open(id, node, phase, link / Long.SIZE, -1, destination, sprays)
                : open >>> 1;
            of[link] = (open & 1) == 0 ? UNUSABLE : shortest ? queues.length(first + link * nodes) : 0;
            fewest = Math.min(fewest, of[link]);
        }
        if (fewest < UNUSABLE) {
            return pick(fewest, random);
        }
        if (reach != null) {
            reach.onNoLink(node, phase, destination, sprays);
        }
        return NONE;
    }

    /** One of the links whose length is the fewest. */
    private int pick(final int fewest, final long random) {
        final int[] of = lengths;
        final int count = links;
        int ties = 0;
        for (int link = 0; link < count; link++) {
            ties += Branchless.ifEqual(of[link], fewest);
        }
        int pick = CounterRandom.below(random, ties);
        int chosen = 0;
        for (int link = 0; link < count; link++) {
            // The links before the one that is picked: those with no more ties up to them than are to be passed over.
            pick -= Branchless.ifEqual(of[link], fewest);
            chosen -= ~pick >> 31;
        }
        return chosen;
    }

    /** Those of some links of a phase, of a word of them, that meet no absent node and no failure. */
    private long open(final int id, final int node, final int phase, final int word, final long among,
        final int destination, final int sprays) {
        final long present = complete ? among : among & (sprays > 0 ? population.presentLinks(id, phase, word)
            : population.lastSprayLinks(id, phase, destination, word));
        return reach == null || !reach.isTroubled(node) ? present
            : reach.usable(node, phase, word, present, destination, sprays);
    }

    private void flip(final int record, final int link, final long bit) {
        final long at = ((long) record * words + (link >>> 6)) * Long.BYTES;
        empty.setLong(at, empty.getLong(at) ^ bit << link);
    }
}
