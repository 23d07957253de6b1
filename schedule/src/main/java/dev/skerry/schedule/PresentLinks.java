package dev.skerry.schedule;

import java.util.BitSet;

/**
 * Bitmaps of the links that lead to present nodes, so that a phase is tested 64 links at a time.
 *
 * <pre>
 *   [phase][node][word]: bit k mod 64 of word k div 64 is set if link k of the phase leads to a node that is present
 * </pre>
 *
 * Immutable; any thread may call.
 */
final class PresentLinks {
    private final int nodes;
    private final int words;
    private final long[] bits;

    PresentLinks(final Phased schedule, final BitSet present) {
        this.nodes = schedule.nodes();
        this.words = schedule.linkWords();
        this.bits = new long[schedule.phases() * nodes * words];
        for (int phase = 0; phase < schedule.phases(); phase++) {
            for (int node = 0; node < nodes; node++) {
                for (int link = 0; link < schedule.linksPerPhase(); link++) {
                    if (present.get(schedule.peerOf(node, phase, link))) {
                        bits[at(phase, node) + (link >>> 6)] |= 1L << link;
                    }
                }
            }
        }
    }

    /** One word of the links of a node, present or not. */
    long of(final int phase, final int node, final int word) {
        return bits[at(phase, node) + word];
    }

    /** Words of the links of a node in a phase. */
    int words() {
        return words;
    }

    private int at(final int phase, final int node) {
        return (phase * nodes + node) * words;
    }
}
