package dev.skerry.nic.shale;

import java.util.Arrays;

/**
 * Choice among equally good links of a spraying hop (docs/spec/shale.md §3); creates the choice of each bank. The paper
 * and the authors' simulator choose at random; their hardware takes the lowest. A device-specific rule is a lambda that
 * returns its {@link LinkChoice}. Immutable; any thread may call.
 */
@FunctionalInterface
public interface TieRule {
    /** Any of them, uniformly at random, by the seed of the fabric. */
    TieRule DRAWN = (shale, nodes) -> (id, node, phase, links, count, random) -> OpenLinks.drawn(links, count, random);

    /** The lowest. */
    TieRule LOWEST = (shale, nodes) -> (id, node, phase, links, count, random) -> OpenLinks.at(links, 0);

    /** The next link after the one that the node took last in the phase, wrapping around to the lowest. */
    TieRule ROTATING = RotatingChoice::new;

    /**
     * Creates the choice of a bank.
     *
     * @param nodes number of nodes of the bank.
     */
    LinkChoice choice(Shale shale, int nodes);

    /** One pointer per node and phase. */
    final class RotatingChoice implements LinkChoice {
        /** By node and phase: the link taken last, -1 if there is none. */
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

        /** Whether the choice depends on the link of a phase that a node took last. */
        default boolean remembers() {
            return false;
        }

        /** The link of a phase that a node took last, -1 if there is none. */
        default int taken(final int node, final int phase) {
            return -1;
        }

        /**
         * Sets the link taken last, from a register of a device.
         *
         * @throws IllegalArgumentException if the choice does not depend on it.
         */
        default void setTaken(final int node, final int phase, final int link) {
            throw new IllegalArgumentException("the link taken last decides nothing with this rule: phase=" + phase);
        }
    }
}
