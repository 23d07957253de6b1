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
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** Whom a change of an adapter's links concerns, and that it hears of it (docs/spec/stardust.md §6). */
class StardustLinkChangesTest {
    private static final int PERIOD = 20;
    private static final ReachTiming HEALING = new ReachTiming(PERIOD, 3, 3, 1 << 20);
    private static final int CREDIT = 2048;
    private static final int BREAKS = 600;
    private static final Stardust FABRIC = new Stardust(Fabrics.full(Fabrics.SMALL), 2,
        new HostSide(4, 1, 1, 230, 1 << 16, 1 << 15, false), new CellCut(1500, 256, true, Packing.CONTINUOUS),
        new Credits(CREDIT, 235, 0, 0, 1, false), LinkRules.USUAL, true, 7);
    private static final FoldedClos CLOS = FABRIC.clos();

    /** Every cell has an even chance to be damaged for a while: some links of some adapters go down by that alone. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldHandOutCreditsForTheLinksThatDamagedCellsLeave(final int seed) {
        final Fault[] faults = {new Fault.Corruption(600, 0.5), new Fault.Corruption(612, 0)};
        try (StardustEngine engine = engine(seed, endless(), faults)) {
            engine.advance(600);
            assertEquals(4 * CLOS.fas(), links(engine));
            // Until a message has told the other end too.
            engine.advance(100);
            final int left = links(engine);
            assertTrue(left > CLOS.fas() && left < 4 * CLOS.fas(), "seed=" + seed + " left=" + left);
            final long before = engine.count(NicCounter.CREDITS_SENT);
            engine.advance(400);
            // None is used again before it has heard 32 messages.
            assertEquals(left, links(engine), "seed=" + seed);
            final long given = engine.count(NicCounter.CREDITS_SENT) - before;
            final long most = left * 256L * 400 / CREDIT + CLOS.fas();
            assertTrue(given <= most, "seed=" + seed + " given=" + given + " most=" + most);
            engine.advance(40 * PERIOD);
            assertEquals(4 * CLOS.fas(), links(engine), "seed=" + seed);
        }
    }

    /** An element that is down from slot 0 is not there yet: nobody has a link to it, and later some do. */
    @Test
    void shouldCountLinksToAnElementOnceItIsThere() {
        final int element = CLOS.tierStart(1);
        try (StardustEngine engine = engine(1, endless(), new Fault.Node(0, element, false),
            new Fault.Node(500, element, true))) {
            engine.advance(400);
            assertEquals(4 * CLOS.fas() - CLOS.downPorts(element), links(engine));
            engine.advance(100 + 40 * PERIOD);
            assertEquals(4 * CLOS.fas(), links(engine));
        }
    }

    /** A link that is down both ways from slot 0 is not there yet; one that is down one way only fails. */
    @Test
    void shouldCountALinkOnceItIsThere() {
        final int element = CLOS.tierStart(1);
        final Fault[] faults = {new Fault.Link(0, element, 0, false), new Fault.Link(0, 0, element, false),
            new Fault.Link(0, element, 1, false), new Fault.Link(500, element, 0, true),
            new Fault.Link(500, 0, element, true)};
        try (StardustEngine engine = engine(1, endless(), faults)) {
            assertEquals(3, engine.links(0));
            assertEquals(4, engine.links(1));
            engine.advance(100);
            assertEquals(3, engine.links(0));
            assertEquals(3, engine.links(1));
            assertEquals(0, engine.sentInto(CLOS.firstPort(0)));
            engine.advance(400 + 40 * PERIOD);
            assertEquals(4, engine.links(0));
            assertEquals(3, engine.links(1));
        }
    }

    /** Without faults nothing is learnt: a fabric that lacks an element knows it from the beginning. */
    @Test
    void shouldCountTheLinksOfAPartOfTheFabric() {
        final int element = CLOS.tierStart(1);
        final Stardust part = new Stardust(FABRIC.deployment().without(element), 2, FABRIC.hosts(), FABRIC.cut(),
            FABRIC.credits(), FABRIC.links(), true, 7);
        try (StardustEngine engine = new StardustEngine(part, endless(), 1)) {
            assertEquals(4 * CLOS.fas() - CLOS.downPorts(element), links(engine));
        }
    }

    /** What the links that are left do not carry waits in its queue by destination, not in front of a link. */
    @Test
    void shouldCutNoMoreThanTheLinksThatAreLeftCarry() {
        final List<Fault> faults = new ArrayList<>();
        for (int link = 1; link < 4; link++) {
            final int element = CLOS.deviceOf(CLOS.peer(CLOS.firstPort(0) + link));
            faults.add(new Fault.Link(BREAKS, element, 0, false));
            faults.add(new Fault.Link(BREAKS, 0, element, false));
        }
        try (StardustEngine engine = engine(1, endless(), faults.toArray(Fault[]::new))) {
            engine.advance(BREAKS + 3000);
            assertEquals(4 * CLOS.fas() - 3, links(engine));
            final int most = engine.outcome().nodes().bufferOccupancy()[0];
            assertTrue(most <= 32, "most=" + most);
        }
    }

    /** An adapter that others had given up is sent to, and sends, as soon as all know of it, not a refresh later. */
    @Test
    void shouldAskAgainWhenAnAdapterIsReachedAgain() {
        final int back = 2500;
        try (StardustEngine engine = engine(1, endless(), new Fault.Node(BREAKS, 5, false),
            new Fault.Node(back, 5, true))) {
            engine.advance(back);
            final long[] gone = crossed(engine, 5);
            // Its links are used again after 32 messages, and all know of it after three more on each of three hops.
            engine.advance(33 * PERIOD + 2 * 3 * (3 * PERIOD + 2) + 200);
            final long[] before = crossed(engine, 5);
            engine.advance(500);
            final long[] after = crossed(engine, 5);
            for (int way = 0; way < 2; way++) {
                assertTrue(before[way] > gone[way] && after[way] - before[way] > 0.9 * 500 * 4 * 230 / 256,
                    "into=" + (way == 0) + " cells=" + (after[way] - before[way]));
            }
        }
    }

    /** Cells that were sent to an adapter, and by it. */
    private static long[] crossed(final StardustEngine engine, final int adapter) {
        long in = 0;
        long out = 0;
        for (int port = CLOS.firstPort(adapter); port < CLOS.firstPort(adapter + 1); port++) {
            in += engine.sentInto(CLOS.peer(port));
            out += engine.sentInto(port);
        }
        return new long[] {in, out};
    }

    private static int links(final StardustEngine engine) {
        int links = 0;
        for (int adapter = 0; adapter < CLOS.fas(); adapter++) {
            links += engine.links(adapter);
        }
        return links;
    }

    /** Every host sends to the one 21 further on. */
    private static FlowSet endless() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    private static StardustEngine engine(final int seed, final FlowSet flows, final Fault... faults) {
        return new StardustEngine(FABRIC, flows, new Faults(new FaultPlan(List.of(faults)), seed), HEALING, 1, true);
    }
}
