package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Nodes taken through slots one by one, on lists, blocks of nodes together, and a mixture that changes from slot to
 * slot: the same cells at the same places of the link in every slot, the same queues, tokens and maxima, and every law
 * holds. Where cells stand side by side, what the banks hold is the same.
 */
@Sampled
final class NodeByNodeTest {
    /** Enough for every flow, unless cells are dropped as nodes are absent. */
    private static final long SLOTS = 3_000;
    /** Which of the probes of a link counts the tokens owed. */
    private static final int OWED = 1;
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);

    @ParameterizedTest
    @CsvSource({"1, 5, 0, 1, 40", "2, 4, 0, 1, 60", "2, 4, 1, 2, 60", "2, 8, 3, 2, 300", "2, 9, 7, 3, 300",
        "3, 4, 2, 1, 200", "2, 24, 2, 1, 200"})
    void shouldDoAsBlocksDo(final int h, final int r, final int propagation, final int banks, final int cells) {
        final Phased schedule = new Phased(h, r);
        for (final MechanismSet control : Controls.ALL) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                same(new Shale(schedule, Population.complete(schedule), control, 1, 2, propagation, seed), banks,
                    Flows.random(seed, schedule.nodes(), cells, 120, 30),
                    "h=" + h + " r=" + r + " P=" + propagation + " " + control + " seed=" + seed);
            }
        }
    }

    @Test
    @Tag("long")
    void shouldDoAsBlocksDoWithManyNodes() {
        shouldDoAsBlocksDo(2, 36, 1, 2, 200);
    }

    @ParameterizedTest
    @CsvSource({"2, 5, 22", "3, 4, 60", "2, 12, 130"})
    void shouldDoAsBlocksDoWhereNodesAreAbsent(final int h, final int r, final int present) {
        final Phased schedule = new Phased(h, r);
        final Population population = Population.of(schedule, present, 1);
        for (final MechanismSet control : Controls.ALL) {
            final FlowSet flows = Flows.random(7, population.endpoints(), 80, 120, 30);
            same(new Shale(schedule, population, control, 1, 1, 2, 7), 2, flows,
                "h=" + h + " r=" + r + " present=" + present + " " + control);
        }
    }

    private static void same(final Shale shale, final int banks, final FlowSet flows, final String where) {
        final int some = Math.max(1, shale.nodes() / banks / 4);
        final int all = shale.nodes();
        final int most = Math.min(all, ArrivalFlags.POSITIONS);
        try (HandStepped blocks = new HandStepped(shale, Faults.NONE, flows, banks, FewNodes.NONE);
            HandStepped mixed = new HandStepped(shale, Faults.NONE, flows, banks, new FewNodes(some, some / 2));
            HandStepped listed = new HandStepped(shale, Faults.NONE, flows, banks, new FewNodes(all, -1));
            HandStepped single = new HandStepped(shale, Faults.NONE, flows, banks, new FewNodes(all, all));
            HandStepped packed = HandStepped.packed(shale, flows, banks, new FewNodes(Math.min(some, most), some / 2));
            HandStepped allPacked = HandStepped.packed(shale, flows, banks, new FewNodes(most, most))) {
            while (blocks.slot < SLOTS && blocks.count(NicCounter.FLOWS_COMPLETED) < flows.size()) {
                step(blocks, mixed, listed, single, packed, allPacked);
                final String at = where + " slot=" + (blocks.slot - 1);
                assertSameLink(shale, blocks, mixed, at + " mixed");
                assertSameLink(shale, blocks, listed, at + " listed");
                assertSameLink(shale, blocks, single, at + " single");
            }
            final boolean isDone = blocks.slot < SLOTS;
            assertTrue(isDone || shale.population().absent() > 0, where);
            assertSameBanks(shale, blocks, mixed, where + " mixed");
            assertSameBanks(shale, blocks, listed, where + " listed");
            assertSameBanks(shale, blocks, single, where + " single");
            assertSameBanks(shale, blocks, packed, where + " packed");
            assertSameBanks(shale, blocks, allPacked, where + " all packed");
            final long end = single.slot + 20L * shale.schedule().epochSlots() + 2L * shale.propagationSlots();
            while (isDone && single.slot < end) {
                step(single, listed, mixed, packed, allPacked);
            }
            assertTrue(!isDone || single.drained() && listed.drained() && mixed.drained() && packed.drained()
                && allPacked.drained(), where);
        }
    }

    /** A slot; every law is checked now and then, as that takes time. */
    private static void step(final HandStepped... fabrics) {
        for (final HandStepped fabric : fabrics) {
            if (fabric.slot % 128 == 0) {
                fabric.step();
            } else {
                fabric.move();
            }
        }
    }

    private static void assertSameLink(final Shale shale, final HandStepped one, final HandStepped other,
        final String where) {
        for (int id = 0; id < shale.nodes(); id++) {
            final long at = one.link.offset(one.slot - 1) + (long) id * InFlightCells.PLACE_BYTES;
            final long route = one.link.route(at);
            assertEquals(route, other.link.route(at), () -> where + " route");
            assertEquals(one.link.feedback(at), other.link.feedback(at), () -> where + " feedback");
            if (InFlightCells.isCell(route)) {
                assertEquals(one.link.cell(at), other.link.cell(at), () -> where + " cell");
            }
        }
    }

    private static void assertSameBanks(final Shale shale, final HandStepped one, final HandStepped other,
        final String where) {
        for (final NicCounter counter : NicCounter.values()) {
            assertEquals(one.count(counter), other.count(counter), where + " " + counter);
        }
        for (int bank = 0; bank < one.banks.length; bank++) {
            final ShaleBank expected = one.banks[bank];
            final ShaleBank found = other.banks[bank];
            assertEquals(expected.deliveries().digest(), found.deliveries().digest(), where);
            assertEquals(expected.firstDrop(), found.firstDrop(), where);
            for (int node = 0; node < expected.range().size(); node++) {
                final String at = where + " bank=" + bank + " node=" + node;
                assertArrayEquals(maxima(expected, node), maxima(found, node), at);
            }
            for (final HandStepped of : new HandStepped[] {one, other}) {
                assertBits(shale, of.banks[bank], where);
            }
        }
    }

    private static int[] maxima(final ShaleBank bank, final int node) {
        return new int[] {bank.maxActiveBuckets(node), bank.maxima().held(node), bank.maxima().maxHeld(node),
            bank.maxima().maxQueue(node)};
    }

    /** A bit is set where cells wait, and where tokens do. */
    private static void assertBits(final Shale shale, final ShaleBank bank, final String where) {
        final QueueBank queues = bank.parts().queues();
        for (int queue = 0; queue < shale.schedule().epochSlots() * bank.range().size(); queue++) {
            assertEquals(queues.queues().length(queue) > 0, queues.waiting().isSet(queue), where + " queue=" + queue);
            if (bank.parts().control() instanceof HopByHop tokens) {
                final boolean isOwed = tokens.probe(queue % bank.range().size(), queue / bank.range().size(), OWED) > 0;
                assertEquals(isOwed, (tokens.feedbackFrom(queue) & 1) != 0, where + " queue=" + queue);
            }
        }
    }
}
