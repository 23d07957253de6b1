package dev.skerry.tools.traffic;

import static dev.skerry.tools.traffic.PoissonArrivalsTest.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.Workload.AllToAll;
import dev.skerry.tools.traffic.Workload.Incast;
import dev.skerry.tools.traffic.Workload.Permutation;
import dev.skerry.tools.traffic.Workload.PoissonArrivals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

class WorkloadTest {
    static final List<String> NAMES = Workload.NAMES;

    private static final OptionalInt NO_SENDERS = OptionalInt.empty();
    private static final OptionalLong NO_BYTES = OptionalLong.empty();

    @Test
    void shouldKnowTheNamesOfTheCommandLine() {
        assertEquals(new Permutation(Long.MAX_VALUE), Workload.named("permutation", .24, 1, NO_SENDERS, NO_BYTES));
        assertEquals(new Permutation(9), Workload.named("permutation", .24, 1, NO_SENDERS, OptionalLong.of(9)));
        assertEquals(new PoissonArrivals(SizeDistribution.SHORT, .24),
            Workload.named("short", .24, 1, NO_SENDERS, NO_BYTES));
        assertEquals(new PoissonArrivals(SizeDistribution.HEAVY, 1, 4),
            Workload.named("heavy", 1, 4, NO_SENDERS, NO_BYTES));
        assertEquals(new PoissonArrivals(SizeDistribution.WEB, .1), Workload.named("web", .1, 1, NO_SENDERS, NO_BYTES));
        assertEquals(new Incast(NO_SENDERS, 24_400), Workload.named("incast", .24, 1, NO_SENDERS, NO_BYTES));
        assertEquals(new Incast(OptionalInt.of(3), 9),
            Workload.named("incast", .24, 1, OptionalInt.of(3), OptionalLong.of(9)));
        assertEquals(new AllToAll(2440), Workload.named("all-to-all", .24, 1, NO_SENDERS, NO_BYTES));
        assertEquals(new AllToAll(9), Workload.named("all-to-all", .24, 1, NO_SENDERS, OptionalLong.of(9)));
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void shouldMakeFlowsOnTheSmallestFabric(final String name) {
        final FlowSet flows = Workload.named(name, .5, 1, NO_SENDERS, NO_BYTES).generate(2, 244, 1_000_000, 1);
        assertTrue(flows.size() > 0);
        for (int i = 0; i < flows.size(); i++) {
            assertEquals(1 - flows.source(i), flows.destination(i));
        }
    }

    @Test
    void shouldRefuseWhatDoesNotBelongTogether() {
        assertRefused("--workload: long: there is no such workload, use one of permutation, short, heavy, web, incast,"
            + " all-to-all, each-to-each or file:PATH", () -> Workload.named("long", .24, 1, NO_SENDERS, NO_BYTES));
        assertRefused("--load: 2.5: a node sends up to one cell a slot, give more than 0 and at most 1",
            () -> Workload.named("web", 2.5, 1, NO_SENDERS, NO_BYTES));
        assertRefused("--incast-senders: 4: the workload is 'short', leave it out or add --workload incast",
            () -> Workload.named("short", .24, 1, OptionalInt.of(4), NO_BYTES));
        assertRefused("--flow-bytes: 9: the workload 'short' draws its sizes from a table, leave it out or add"
            + " --workload permutation, incast or all-to-all",
            () -> Workload.named("short", .24, 1, NO_SENDERS, OptionalLong.of(9)));
        assertRefused("--flow-bytes: 0: a flow has at least one byte, give 1 or more",
            () -> Workload.named("incast", .24, 1, NO_SENDERS, OptionalLong.of(0)));
    }
}
