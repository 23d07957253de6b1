package dev.skerry.schedule;

import java.nio.LongBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The distinct sets of links of one device that lead to FAs, numbered in the order of the first FA with the set. One
 * arbiter spreads the cells of all destinations that share a set (docs/spec/stardust.md §3.6): an FA of a healthy
 * fabric has one set, an FE of the top tier one for every sub-tree. Immutable; any thread may call.
 */
public final class LinkSets {
    /** No set: the FA is not reached, or is the device itself. */
    public static final int NONE = -1;

    private final int[] setOf;
    private final long[][] sets;

    LinkSets(final UpDownReach reach, final int device) {
        final FoldedClos clos = reach.deployment().clos();
        final Map<LongBuffer, Integer> numbers = new LinkedHashMap<>();
        this.setOf = new int[clos.fas()];
        for (int fa = 0; fa < setOf.length; fa++) {
            final long[] links = new long[clos.ports(device) + Long.SIZE - 1 >>> 6];
            boolean any = false;
            for (int port = 0; port < clos.ports(device); port++) {
                if (reach.leads(device, port, fa)) {
                    links[port >>> 6] |= 1L << port;
                    any = true;
                }
            }
            setOf[fa] = any ? numbers.computeIfAbsent(LongBuffer.wrap(links), _ -> numbers.size()) : NONE;
        }
        this.sets = numbers.keySet().stream().map(LongBuffer::array).toArray(long[][]::new);
    }

    /** Number of sets. */
    public int count() {
        return sets.length;
    }

    /** The set whose links lead to an FA, 0 to {@code count() - 1}, or {@link #NONE}. */
    public int setOf(final int fa) {
        return setOf[fa];
    }

    /** Links of a set. */
    public int size(final int set) {
        int size = 0;
        for (final long word : sets[set]) {
            size += Long.bitCount(word);
        }
        return size;
    }

    /** The links of a set as a bitmap of the device's ports, the least significant bit first. A copy. */
    public long[] links(final int set) {
        return sets[set].clone();
    }
}
