package dev.skerry.schedule;

/**
 * Which links lead to nodes that are present, a bit each, so that those of a phase are asked for all at once.
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

    PresentLinks(final Phased schedule, final NodeSet present) {
        this.nodes = schedule.nodes();
        this.words = schedule.linkWords();
        this.bits = new long[schedule.phases() * nodes * words];
        for (int phase = 0; phase < schedule.phases(); phase++) {
            for (int node = 0; node < nodes; node++) {
                for (int link = 0; link < schedule.linksPerPhase(); link++) {
                    if (present.contains(schedule.peerOf(node, phase, link))) {
                        bits[at(phase, node) + (link >>> 6)] |= 1L << link;
                    }
                }
            }
        }
    }

    /** One word of the links of a node, which itself may be absent. */
    long of(final int phase, final int node, final int word) {
        return bits[at(phase, node) + word];
    }

    private int at(final int phase, final int node) {
        return (phase * nodes + node) * words;
    }
}
