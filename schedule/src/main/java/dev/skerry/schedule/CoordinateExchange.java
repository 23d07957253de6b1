package dev.skerry.schedule;

import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Failed nodes that exchange their coordinates with others, so that every phase group lacks as few nodes as possible
 * (Shale §3.4, docs/spec/shale.md §8.7).
 *
 * <p>Nodes of equal digit sum modulo r are a class: each class has one node of every phase group. The exchange leaves
 * the absent nodes in as few classes as hold them. Classes that lack nodes anyway come first, then those with most
 * failed nodes, which so keep their coordinates. For set-up; one thread at a time.
 */
final class CoordinateExchange {
    private final Coordinates coordinates;
    private final BitSet standing;
    private final BitSet failed;

    /**
     * Nodes before the exchange.
     *
     * @param standing nodes that are no holes.
     * @param failed   those of them that have failed.
     */
    CoordinateExchange(final Coordinates coordinates, final BitSet standing, final BitSet failed) {
        this.coordinates = coordinates;
        this.standing = standing;
        this.failed = failed;
    }

    /** By node, the node whose coordinates it has afterwards; its own for all that keep theirs. */
    int[] positions() {
        final int[] positions = IntStream.range(0, coordinates.nodes()).toArray();
        final BitSet vacated = spread();
        final BitSet leaving = (BitSet) failed.clone();
        leaving.andNot(vacated);
        vacated.andNot(failed);
        int with = vacated.nextSetBit(0);
        for (int node = leaving.nextSetBit(0); node >= 0; node = leaving.nextSetBit(node + 1)) {
            positions[node] = with;
            positions[with] = node;
            with = vacated.nextSetBit(with + 1);
        }
        return positions;
    }

    /** As many coordinates as nodes have failed, in as few classes as hold them. */
    private BitSet spread() {
        final int radix = coordinates.radix();
        final int[] holes = new int[radix];
        final int[] failures = new int[radix];
        for (int node = 0; node < coordinates.nodes(); node++) {
            holes[classOf(node)] += standing.get(node) ? 0 : 1;
            failures[classOf(node)] += failed.get(node) ? 1 : 0;
        }
        final int[] order = IntStream.range(0, radix).boxed()
            .sorted(Comparator.comparingInt((Integer each) -> -holes[each]).thenComparing(each -> -failures[each]))
            .mapToInt(Integer::intValue).toArray();
        final BitSet chosen = new BitSet();
        int left = failed.cardinality();
        for (int i = 0; left > 0; i++) {
            left -= choose(order[i], failed, left, chosen);
            left -= choose(order[i], standing, left, chosen);
        }
        return chosen;
    }

    /** Adds nodes of a class that are in a set, ascending, up to a number; returns how many. */
    private int choose(final int one, final BitSet from, final int most, final BitSet chosen) {
        int count = 0;
        for (int node = from.nextSetBit(0); node >= 0 && count < most; node = from.nextSetBit(node + 1)) {
            if (classOf(node) == one && !chosen.get(node)) {
                chosen.set(node);
                count++;
            }
        }
        return count;
    }

    private int classOf(final int node) {
        int sum = 0;
        for (int phase = 0; phase < coordinates.phases(); phase++) {
            sum += coordinates.digit(node, phase);
        }
        return sum % coordinates.radix();
    }

    /** The most nodes that are absent from a phase group which is not all absent. */
    static int mostAbsent(final Coordinates coordinates, final BitSet present) {
        int most = 0;
        for (int phase = 0; phase < coordinates.phases(); phase++) {
            for (int node = present.nextSetBit(0); node >= 0; node = present.nextSetBit(node + 1)) {
                int absent = 0;
                for (int digit = 0; digit < coordinates.radix(); digit++) {
                    absent += present.get(coordinates.withDigit(node, phase, digit)) ? 0 : 1;
                }
                most = Math.max(most, absent);
            }
        }
        return most;
    }
}
