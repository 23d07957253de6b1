package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.FlowOrder;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The text by which a kept run is found has all that decides it. */
final class CircuitRunsTest {
    private static final Phased SCHEDULE = new Phased(2, 4);

    private static Shale shale(final Phased schedule, final int failed, final int tokens, final long seed,
        final SlotShare share) {
        return new Shale(schedule, Population.of(schedule, schedule.nodes(), failed), Mechanisms.HBH_SPRAY, tokens, 2,
            3, seed, FailureRules.PAPER, share);
    }

    private static List<CircuitFabric> fabrics() {
        final List<CircuitFabric> all = new ArrayList<>();
        final int[][] settings = {{0, 1, 1}, {1, 1, 1}, {0, 2, 1}, {0, 1, 2}};
        for (final int[] of : settings) {
            all.add(shale(SCHEDULE, of[0], of[1], of[2], SlotShare.ALL));
        }
        all.add(shale(new Phased(4, 2), 0, 1, 1, SlotShare.ALL));
        final Population complete = Population.complete(SCHEDULE);
        all.add(new Shale(SCHEDULE, Population.fill(SCHEDULE, 15), Mechanisms.HBH_SPRAY, 1, 2, 3, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH, 1, 2, 3, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH_SPRAY, 1, 1, 3, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH_SPRAY, 1, 2, 4, 1));
        all.add(new Shale(SCHEDULE, complete, Mechanisms.HBH_SPRAY, 1, 2, 3, 1, new FailureRules(2, false)));
        for (final int slots : new int[] {1, 2}) {
            final SlotShares shares = new SlotShares(slots, 3);
            all.add(new Interleaved(List.of(shale(new Phased(4, 2), 0, 1, 1, shares.shares().get(0)),
                shale(SCHEDULE, 0, 1, 1, shares.shares().get(1))), shares));
        }
        final Shoal shoal = Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, false, 0);
        all.add(shoal);
        all.add(Shoal.of(RoundRobin.plain(16, 2), ReleaseRule.EXACT, false, 0));
        all.add(Shoal.of(RoundRobin.rearranged(16, 1, 0), ReleaseRule.EXACT, false, 0));
        all.add(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.AUTHORS_SIMULATOR, false, 0));
        all.add(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, true, 0));
        all.add(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.EXACT, false, 1));
        all.add(shoal.with(new Resilience(2, 16, 3, 8, 0)));
        all.add(shoal.with(FlowOrder.values()[1 - FlowOrder.ROUND_ROBIN.ordinal()]));
        all.add(shoal.withFailedNodes(1));
        return all;
    }

    private static List<String> texts() {
        final FlowSet flows = new FlowSet();
        Runs.endless(flows, 0, 1);
        final List<String> texts = new ArrayList<>();
        fabrics().forEach(fabric -> texts.add(Runs.what(fabric, flows, "9")));
        texts.add(Runs.what(fabrics().getFirst(), flows, "10"));
        Runs.endless(flows, 0, 2);
        texts.add(Runs.what(fabrics().getFirst(), flows, "9"));
        return texts;
    }

    @Test
    void shouldTellEveryRunFromEveryOther() {
        final List<String> texts = texts();
        assertEquals(texts, texts(), "the text is the same every time");
        assertEquals(texts.size(), new HashSet<>(texts).size(), String.join("\n", texts));
        texts.forEach(text -> assertFalse(text.contains("@"), text));
    }
}
