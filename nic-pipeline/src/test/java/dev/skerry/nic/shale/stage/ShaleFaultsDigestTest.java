package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.FailureRules;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Runs with faults, deliveries and every counter, as they were while each node was asked by itself what it sends, where
 * its cell sprays to and what a notice means. Blocks of nodes must give the same.
 */
final class ShaleFaultsDigestTest {
    private static final long SLOTS = 2_500;

    @ParameterizedTest
    @CsvSource({
        "HBH_SPRAY, 2, 16, 0, 13, 1, 1, d067390ce38b930b dfb6fbb7",
        "HBH_SPRAY, 2, 16, 9, 13, 1, 2, 0a2d198c0b8494ff c704d4a3",
        "HBH_SPRAY, 2, 9, 0, 40, 2, 3, 4754b1eaf1952708 9f9aff95",
        "HBH_SPRAY, 3, 5, 0, 7, 1, 4, 3270a1d8ec723b22 ed741337",
        "HBH_SPRAY, 4, 4, 0, 20, 3, 5, a28fecce434a7d60 8b13c1b7",
        "SPRAY_SHORT, 3, 5, 4, 7, 1, 6, 510143bcc4d69687 cdbdc1db",
        "HBH, 2, 12, 0, 5, 1, 7, 32ccb6beec4a22ed 98841d21",
        "NONE, 2, 12, 0, 5, 2, 8, 6f737d77517b9691 23ad1745",
        "HBH_SPRAY, 2, 70, 500, 9, 1, 9, 77d134ef08b648b3 767bccfb",
        "HBH_SPRAY, 2, 66, 0, 9, 2, 10, 4fae9d3e3ddfe675 b162e341",
    })
    void shouldBeWhatItWasNodeByNode(final CongestionControl control, final int h, final int r, final int absent,
        final int propagation, final int missLimit, final long seed, final String digestAndCounters) {
        final Phased schedule = new Phased(h, r);
        final Population population = Population.of(schedule, schedule.nodes(), absent);
        final Shale shale = new Shale(schedule, population, control, 1, 2, propagation, seed,
            new FailureRules(missLimit, missLimit > 1));
        final long slots = schedule.nodes() > 1_000 ? SLOTS / 10 : SLOTS;
        final Faults faults = ShaleFaultsTest.script(schedule, seed, slots / 2, 0.002);
        final FlowSet flows = Flows.random(seed, population.endpoints(), 8 * population.endpoints(), slots / 2, 60);
        try (LockStep fabric = new LockStep(Parts.of(shale), flows, faults, 2, false)) {
            fabric.advance(slots);
            final Outcome outcome = fabric.outcome();
            final String counts = Arrays.stream(NicCounter.values()).filter(counter -> outcome.count(counter) > 0)
                .map(counter -> counter + "=" + outcome.count(counter)).collect(Collectors.joining(" "));
            assertEquals(digestAndCounters, String.format("%016x %08x", outcome.digest(), counts.hashCode()),
                () -> "seed=" + seed + " " + counts);
        }
    }
}
