package dev.skerry.nic.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * The links of every node and phase whose queue is empty, a bit each: as long as there is one, the shortest queues are
 * the set bits, and spray-short reads one word instead of r - 1 queues.
 *
 * <pre>
 *   [phase][node][word]: bit k mod 64 of word k div 64 is set while the queue of link k is empty
 * </pre>
 *
 * One bank, one thread.
 */
final class IdleLinks {
    private final SlotMath numbers;
    private final int words;
    private final Region bits;
    /** By position in the epoch: the first word of the phase in which the link has its bit, and the bit. */
    private final int[] wordOf;
    private final int[] bitOf;

    /** All links idle. */
    IdleLinks(final Arena arena, final Shale shale, final int nodes) {
        final Phased schedule = shale.schedule();
        final int links = schedule.linksPerPhase();
        this.numbers = new SlotMath(schedule, nodes);
        this.words = schedule.linkWords();
        this.bits = Region.allocate(arena, bytes(shale, nodes));
        this.wordOf = new int[schedule.epochSlots()];
        this.bitOf = new int[schedule.epochSlots()];
        for (int hop = 0; hop < wordOf.length; hop++) {
            bitOf[hop] = numbers.link(hop) & 63;
            wordOf[hop] = numbers.column(numbers.phase(hop), 0) * words + (numbers.link(hop) >>> 6);
        }
        for (int phase = 0; phase < schedule.phases(); phase++) {
            for (int node = 0; node < nodes; node++) {
                for (int link = 0; link < links; link++) {
                    onEmptiness(phase, link, node, true);
                }
            }
        }
    }

    /** Bytes of a bit for each link of a bank's nodes. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) shale.schedule().phases() * nodes * shale.schedule().linkWords() * Long.BYTES;
    }

    /** The bits: word w of a node in a phase is long {@code column * words + w}, see {@link SlotMath}. */
    Region bits() {
        return bits;
    }

    /** A word of a node in a phase. */
    long word(final int node, final int phase, final int word) {
        return bits.getLong(Region.offset(numbers.column(phase, node) * words + word, Long.BYTES));
    }

    /**
     * A cell joined or left the queue of a link.
     *
     * @param changed whether the queue was empty before or is now; a coin toss, so it takes no branch.
     */
    void onEmptiness(final int phase, final int link, final int node, final boolean changed) {
        final long at = Region.offset(numbers.column(phase, node) * words + (link >>> 6), Long.BYTES);
        bits.setLong(at, bits.getLong(at) ^ (changed ? 1L : 0L) << link);
    }

    /** Cells left queues of a link. */
    void onDequeue(final int phase, final int link, final CellBatch sent) {
        final Region memory = bits;
        final int count = sent.count();
        final int[] node = sent.node();
        final int[] length = sent.length();
        final int perNode = words;
        final int base = numbers.column(phase, 0) * words + (link >>> 6);
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(base + node[i] * perNode, Long.BYTES);
            memory.setLong(at, memory.getLong(at) ^ (long) Branchless.ifZero(length[i]) << link);
        }
    }

    /** Cells joined queues. */
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

    /** Whether the queue of a link is noted as empty, for tests. */
    boolean isNotedEmpty(final int phase, final int link, final int node) {
        return (word(node, phase, link >>> 6) >>> link & 1) != 0;
    }
}
