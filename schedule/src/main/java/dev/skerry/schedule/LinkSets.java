package dev.skerry.schedule;

import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The distinct sets of links of one device that lead to FAs, numbered in the order of the first FA that uses the set.
 * One arbiter spreads the cells of all destinations that share a set (docs/spec/stardust.md §3.6): in a healthy fabric
 * an FA has one set, and an FE of the top tier has one per sub-tree. Immutable; any thread may call.
 */
public final class LinkSets {
    /** No set: the FA cannot be reached, or is the device itself. */
    public static final int NONE = -1;

    private final int[] setOf;
    private final long[][] sets;

    /** Reports where the links of a device lead. */
    @FunctionalInterface
    public interface Leads {
        /** Whether cells for an FA may take a link. Up-links are queried only if no down-link leads to the FA. */
        boolean leads(int link, int fa);
    }

    /**
     * Computes the sets of a device.
     *
     * @param links number of links of the device.
     * @param down  number of down-links, which come first.
     * @param fas   number of FAs of the fabric.
     * @param leads where the links lead.
     */
    public LinkSets(final int links, final int down, final int fas, final Leads leads) {
        final Map<LongBuffer, Integer> numbers = new LinkedHashMap<>();
        this.setOf = new int[fas];
        for (int fa = 0; fa < fas; fa++) {
            final long[] set = new long[links + Long.SIZE - 1 >>> 6];
            boolean any = false;
            int end = links;
            for (int link = 0; link < end; link++) {
                if (leads.leads(link, fa)) {
                    set[link >>> 6] |= 1L << link;
                    any = true;
                    end = link < down ? down : links;
                }
            }
            setOf[fa] = any ? numbers.computeIfAbsent(LongBuffer.wrap(set), _ -> numbers.size()) : NONE;
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

    /** Number of links of a set. */
    public int size(final int set) {
        return Arrays.stream(sets[set]).mapToInt(Long::bitCount).sum();
    }

    /** The links of a set as a bitmap of the device's ports, least significant bit first. Returns a copy. */
    public long[] links(final int set) {
        return sets[set].clone();
    }
}
