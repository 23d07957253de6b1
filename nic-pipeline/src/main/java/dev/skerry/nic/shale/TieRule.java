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
    TieRule DRAWN = (shale, nodes) -> (id, node, phase, links, count, random) -> OpenLinks.drawn(links, count, random);

    /** The lowest. */
    TieRule LOWEST = (shale, nodes) -> (id, node, phase, links, count, random) -> OpenLinks.at(links, 0);

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
            final int passed = OpenLinks.upTo(links, last[at]);
            last[at] = OpenLinks.at(links, passed == count ? 0 : passed);
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

    /** Chooses among the equally good links of spraying hops. One bank, one thread. */
    @FunctionalInterface
    interface LinkChoice {
        /**
         * Chooses.
         *
         * @param id     the node's id.
         * @param node   its number in the bank.
         * @param phase  the phase of the hop.
         * @param links  a bit for each link of the phase to choose among, 64 a word; read during this call only.
         * @param count  of these links, at least 1.
         * @param random 64 random bits that depend on the seed, the slot and the node only.
         * @return one of the links.
         */
        int among(int id, int node, int phase, long[] links, int count, long random);

        /** Whether the link of a phase that a node took last decides about the next one. */
        default boolean remembers() {
            return false;
        }

        /** The link of a phase that a node took last, -1 for none. */
        default int taken(final int node, final int phase) {
            return -1;
        }

        /**
         * Sets it, from a register of a device.
         *
         * @throws IllegalArgumentException if it decides nothing.
         */
        default void setTaken(final int node, final int phase, final int link) {
            throw new IllegalArgumentException("the link taken last decides nothing with this rule: phase=" + phase);
        }
    }
}
