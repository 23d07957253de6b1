package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Control messages that take their bytes of the links (docs/spec/stardust.md §4). */
class StardustControlRidesTest {
    private static final int SLOTS = 6000;
    private static final int FEW = 1000;
    private static final long SEED = 5;
    private static final int RUNS = 4;
    private static final int FRAME_BYTES = 256 + 16 + 4;
    /** Something that never happens, so that reachability messages travel. */
    private static final Faults CALM = new Faults(new FaultPlan(List.of(new Fault.Corruption(0, 0))), 1);

    /** Ports that ask for more than all links carry, without a reaction to marks. */
    private static Stardust fabric(final LinkRules rules, final long seed) {
        return new Stardust(Fabrics.full(Fabrics.SMALL), 6, new HostSide(4, 1, 1, 300, 1 << 16, 1 << 15, false),
            new CellCut(1500, 256, true, Packing.CONTINUOUS), new Credits(Credits.USUAL_BYTES, 300, 0, 0, 100, false),
            rules, true, seed);
    }

    private static FlowSet endless() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    private static StardustEngine run(final LinkRules rules, final Faults faults, final int workers, final int slots,
        final long seed) {
        final StardustEngine engine = new StardustEngine(fabric(rules, seed), endless(), faults, ReachTiming.USUAL,
            workers, false);
        engine.advance(slots);
        engine.checkConserved();
        return engine;
    }

    /** Cells on all links. */
    private static long cells(final StardustEngine engine) {
        long sum = 0;
        for (int port = 0; port < Fabrics.full(Fabrics.SMALL).clos().ports(); port++) {
            sum += engine.sentInto(port);
        }
        return sum;
    }

    /**
     * Full links carry fewer cells, by the bytes of the messages that they carry. Those between elements have two
     * slots of a hundred left, others in every run, which adds to one run or takes from it up to a sixth of the
     * messages: the mean of runs is judged.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeTheirBytesOfFullLinks(final boolean announced) {
        final Faults faults = announced ? CALM : Faults.NONE;
        double lost = 0;
        double messages = 0;
        for (long seed = SEED; seed < SEED + RUNS; seed++) {
            try (StardustEngine beside = run(LinkRules.USUAL, faults, 1, SLOTS, seed);
                StardustEngine on = run(LinkRules.USUAL.carryingControl(), faults, 1, SLOTS, seed)) {
                lost += cells(beside) - cells(on);
                messages += (double) on.count(NicCounter.CONTROL_BYTES) / FRAME_BYTES;
                assertTrue(on.count(NicCounter.CONTROL_BYTES) > 0.003 * FRAME_BYTES * cells(on), "seed=" + seed);
                assertTrue(on.count(NicCounter.CELLS_DELIVERED) < beside.count(NicCounter.CELLS_DELIVERED),
                    "seed=" + seed);
            }
        }
        assertEquals(messages, lost, 0.08 * messages, "cells=" + lost + " messages=" + messages + " seeds from "
            + SEED);
    }

    /** Links with room carry the messages and all the cells: what the ports get is the same. */
    @Test
    void shouldTakeNothingWhereThereIsRoom() {
        final FlowSet flows = Fabrics.mixed(64, 400);
        final Outcome[] outcomes = new Outcome[2];
        for (int i = 0; i < 2; i++) {
            final LinkRules rules = i == 0 ? LinkRules.USUAL : LinkRules.USUAL.carryingControl();
            try (StardustEngine engine = new StardustEngine(Fabrics.packed(2, rules, true), flows, 1)) {
                engine.run(0, (slot, delivered, done) -> true);
                outcomes[i] = engine.outcome();
            }
        }
        assertEquals(outcomes[0].completed().length, outcomes[1].completed().length);
        assertTrue(outcomes[1].slots() <= 1.02 * outcomes[0].slots(), outcomes[1].slots() + " " + outcomes[0].slots());
    }

    /** Workers and threads, cells that cost a slot or bytes, with reachability messages and without. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void shouldNotDependOnWorkersOrThreads(final int kind) {
        final LinkRules rules = (kind % 2 == 0 ? LinkRules.USUAL : LinkRules.USUAL.charging(new LinkCharge(200, 16, 0)))
            .carryingControl();
        final Faults faults = kind < 2 ? Faults.NONE : CALM;
        try (StardustEngine one = run(rules, faults, 1, FEW, SEED);
            StardustEngine many = run(rules, faults, 3, FEW, SEED);
            StardustThreads threads = new StardustThreads(fabric(rules, SEED), endless(), faults, ReachTiming.USUAL,
                null, Threading.separate(2, 2, Idle.YIELD))) {
            threads.run(FEW, (slot, delivered, done) -> true);
            final Outcome expected = one.outcome();
            assertEquals(expected.digest(), many.outcome().digest());
            assertArrayEquals(expected.counts(), many.outcome().counts());
            assertEquals(expected.digest(), threads.outcome().digest());
        }
    }
}
