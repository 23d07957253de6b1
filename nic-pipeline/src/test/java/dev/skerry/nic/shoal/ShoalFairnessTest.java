package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Random endless flows get what max-min fairness over the virtual links gives them, nearly all within a tenth: check G5
 * of docs/spec/shoal.md §9.2, which has 99 of 100 flows, all of 30, 93 to 98 % of 128 and 61 % of 300 at N = 64.
 *
 * <p>These are shares of single draws of flows, and differ from draw to draw however long one measures: the network
 * soon repeats itself, so the same flows miss by the same amount whether one begins after 10 epochs or 60 and counts
 * 300 or 5,000. Flows between all pairs of distinct nodes alike, 20 draws (in the second and third column 10 of 300
 * flows), mean share and extremes:
 *
 * <pre>
 *   flows   exact                 authors' simulator    exact, told once more only in the very next turn
 *     30    99.7 %, 97 to 100     98.2 %, 93 to 100     99.3 %, 97 to 100
 *    100    97.5 %, 94 to 100     96.8 %, 94 to 100     95.4 %, 92 to 99
 *    128    94.3 %, 91 to 99      95.0 %, 90 to 98      91.6 %, 85 to 98
 *    300    55.5 %, 49 to 67      57.5 %, 52 to 70      51.2 %, 44 to 65
 * </pre>
 *
 * So 99 % is a good draw, also of the authors' simulator, whose results ours equals, and not the mean: over 60 draws of
 * 100 flows it is 97.3 % (92 to 100; 19 of the draws reach 99) against 97.0 % (12 of them). At N = 512, 3 draws each:
 * 50 to 200 flows 100 %, 400 98.3 %, 600 98.1 %, 800 98.0 %, 1,024 94.4 %.
 *
 * <p>What is left is in the mechanism: a subflow is sent once in a whole number of epochs. Of the 163 flows out of
 * 6,000 that miss, 139 get too little, and 130 of these are of two or three from their source and of one or two to
 * their destination. The 2^age rule plays no part, nor do starts one by one. Flows spread evenly over the sources and
 * destinations do worse (94 %), first come first served among the ready flows too (92 %), and so it is if the second
 * report may only shorten a wait (87 %); if it may only lengthen it, nothing changes (97.2 %).
 */
final class ShoalFairnessTest {
    private static final int NODES = 64;
    private static final int DRAWS = 10;
    private static final int WARM_EPOCHS = 20;
    private static final int EPOCHS = 150;
    private static final double NEAR = 0.1;
    private static final Map<String, double[]> FOUND = new HashMap<>();

    private static double[] shares(final int count, final ReleaseRule rule) {
        return FOUND.computeIfAbsent(rule + " " + count, key -> measure(count, rule));
    }

    /** By draw, the share of the flows within a tenth of their fair rate; no flow may get less than half of that. */
    private static double[] measure(final int count, final ReleaseRule rule) {
        final double[] shares = new double[DRAWS];
        for (int draw = 0; draw < DRAWS; draw++) {
            final FlowSet flows = draw(count, draw + 1);
            final double[] fair = new Fair(flows).rates();
            final double[] rates = rates(flows, rule);
            for (int flow = 0; flow < count; flow++) {
                shares[draw] += Math.abs(rates[flow] - fair[flow]) <= NEAR * fair[flow] ? 1.0 / count : 0;
                assertTrue(rates[flow] >= fair[flow] / 2, rule + " seed=" + (draw + 1) + " flow=" + flow);
            }
        }
        return shares;
    }

    private static FlowSet draw(final int count, final long seed) {
        final Random random = new Random(seed);
        final FlowSet flows = new FlowSet();
        final Set<Integer> pairs = new HashSet<>();
        while (flows.size() < count) {
            final int from = random.nextInt(NODES);
            final int to = random.nextInt(NODES);
            if (from != to && pairs.add(from * NODES + to)) {
                flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
            }
        }
        return flows;
    }

    /** Cells per epoch of each flow. */
    private static double[] rates(final FlowSet flows, final ReleaseRule rule) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(NODES, 1), rule, true, 0);
        final double[] rates = new double[flows.size()];
        try (HandSteppedShoal fabric = new HandSteppedShoal(shoal, flows)) {
            fabric.stepTo((long) WARM_EPOCHS * (NODES - 1));
            final long[] before = fabric.received();
            fabric.stepTo((long) (WARM_EPOCHS + EPOCHS) * (NODES - 1));
            final long[] after = fabric.received();
            Arrays.setAll(rates, flow -> (after[flow] - before[flow]) / (double) EPOCHS);
        }
        return rates;
    }

    private static double mean(final double[] shares) {
        return Arrays.stream(shares).average().orElseThrow();
    }

    /** What was found with one draw of flows is what a draw gives: within two standard deviations of the mean. */
    @ParameterizedTest
    @CsvSource({"30, 1.00, EXACT", "30, 1.00, AUTHORS_SIMULATOR"})
    void shouldShareFairly(final int count, final double found, final ReleaseRule rule) {
        share(count, found, rule);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"100, 0.99, EXACT", "100, 0.99, AUTHORS_SIMULATOR", "128, 0.955, EXACT"})
    void shouldShareFairlyAmongMore(final int count, final double found, final ReleaseRule rule) {
        share(count, found, rule);
    }

    private static void share(final int count, final double found, final ReleaseRule rule) {
        final double[] shares = shares(count, rule);
        final double mean = mean(shares);
        final double variance = Arrays.stream(shares).map(share -> (share - mean) * (share - mean)).sum() / (DRAWS - 1);
        assertTrue(Math.abs(found - mean) <= 2 * Math.sqrt(variance), rule + ": " + Arrays.toString(shares));
    }

    /** One value with each cell that fits the header does as well as the two of the authors' simulator. */
    @Test
    void shouldBeAsFairAsTheSimulator() {
        compare(30);
    }

    @Tag("long")
    @Test
    void shouldBeAsFairAsTheSimulatorAmongMore() {
        compare(100);
    }

    private static void compare(final int count) {
        final double[] exact = shares(count, ReleaseRule.EXACT);
        final double[] authors = shares(count, ReleaseRule.AUTHORS_SIMULATOR);
        assertTrue(mean(exact) >= mean(authors), count + ": " + Arrays.toString(exact) + " "
            + Arrays.toString(authors));
    }

    /**
     * Max-min rates of subflows: all grow alike until a virtual link that they cross is full; a flow's rate is the sum
     * (docs/spec/shoal.md §9.3).
     */
    private static final class Fair {
        private static final double FULL = 1e-9;

        private final double[] rates;
        /** Links a subflow crosses, of every flow over every relay; the one without is not there. */
        private final int[][] crossed;
        private final double[] room = new double[NODES * NODES];

        Fair(final FlowSet flows) {
            this.rates = new double[flows.size()];
            this.crossed = new int[flows.size() * NODES][];
            for (int flow = 0; flow < flows.size(); flow++) {
                final int from = flows.source(flow);
                final int to = flows.destination(flow);
                for (int relay = 0; relay < NODES; relay++) {
                    crossed[flow * NODES + relay] = relay == from ? null
                        : relay == to ? new int[] {from * NODES + to}
                        : new int[] {from * NODES + relay, relay * NODES + to};
                }
            }
            Arrays.fill(room, 1);
        }

        double[] rates() {
            while (Arrays.stream(crossed).anyMatch(links -> links != null)) {
                grow();
            }
            return rates;
        }

        private void grow() {
            final int[] users = new int[room.length];
            for (final int[] links : crossed) {
                for (int i = 0; links != null && i < links.length; i++) {
                    users[links[i]]++;
                }
            }
            double least = 1;
            for (int link = 0; link < room.length; link++) {
                least = users[link] > 0 ? Math.min(least, room[link] / users[link]) : least;
            }
            for (int link = 0; link < room.length; link++) {
                room[link] -= least * users[link];
            }
            for (int subflow = 0; subflow < crossed.length; subflow++) {
                if (crossed[subflow] != null) {
                    rates[subflow / NODES] += least;
                    if (Arrays.stream(crossed[subflow]).anyMatch(link -> room[link] < FULL)) {
                        crossed[subflow] = null;
                    }
                }
            }
        }
    }
}
