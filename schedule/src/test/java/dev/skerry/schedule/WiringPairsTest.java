package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.LongStream;

final class WiringPairsTest {
    /** Every way of a plane crosses one spine; a leaf has the ways from its nodes and to them. */
    @ParameterizedTest
    @CsvSource({"8, 1, 4", "16, 3, 8", "18, 2, 6", "11, 1, 6"})
    void shouldCrossASpineAndTheLeavesOfBothEnds(final int nodes, final int channels, final int ports) {
        final Clos clos = Clos.of(RoundRobin.plain(nodes, channels), ports);
        LongStream spines = LongStream.empty();
        for (int plane = 0; plane < channels; plane++) {
            for (int spine = 0; spine < clos.spineSwitches(); spine++) {
                spines = LongStream.concat(spines, LongStream.of(
                    clos.wiring().pairsThrough(clos.leafSwitch(plane, clos.leaves() + spine))));
            }
        }
        final long[] ways = spines.sorted().toArray();
        assertEquals(nodes * (nodes - 1), ways.length);
        assertEquals(ways.length, LongStream.of(ways).distinct().count());
        for (int leaf = 0; leaf < clos.leaves(); leaf++) {
            final int number = leaf;
            long count = 0;
            for (int plane = 0; plane < channels; plane++) {
                final long[] through = clos.wiring().pairsThrough(clos.leafSwitch(plane, leaf));
                count += through.length;
                assertEquals(through.length, LongStream.of(through).filter(way -> isOn(clos, number, way)).count());
            }
            assertEquals(LongStream.of(ways).filter(way -> isOn(clos, number, way)).count(), count);
        }
    }

    private static boolean isOn(final Clos clos, final int leaf, final long way) {
        return (way >>> 32) / clos.nodesPerLeaf() == leaf || (int) way / clos.nodesPerLeaf() == leaf;
    }
}
