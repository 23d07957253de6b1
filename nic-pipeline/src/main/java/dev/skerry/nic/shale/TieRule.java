package dev.skerry.nic.shale;

import java.util.Arrays;

/**
 * Which of several equally good links a spraying hop takes (docs/spec/shale.md §3): makes the choice of each bank. The
 * paper and the authors' simulator draw one; their hardware takes the lowest. A rule of a device's own is a lambda that
 * gives its {@link LinkChoice}. Immutable; any thread may call.
 */
@FunctionalInterface
public interface TieRule {
    /** Any of them, all equally likely, by the seed of the fabric. */
    TieRule DRAWN = (shale, nodes) -> (id, node, phase, links, count, random) -> SetBits.drawn(links, count, random);

    /** The lowest. */
    TieRule LOWEST = (shale, nodes) -> (id, node, phase, links, count, random) -> SetBits.at(links, 0);

    /** The next after the one that the node took last in the phase, round and round from the lowest on. */
    TieRule ROTATING = RotatingChoice::new;

    /**
     * Makes the choice of a bank.
     *
     * @param nodes of the bank.
     */
    LinkChoice choice(Shale shale, int nodes);

    /** A pointer for each node and phase. */
    final class RotatingChoice implements LinkChoice {
        /** By node and phase: the link taken last, -1 for none. */
        private final int[] last;
        private final int phases;

        private RotatingChoice(final Shale shale, final int nodes) {
            this.phases = shale.schedule().phases();
            this.last = new int[nodes * phases];
            Arrays.fill(last, -1);
        }

        @Override
        public int among(final int id, final int node, final int phase, final long[] links, final int count,
            final long random) {
            final int at = node * phases + phase;
            final int passed = SetBits.upTo(links, last[at]);
            last[at] = SetBits.at(links, passed == count ? 0 : passed);
            return last[at];
        }

        @Override
        public boolean remembers() {
            return true;
        }

        @Override
        public int taken(final int node, final int phase) {
            return last[node * phases + phase];
        }

        @Override
        public void setTaken(final int node, final int phase, final int link) {
            last[node * phases + phase] = link;
        }
    }
}
