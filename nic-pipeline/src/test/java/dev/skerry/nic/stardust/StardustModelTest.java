package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.reference.ReferenceStardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClosConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Stardust's fast engine against {@link ReferenceStardust}: random fabrics of one to three tiers, random flows. */
final class StardustModelTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);
    private static final int FABRICS = 40;

    private static final List<FoldedClosConfig> SHAPES = List.of(
        new FoldedClosConfig(2, 1, 1, 2, 0, List.of()), new FoldedClosConfig(5, 3, 1, 5, 0, List.of()),
        new FoldedClosConfig(8, 4, 2, 4, 0, List.of()), new FoldedClosConfig(9, 4, 1, 9, 0, List.of()),
        FoldedClosConfig.largest(4, 2, 2), FoldedClosConfig.largest(4, 3, 2, 1), Fabrics.SMALL,
        new FoldedClosConfig(8, 2, 1, 4, 4, List.of(2)), FoldedClosConfig.largest(4, 2, 3));

    /** What the fast engines did in all runs. */
    private final Map<NicCounter, Long> done = new EnumMap<>(NicCounter.class);

    @Test
    void shouldDeliverEveryPacketInItsSlot() {
        for (int seed = 1; seed <= FABRICS * SEEDS; seed++) {
            final Random random = new Random(seed);
            final Stardust fabric = fabric(random, SHAPES.get(seed % SHAPES.size()));
            final FlowSet flows = flows(random, fabric, 0);
            final String where = "seed=" + seed + " " + fabric + " flows=" + flows.size();
            final Outcome expected = same(fabric, flows, 0, where);
            same(fabric, flows, 1 + random.nextInt((int) expected.slots()), where);
        }
        assertTrue(done.get(NicCounter.CELLS_MARKED) > 1000 && done.get(NicCounter.PAUSES) > 100, done.toString());
    }

    /** Endless flows, so that some adapters, ports and links are always overloaded. */
    @Test
    void shouldDeliverThemWithoutEnd() {
        for (int seed = 1; seed <= FABRICS * SEEDS; seed++) {
            final Random random = new Random(~seed);
            final Stardust fabric = fabric(random, SHAPES.get(seed % SHAPES.size()));
            same(fabric, flows(random, fabric, 0.3), 100 + random.nextInt(1500), "seed=~" + seed + " " + fabric);
        }
        assertTrue(done.get(NicCounter.CELLS_MARKED) > 1000 && done.get(NicCounter.PAUSES) > 100, done.toString());
    }

    /**
     * Long links and too fast a pace, so that more arrives than a port has room for; and ports so slow that a run is
     * given up between two credits.
     */
    @ParameterizedTest
    @CsvSource({"500, 300, 700, true", "2, 700, 0.4, false", "40, 0.3, 0.4, false"})
    void shouldEndRunsThatDoNotComplete(final int linkSlots, final double portBytes, final double pace,
        final boolean fails) {
        final Stardust fabric = new Stardust(Fabrics.full(SHAPES.get(1)), linkSlots, new HostSide(1, 1, 1, portBytes,
            4000, 2000, HostModel.IDEAL), CellCut.USUAL, new Credits(4096, pace, 0, 0, 2, true),
            new LinkRules(0, 0, 0, 60, 60, true, Spraying.RENEWED), true, 3);
        final FlowSet flows = new FlowSet();
        flows.add(7, 1, 0, 1_000_000, 4000, 0);
        flows.add(8, 2, 0, 900_000, 3600, 5);
        flows.add(9, 3, 4, 20_000, 80, 90);
        final Outcome ended = same(fabric, flows, 0, fabric.toString());
        assertTrue(ended.count(NicCounter.FLOWS_COMPLETED) < 3, "slots=" + ended.slots());
        assertEquals(fails, done.get(NicCounter.FLOWS_FAILED) > 0);
    }

    /** Every slot of one fabric: cells held, the longest queues, what has come. */
    @Test
    void shouldBeInTheSameStateAfterEverySlot() {
        for (final FoldedClosConfig shape : SHAPES) {
            final Random random = new Random(shape.hashCode());
            final Stardust fabric = fabric(random, shape);
            final FlowSet flows = flows(random, fabric, 0.1);
            for (int slots = 1; slots < 60; slots++) {
                same(fabric, flows, slots, fabric + " slots=" + slots);
            }
        }
    }

    private Outcome same(final Stardust fabric, final FlowSet flows, final long limit, final String where) {
        final Outcome fast = Outcomes.run(new StardustEngine(fabric, flows, 1 + (int) (limit % 3)), limit);
        for (final NicCounter counter : NicCounter.values()) {
            done.merge(counter, fast.count(counter), Long::sum);
        }
        final Outcome expected = Outcomes.run(new ReferenceStardust(fabric, flows), limit);
        Outcomes.sameAsReference(expected, fast, where + " limit=" + limit);
        return expected;
    }

    private static Stardust fabric(final Random random, final FoldedClosConfig shape) {
        final int ports = 1 + random.nextInt(3);
        final int cellBytes = 64 + random.nextInt(449);
        final int creditBytes = cellBytes + 200 + random.nextInt(6000);
        final double portBytes = (double) shape.faLinks() * cellBytes / ports / (0.7 + random.nextDouble());
        final long low = 1 + random.nextInt(40_000);
        final HostSide hosts = new HostSide(ports, 1 + random.nextInt(ports), 1, portBytes,
            low + 1 + random.nextInt(40_000), low, HostModel.IDEAL);
        final CellCut cut = new CellCut(64 + random.nextInt(9153), cellBytes, random.nextInt(4) > 0,
            Packing.CONTINUOUS);
        final Credits credits = new Credits(creditBytes, portBytes * (0.8 + random.nextDouble() / 2),
            random.nextBoolean() ? 0 : random.nextInt(2 * creditBytes), random.nextInt(30),
            0.5 + random.nextDouble(), true, Credits.VoqRules.usual(creditBytes), ClassRules.STRICT);
        final int mark = random.nextInt(30);
        final LinkRules links = random.nextBoolean() ? LinkRules.USUAL : new LinkRules(mark, 2 * mark, 4 * mark,
            2 + random.nextInt(60), 1 + random.nextInt(60), true, Spraying.RENEWED);
        Deployment deployment = Fabrics.full(shape);
        if (random.nextInt(3) == 0 && shape.elements(shape.tiers()) > 2) {
            deployment = deployment.without(deployment.clos().devices() - 1 - random.nextInt(2));
        }
        return new Stardust(deployment, 1 + random.nextInt(random.nextInt(40) + 1), hosts, cut, credits, links, true,
            random.nextLong());
    }

    /** Some flows start one after another, some together; every third goes to endpoint 0. */
    private static FlowSet flows(final Random random, final Stardust fabric, final double endless) {
        final int count = 1 + random.nextInt(3 * fabric.nodes());
        final long[] starts = IntStream.range(0, count).mapToLong(flow -> random.nextInt(4) == 0 ? 0
            : random.nextInt(400)).toArray();
        Arrays.sort(starts);
        final FlowSet flows = new FlowSet();
        for (final long start : starts) {
            final int from = random.nextInt(fabric.nodes());
            final int to = from > 0 && random.nextInt(3) == 0 ? 0 : (from + 1 + random.nextInt(fabric.nodes() - 1))
                % fabric.nodes();
            final boolean ends = random.nextDouble() >= endless;
            final long bytes = ends ? 1 + random.nextInt(1 + random.nextInt(40_000)) : Long.MAX_VALUE;
            flows.add(random.nextInt(1000), from, to, bytes, ends ? 1 + (int) bytes / 256 : FlowSet.ENDLESS, start);
        }
        return flows;
    }
}
