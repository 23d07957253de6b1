package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.LimitedControl;
import dev.skerry.nic.shale.control.LimitedControl.HostLimits;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.reference.ReferenceShale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** The whole pipeline against {@link ReferenceShale}, to the end and half way. */
@Sampled
final class LockStepModelTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 1);

    @ParameterizedTest
    @CsvSource({
        "1, 2, 0, 1, 1", "1, 5, 0, 1, 1", "1, 8, 5, 1, 1", "1, 8, 17, 2, 4", "1, 66, 3, 1, 2",
        "2, 2, 0, 1, 1", "3, 2, 4, 1, 2", "4, 2, 0, 1, 1", "4, 2, 1, 2, 2", "4, 2, 13, 1, 1", "4, 2, 89, 4, 8",
        "5, 2, 7, 1, 3", "2, 3, 4, 1, 1", "2, 4, 6, 1, 2", "2, 5, 0, 2, 2", "3, 3, 5, 1, 1", "2, 8, 13, 1, 3",
        "4, 3, 11, 1, 1",
    })
    void shouldDeliverEveryCellInItsSlot(final int h, final int r, final int propagation, final int tokens,
        final int firstHopTokens) {
        final Phased schedule = new Phased(h, r);
        for (final MechanismSet control : Controls.OF_LINKS) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                final Shale shale = new Shale(schedule, Population.complete(schedule), control, tokens, firstHopTokens,
                    propagation, seed);
                same(shale, Flows.random(seed, shale.nodes(), 8 + 3 * shale.nodes(), 150, 40), shale.toString());
            }
        }
    }

    /** Rates that leave flows waiting, and rates that let them save up to the most they may. */
    @ParameterizedTest
    @CsvSource({"1, 8, 5, 0.3, isd", "4, 2, 7, 0, isd", "4, 2, 3, 0.05, isd+hbh+spray-short", "3, 2, 4, 2.7, isd",
        "1, 66, 3, 0.9, isd+priority", "4, 2, 0, 0.4, isd+hbh", "3, 3, 5, 0.3, isd+spray-bucket"})
    void shouldShareRates(final int h, final int r, final int propagation, final double rate, final String label) {
        final Shale shale = Parts.shale(h, r, Mechanisms.of(label).with(new SenderDriven(rate)), 2, propagation, 1);
        for (final int cells : new int[] {8, 150}) {
            same(shale, Flows.random(cells, shale.nodes(), 8 + 5 * shale.nodes(), cells, 40),
                shale + " cells=" + cells);
        }
    }

    /** The other readings of priority: every cell ranked, other factors, the logarithm of the size. */
    @ParameterizedTest
    @CsvSource({"1, 8, 5, 1, SIZE, false", "4, 2, 7, 1, SIZE, false", "4, 2, 3, 4, SIZE, true",
        "3, 2, 4, 0.25, LOG, true", "1, 66, 3, 0.5, LOG, false"})
    void shouldRankAsEveryReadingSays(final int h, final int r, final int propagation, final double factor,
        final FlowLength length, final boolean byBucket) {
        for (final MechanismSet control : List.of(Mechanisms.of("priority"),
            Mechanisms.of("priority+hbh+spray-short"))) {
            final Shale shale = Parts.shale(h, r, control.with(new Priority(factor, length, byBucket)), 2,
                propagation, 1);
            same(shale, Flows.random(7, shale.nodes(), 8 + 5 * shale.nodes(), 150, 40), shale.toString());
        }
    }

    /** Limits that all nodes run into; the queues, tokens and buckets beyond them too are where the model has them. */
    @ParameterizedTest
    @CsvSource({
        "4, 2, 7, 2, 1, hbh", "4, 2, 7, 3, 2, hbh+spray-short", "4, 2, 40, 2, 3, isd+hbh", "1, 8, 5, 2, 2, hbh",
        "1, 8, 0, 2, 1, spray-short", "5, 2, 7, 2, 2, hbh",
    })
    void shouldKeepLimits(final int h, final int r, final int propagation, final int pieoEntries, final int tokenFifo,
        final String label) {
        final boolean hasTokens = label.contains("hbh");
        long overflows = 0;
        long heldBack = 0;
        for (int buckets = 2; buckets <= 14; buckets += 6) {
            final HostLimits limits = new HostLimits(pieoEntries, tokenFifo, buckets, 1, 8);
            final MechanismSet usual = Mechanisms.of(label);
            final Shale shale = Parts.shale(h, r,
                usual.with(new LimitedControl(limits, usual.control())), 2, propagation, 1);
            final Outcome outcome = same(shale, Flows.random(buckets, shale.nodes(), 8 + 5 * shale.nodes(), 150, 40),
                shale + " " + limits);
            overflows += outcome.count(NicCounter.PIEO_OVERFLOWS);
            heldBack += outcome.count(NicCounter.FLOWS_HELD_BACK);
        }
        assertTrue(h == 1 || overflows > 50, label + " overflows=" + overflows);
        assertTrue(!hasTokens || heldBack > 50, label + " heldBack=" + heldBack);
    }

    private static Outcome same(final Shale shale, final FlowSet flows, final String where) {
        final Outcome expected = Outcomes.run(new ReferenceShale(shale, flows), 0);
        final Outcome outcome = Outcomes.lockStep(shale, flows, 2, false, 0);
        Outcomes.sameAsReference(expected, outcome, where);
        assertTrue(expected.count(NicCounter.CELLS_FORWARDED) > 0 || shale.nodes() == 2, where);
        final long limit = expected.slots() / 2;
        Outcomes.sameAsReference(Outcomes.run(new ReferenceShale(shale, flows), limit),
            Outcomes.lockStep(shale, flows, 1, false, limit), where + " slots=" + limit);
        return outcome;
    }
}
