package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** A link that damages too many cells goes out by its health alone, and comes back (docs/spec/stardust.md §6). */
class StardustLinkHealthTest {
    private static final int PERIOD = 20;
    private static final int DELAY = 2;
    private static final ReachTiming HEALING = new ReachTiming(PERIOD, 3, 3, 1 << 20);
    private static final Stardust FABRIC = new Stardust(Fabrics.full(Fabrics.SMALL), DELAY,
        new HostSide(4, 1, 1, 230, 1 << 16, 1 << 15, false), new CellCut(1500, 256, true, Packing.CONTINUOUS),
        new Credits(2048, 235, 0, 0, 1, false), LinkRules.USUAL, true, 7);
    private static final FoldedClos CLOS = FABRIC.clos();
    private static final int BREAKS = 600;
    private static final int MENDS = 3000;

    /** Down from an element, up to it from an adapter, and between elements; nothing in the script says "down". */
    @ParameterizedTest
    @CsvSource({"element, 1", "adapter, 2", "element, 3"})
    void shouldTakeOutTheLinkAndNoOtherAndTakeItBack(final String sender, final int seed) {
        final int up = CLOS.firstPort(3) + 1;
        final int down = CLOS.peer(up);
        final int bad = sender.equals("adapter") ? up : down;
        try (StardustEngine engine = engine(seed, corrupt(BREAKS, bad, 0.5), corrupt(MENDS, bad, 0))) {
            engine.advance(BREAKS);
            assertEquals(4 * CLOS.fas(), links(engine));
            // Seven damaged cells at most: 63 - 7 * 8 < 16, and a period until the other end is told.
            engine.advance(60 + 2 * PERIOD);
            assertEquals(3, engine.links(3), "seed=" + seed);
            assertEquals(4 * CLOS.fas() - 1, links(engine), "seed=" + seed);
            final long damaged = engine.count(NicCounter.CELLS_DAMAGED);
            // Both directions are unused from here on: nothing more is damaged, though the link still damages.
            final long[] before = {engine.sentInto(up), engine.sentInto(down)};
            engine.advance(31 * PERIOD - 60 - 2 * PERIOD);
            assertEquals(damaged, engine.count(NicCounter.CELLS_DAMAGED), "seed=" + seed);
            assertTrue(engine.sentInto(up) - before[0] < 4 && engine.sentInto(down) - before[1] < 4, "seed=" + seed
                + " up=" + (engine.sentInto(up) - before[0]) + " down=" + (engine.sentInto(down) - before[1]));
            // 32 good messages later it is used again, and goes out again, as long as it damages cells.
            engine.advance(MENDS + 40 * PERIOD - engine.slots());
            assertTrue(engine.count(NicCounter.CELLS_DAMAGED) > damaged, "seed=" + seed);
            assertEquals(4 * CLOS.fas(), links(engine), "seed=" + seed);
            final long lost = drops(engine);
            final int other = bad == up ? CLOS.firstPort(3) : CLOS.peer(CLOS.firstPort(3));
            final long[] carried = {engine.sentInto(bad), engine.sentInto(other)};
            engine.advance(1000);
            assertEquals(lost, drops(engine), "seed=" + seed);
            final long again = engine.sentInto(bad) - carried[0];
            final long beside = engine.sentInto(other) - carried[1];
            assertTrue(again > 100 && again > 3 * beside / 4, "seed=" + seed + " again=" + again
                + " beside=" + beside);
        }
    }

    /** Between two elements: adapters keep all their links, and cells go around it. */
    @Test
    void shouldGoAroundALinkBetweenElements() {
        final int element = CLOS.tierStart(1);
        final int bad = CLOS.firstPort(element) + CLOS.downPorts(element);
        try (StardustEngine engine = engine(4, corrupt(BREAKS, bad, 0.5))) {
            engine.advance(BREAKS + 60 + 2 * PERIOD);
            final long lost = drops(engine);
            final long sent = engine.sentInto(bad);
            engine.advance(400);
            assertEquals(4 * CLOS.fas(), links(engine));
            assertEquals(lost, drops(engine));
            assertEquals(sent, engine.sentInto(bad));
        }
    }

    /**
     * A message gives 1 and a damaged cell takes 8: below one damaged cell in eight periods a link stays, above it goes
     * out sooner or later. It carries 0.9 cells a slot.
     */
    @ParameterizedTest
    @ValueSource(ints = 11)
    void shouldGoOutWhereMoreThanACellInEightPeriodsIsDamaged(final int seed) {
        final int bad = CLOS.peer(CLOS.firstPort(3) + 1);
        final double least = 1.0 / (8 * PERIOD * 0.9);
        try (StardustEngine engine = engine(seed, corrupt(BREAKS, bad, least / 4))) {
            engine.advance(8000);
            assertTrue(engine.count(NicCounter.CELLS_DAMAGED) > 2, "seed=" + seed);
            assertEquals(4, engine.links(3), "seed=" + seed);
        }
        try (StardustEngine engine = engine(seed, corrupt(BREAKS, bad, 4 * least))) {
            long out = 0;
            while (out == 0 && engine.slots() < 8000) {
                engine.advance(PERIOD);
                out = engine.links(3) == 3 ? engine.slots() : 0;
            }
            assertTrue(out > BREAKS, "seed=" + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = 3)
    void shouldGiveTheSameResultWhateverTheWorkers(final int workers) {
        final Fault[] faults = {corrupt(200, CLOS.firstPort(3) + 1, 0.4), corrupt(300, CLOS.firstPort(20) + 5, 0.2),
            corrupt(1000, CLOS.firstPort(3) + 1, 0), new Fault.Corruption(400, 1e-3)};
        final Faults script = new Faults(new FaultPlan(List.of(faults)), 9);
        try (StardustEngine one = new StardustEngine(FABRIC, endless(), script, HEALING, 1, true);
            StardustEngine many = new StardustEngine(FABRIC, endless(), script, HEALING, workers, false)) {
            one.advance(1200);
            many.advance(1200);
            assertEquals(one.digest(), many.digest());
            for (final NicCounter counter : NicCounter.values()) {
                assertEquals(one.count(counter), many.count(counter), counter.name());
            }
        }
    }

    private static Fault corrupt(final int slot, final int port, final double probability) {
        return new Fault.LinkCorruption(slot, CLOS.deviceOf(port), CLOS.deviceOf(CLOS.peer(port)), probability);
    }

    private static FlowSet endless() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    private static StardustEngine engine(final int seed, final Fault... faults) {
        return new StardustEngine(FABRIC, endless(), new Faults(new FaultPlan(List.of(faults)), seed), HEALING, 1,
            false);
    }

    private static int links(final StardustEngine engine) {
        int sum = 0;
        for (int adapter = 0; adapter < CLOS.fas(); adapter++) {
            sum += engine.links(adapter);
        }
        return sum;
    }

    private static long drops(final StardustEngine engine) {
        engine.checkConserved();
        return NicCounter.DROPS.stream().mapToLong(engine::count).sum();
    }
}
