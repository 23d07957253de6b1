package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Cells from outside, after gaps of any length, leave an idle fabric in the slot that a busy one gives them. */
final class OnDemandIdleTest {
    private static final int SEEDS = Integer.getInteger("skerry.test.seeds", 3) * 20;
    private static final int FLOWS = 6;
    private static final int OFFERS = 12;
    private static final long MOST_GAP = 2000;

    @Test
    void shouldTakeCellsInTheSameSlotsAsAFabricThatIsStepped() {
        long delivered = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final CircuitFabric fabric = random.nextInt(3) == 0 ? shale(random) : shoal(random);
            final Plan plan = Plan.of(random, fabric);
            final Outcome stepped = run(fabric, plan, 1, true);
            for (int workers = 1; workers <= 2; workers++) {
                Outcomes.same(stepped, run(fabric, plan, workers, false), "seed=" + seed + " workers=" + workers + " "
                    + fabric);
            }
            assertEquals(plan.total(), stepped.count(NicCounter.CELLS_DELIVERED) + stepped.cellsHeld(), "seed=" + seed);
            delivered += stepped.count(NicCounter.CELLS_DELIVERED);
        }
        assertTrue(delivered > SEEDS, "delivered=" + delivered);
    }

    private static Shale shale(final SplittableRandom random) {
        final boolean deep = random.nextBoolean();
        return Parts.shale(deep ? 2 : 1, deep ? 3 : 7, random.nextBoolean() ? Mechanisms.HBH_SPRAY : Mechanisms.NONE, 3,
            random.nextInt(20), 5);
    }

    private static Shoal shoal(final SplittableRandom random) {
        final int failed = random.nextInt(6);
        final int nodes = failed + 2 + random.nextInt(8);
        final boolean isRearranged = random.nextInt(3) == 0;
        // It must be shorter than the gap that a rearranged schedule has between the two directions of a pair.
        final int propagation = random.nextInt(isRearranged ? Math.max(1, (nodes - 1) / 2) : 12);
        return Shoal.of(isRearranged ? RoundRobin.rearranged(nodes, 1, propagation)
            : RoundRobin.plain(nodes, 1 + random.nextInt(2)), ReleaseRule.EXACT, random.nextBoolean(), propagation)
            .withFailedNodes(failed);
    }

    private static Outcome run(final CircuitFabric fabric, final Plan plan, final int workers, final boolean check) {
        return Outcomes.run(new LockStep(Parts.of(fabric), new Traffic(plan.flows(), Faults.NONE, plan), workers,
            Idle.SPIN, check), plan.end);
    }

    /** Which cells come when. */
    private static final class Plan implements Edges {
        private final int[][] ends;
        private final int[] flow = new int[OFFERS];
        private final int[] cells = new int[OFFERS];
        private final long[] slot = new long[OFFERS];
        private long end;

        private Plan(final int[][] ends) {
            this.ends = ends;
        }

        static Plan of(final SplittableRandom random, final CircuitFabric fabric) {
            final int failed = fabric instanceof final Shoal shoal ? shoal.failedNodes() : 0;
            final int up = fabric.nodes() - failed;
            final int[][] ends = new int[FLOWS][];
            Arrays.setAll(ends, i -> {
                final int from = random.nextInt(up);
                return new int[] {failed + from, failed + (from + 1 + random.nextInt(up - 1)) % up};
            });
            final Plan plan = new Plan(ends);
            for (int i = 0; i < OFFERS; i++) {
                plan.flow[i] = random.nextInt(FLOWS);
                plan.cells[i] = 1 + random.nextInt(4);
                plan.end += random.nextInt(3) == 0 ? random.nextInt(3)
                    : (long) Math.exp(random.nextDouble() * Math.log(MOST_GAP));
                plan.slot[i] = plan.end;
            }
            plan.end += 1 + random.nextInt(1000);
            return plan;
        }

        FlowSet flows() {
            final FlowSet flows = new FlowSet();
            for (int i = 0; i < FLOWS; i++) {
                flows.addOnDemand(i, ends[i][0], ends[i][1]);
            }
            return flows;
        }

        long total() {
            return Arrays.stream(cells).asLongStream().sum();
        }

        @Override
        public CellEdge[] cellEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges,
            final boolean byName) {
            return Arrays.stream(ranges).map(Cells::new).toArray(CellEdge[]::new);
        }

        @Override
        public PacketEdge[] packetEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
            throw new UnsupportedOperationException("a circuit fabric takes cells");
        }

        private final class Cells implements CellEdge {
            private final NodeRange range;
            private Intake intake;
            private int next;

            Cells(final NodeRange range) {
                this.range = range;
            }

            @Override
            public long inject(final long identity) {
                return identity;
            }

            @Override
            public long deliver(final long cell) {
                return cell;
            }

            @Override
            public long identify(final long cell) {
                return cell;
            }

            @Override
            public void discard(final long cell) {
                throw new AssertionError("nothing is lost");
            }

            @Override
            public void join(final Intake of) {
                intake = of;
            }

            @Override
            public long poll(final long now) {
                for (; next < OFFERS && slot[next] <= now; next++) {
                    assertEquals(slot[next], now, "the fabric went past an offer");
                    final int from = ends[flow[next]][0];
                    if (from >= range.first() && from < range.end()) {
                        intake.offer(flow[next], cells[next], now);
                    }
                }
                return next < OFFERS ? slot[next] : ANY_SLOT;
            }
        }
    }
}
