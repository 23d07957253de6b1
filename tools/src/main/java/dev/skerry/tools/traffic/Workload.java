package dev.skerry.tools.traffic;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A synthetic workload: a pure function of its parameters, the size of the fabric and a seed. Immutable and
 * thread-safe.
 */
public sealed interface Workload permits Collective, Workload.AllToAll, Workload.Incast, Workload.EachToEach,
    Workload.Permutation, Workload.PoissonArrivals {
    /** Names of the workloads in {@link WorkloadChoice}. */
    List<String> NAMES = List.of("permutation", "short", "heavy", "web", "incast", "all-to-all");

    /**
     * Prefixes of the path of a file of flow sizes, instead of a name: as the form of the file defines, linear, or
     * stepped.
     */
    List<String> FILES = List.of("file:", "linear:", "step:");

    /** Maximum number of flows of a workload; these take about 5 GB. */
    int MAX_FLOWS = 1 << 27;

    /**
     * Generates the flows, with ids from 0 in order of start.
     *
     * @param endpoints    number of nodes that may send and receive, at least 2.
     * @param payloadBytes payload bytes of a cell, at least 1.
     * @param untilSlot    flows start before this slot; used only by arrival processes.
     * @param seed         seed of all random choices.
     * @return the flows.
     * @throws InputException if the parameters do not match the fabric, or would generate more than {@link #MAX_FLOWS}
     *     flows.
     */
    FlowSet generate(int endpoints, int payloadBytes, long untilSlot, long seed);

    /** Returns the prefix of a name that is in {@link #FILES}; null if it does not name a file. */
    static String filePrefix(final String name) {
        return FILES.stream().filter(name::startsWith).findFirst().orElse(null);
    }

    /**
     * A shuffle: every endpoint sends one flow to every other endpoint, all from slot 0. In turn k of the order, each
     * endpoint sends to the one k places after it, so that the first flows have different receivers. The seed has no
     * effect.
     *
     * @param flowBytes bytes of each flow.
     */
    record AllToAll(long flowBytes) implements Workload {
        /** Default bytes of a flow: 10 cells of Shale, so that 256 nodes finish within the default run. */
        public static final long DEFAULT_FLOW_BYTES = 2440;

        /** Refuses flows without bytes. */
        public AllToAll {
            checkFlowBytes(flowBytes);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            checkEndpoints(endpoints);
            final long pairs = (long) endpoints * (endpoints - 1);
            Choices.refuseIf(pairs > MAX_FLOWS, "--nodes", endpoints, "all-to-all would have " + pairs + " flows",
                "give at most " + (int) Math.sqrt(MAX_FLOWS));
            final int cells = Workload.cells(flowBytes, payloadBytes);
            final FlowSet flows = new FlowSet();
            for (int turn = 1; turn < endpoints; turn++) {
                for (int sender = 0; sender < endpoints; sender++) {
                    flows.add(flows.size(), sender, (sender + turn) % endpoints, flowBytes, cells, 0);
                }
            }
            return flows;
        }
    }

    /**
     * The answers to a query: many senders send one flow each to the same receiver, all from slot 0. The seed selects
     * the nodes; flows are in order of their senders.
     *
     * @param senders   number of senders; null for {@link #DEFAULT_SENDERS}, or all other endpoints if there are fewer.
     * @param flowBytes bytes of each flow.
     */
    record Incast(Integer senders, long flowBytes) implements Workload {
        /** Default number of senders: the fan-in of an aggregator in a rack. */
        public static final int DEFAULT_SENDERS = 32;
        /** Default bytes of a flow: 100 cells of Shale. */
        public static final long DEFAULT_FLOW_BYTES = 24_400;

        private static final int RECEIVER = 0;
        private static final int SENDER = 1;

        /** Refuses an incast without senders, and flows without bytes. */
        public Incast {
            Choices.refuseIf(senders != null && senders < 1, "--incast-senders", senders, "an incast needs a sender",
                "give 1 or more");
            checkFlowBytes(flowBytes);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            checkEndpoints(endpoints);
            final int others = endpoints - 1;
            final int count = senders == null ? Math.min(DEFAULT_SENDERS, others) : senders;
            Choices.refuseIf(count > others, "--incast-senders", count, "there are " + endpoints
                + " working nodes and one receives", "give at most " + others);
            final int cells = Workload.cells(flowBytes, payloadBytes);
            final Draws draws = new Draws(seed);
            final int receiver = draws.below(0, RECEIVER, endpoints);
            final int[] chosen = choose(count, others, draws);
            final FlowSet flows = new FlowSet();
            for (int flow = 0; flow < count; flow++) {
                final int sender = chosen[flow] < receiver ? chosen[flow] : chosen[flow] + 1;
                flows.add(flow, sender, receiver, flowBytes, cells, 0);
            }
            return flows;
        }

        /** Returns a uniform choice of {@code count} numbers below {@code bound}, in ascending order. */
        private static int[] choose(final int count, final int bound, final Draws draws) {
            final int[] numbers = IntStream.range(0, bound).toArray();
            for (int i = 0; i < count; i++) {
                final int j = i + draws.below(i, SENDER, bound - i);
                final int chosen = numbers[j];
                numbers[j] = numbers[i];
                numbers[i] = chosen;
            }
            final int[] chosen = Arrays.copyOf(numbers, count);
            Arrays.sort(chosen);
            return chosen;
        }
    }

    /**
     * Every endpoint generates a cell for every other endpoint at a fixed interval, as the generators of Shoal's
     * prototype do at 1 to 10 Gb/s. Each cell is a separate flow. The starts of the endpoints are spread over the first
     * interval. The seed has no effect.
     *
     * @param intervalSlots slots between two cells of a pair, above 0.
     */
    record EachToEach(double intervalSlots) implements Workload {
        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            checkEndpoints(endpoints);
            final double rounds = Math.ceil(untilSlot / intervalSlots);
            Choices.refuseIf(rounds * endpoints * (endpoints - 1) > MAX_FLOWS, "--workload", "each-to-each",
                "a cell is a flow, and there would be more than " + MAX_FLOWS, "give fewer --slots, fewer --nodes or a "
                + "lower --pair-gbps");
            final FlowSet flows = new FlowSet();
            for (long round = 0; round < rounds; round++) {
                for (int sender = 0; sender < endpoints; sender++) {
                    final long slot = (long) ((round + (double) sender / endpoints) * intervalSlots);
                    for (int turn = 1; turn < endpoints && slot < untilSlot; turn++) {
                        flows.add(flows.size(), sender, (sender + turn) % endpoints, payloadBytes, 1, slot);
                    }
                }
            }
            return flows;
        }
    }

    private static void checkEndpoints(final int endpoints) {
        Choices.refuseIf(endpoints < 2, "--nodes", endpoints, "a flow needs two working nodes", "give at least 2");
    }

    private static void checkFlowBytes(final long flowBytes) {
        Choices.refuseIf(flowBytes < 1, "--flow-bytes", flowBytes, "a flow has at least one byte", "give 1 or more");
    }

    /** Returns the number of cells of a flow with a typed size. */
    private static int cells(final long flowBytes, final int payloadBytes) {
        Bounds.atLeast("payloadBytes", payloadBytes, 1);
        final long cells = (flowBytes - 1) / payloadBytes + 1;
        Choices.refuseIf(cells >= FlowSet.ENDLESS, "--flow-bytes", flowBytes, "makes a flow of " + cells + " cells",
            "give at most " + (FlowSet.ENDLESS - 1L) * payloadBytes);
        return (int) cells;
    }

    /**
     * Random numbers of a workload. Each is a hash of (seed, index, use), so they have no order and no state. The seed
     * is mixed once more than in the pipeline, which makes traffic and spraying independent. Immutable.
     */
    final class Draws {
        private static final long TRAFFIC = 0x7472616666696331L;

        private final long seed;

        Draws(final long seed) {
            this.seed = CounterRandom.mix(seed ^ TRAFFIC);
        }

        /**
         * Returns a double in {@code [0, 1)}, a multiple of 2^-53.
         *
         * @param index purpose of the number, for example the flow.
         * @param use   selects one of the numbers for this index, 0 to 255.
         */
        double uniform(final long index, final int use) {
            return (CounterRandom.bits(seed, 0, index, use) >>> 11) * 0x1p-53;
        }

        /**
         * Returns an integer in {@code [0, bound)}.
         *
         * @param index purpose of the number, for example the flow.
         * @param use   selects one of the numbers for this index, 0 to 255.
         * @param bound above 0.
         */
        int below(final long index, final int use, final int bound) {
            return CounterRandom.below(CounterRandom.bits(seed, 0, index, use), bound);
        }
    }

    /**
     * Every endpoint sends one flow to another endpoint and receives one, all from slot 0. This traffic shows the
     * guaranteed throughput of a fabric. The permutation is uniform among those without fixed points.
     *
     * @param flowBytes bytes of each flow, or {@link #ENDLESS_BYTES}.
     */
    record Permutation(long flowBytes) implements Workload {
        /** Size of endless flows, as returned by {@link FlowSet#bytes}. */
        public static final long ENDLESS_BYTES = Long.MAX_VALUE;

        /** Refuses flows without bytes. */
        public Permutation {
            checkFlowBytes(flowBytes);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            checkEndpoints(endpoints);
            final int cells = flowBytes == ENDLESS_BYTES ? FlowSet.ENDLESS : Workload.cells(flowBytes, payloadBytes);
            final int[] receiver = derangement(endpoints, new Draws(seed));
            final FlowSet flows = new FlowSet();
            for (int sender = 0; sender < endpoints; sender++) {
                flows.add(sender, sender, receiver[sender], flowBytes, cells, 0);
            }
            return flows;
        }

        /** Draws permutations until one has no fixed point; the probability is about 1/e for any size. */
        private static int[] derangement(final int size, final Draws draws) {
            final int[] target = new int[size];
            long drawn = 0;
            boolean fixedPoint = true;
            while (fixedPoint) {
                Arrays.setAll(target, i -> i);
                fixedPoint = false;
                // Fisher-Yates from the top: position i is final after it has been drawn, so a fixed point is detected
                // immediately.
                for (int i = size - 1; i >= 0 && !fixedPoint; i--) {
                    final int j = draws.below(drawn++, 0, i + 1);
                    final int chosen = target[j];
                    target[j] = target[i];
                    target[i] = chosen;
                    fixedPoint = chosen == i;
                }
            }
            return target;
        }
    }

    /**
     * A Poisson process for the whole fabric, as in the papers (docs/spec/shale.md §10.1): {@code load * channels *
     * endpoints / meanCells} flows per slot, each from a random source to a random other endpoint, with a size from a
     * distribution. The flows of a shorter run are the first flows of a longer one.
     *
     * @param sizes    the distribution of flow sizes.
     * @param load     L of the papers: average number of cells that an endpoint offers per slot and channel, above 0 up
     *     to 1.
     * @param channels channels of an endpoint.
     */
    record PoissonArrivals(FlowSizes sizes, double load, int channels) implements Workload {
        private static final int GAP = 0;
        private static final int SIZE = 1;
        private static final int SOURCE = 2;
        private static final int DESTINATION = 3;

        /** Refuses a load that exceeds the rate of an endpoint. */
        public PoissonArrivals {
            Choices.refuseIf(!(load > 0 && load <= 1), "--load", load, "a node sends at most one cell per slot",
                "give more than 0 and at most 1");
        }

        /** Creates the process for endpoints with one channel. */
        public PoissonArrivals(final FlowSizes sizes, final double load) {
            this(sizes, load, 1);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            checkEndpoints(endpoints);
            Choices.refuseIf(untilSlot < 1, "--slots", untilSlot, "flows arrive for as long as the run lasts",
                "give 1 or more");
            final double flowsPerSlot = load * channels * endpoints / sizes.meanCells(payloadBytes);
            Choices.refuseIf(flowsPerSlot * untilSlot > MAX_FLOWS, "--slots", untilSlot, "more than " + MAX_FLOWS
                + " flows would arrive", "give at most " + (long) (MAX_FLOWS / flowsPerSlot) + " or a smaller --load");
            final Draws draws = new Draws(seed);
            final FlowSet flows = new FlowSet();
            double clock = gap(draws, 0, flowsPerSlot);
            for (int flow = 0; clock < untilSlot; flow++) {
                final long bytes = sizes.bytes(draws.uniform(flow, SIZE));
                final int cells = (int) ((bytes - 1) / payloadBytes + 1); // At most 973 million, with 1 B cells.
                final int source = draws.below(flow, SOURCE, endpoints);
                final int other = draws.below(flow, DESTINATION, endpoints - 1);
                flows.add(flow, source, other < source ? other : other + 1, bytes, cells, (long) clock);
                clock += gap(draws, flow + 1L, flowsPerSlot);
            }
            return flows;
        }

        /**
         * Returns the slots between a flow and the previous one. Uses StrictMath, because the result of Math.log may
         * differ between machines.
         */
        private static double gap(final Draws draws, final long flow, final double flowsPerSlot) {
            return -StrictMath.log(1 - draws.uniform(flow, GAP)) / flowsPerSlot;
        }
    }

    /**
     * The typed options of a synthetic workload; null for those that were not typed.
     *
     * @param name          name of the workload.
     * @param load          load that arrivals offer.
     * @param incastSenders senders of an incast.
     * @param flowBytes     bytes of a flow.
     */
    record WorkloadChoice(String name, Double load, Integer incastSenders, Long flowBytes) {
        /** The default workload. */
        public static final String USUAL = "short";

        /**
         * Returns the workload that the options define: one of {@link #NAMES}, or one of {@link #FILES} with the path
         * of a table.
         *
         * @param usualLoad default load of arrivals: average number of cells that an endpoint offers per slot and
         *     channel, above 0 up to 1.
         * @param channels  channels of a node.
         * @throws InputException for an unknown name, a value that is out of range, or an option that does not apply to
         *     the workload.
         */
        public Workload workload(final double usualLoad, final int channels) {
            final String named = name == null ? USUAL : name;
            Choices.refuse("--incast-senders", named.equals("incast") ? null : incastSenders, "the workload is '"
                + named + "'", "leave it out or add --workload incast");
            final FlowSizes sizes = switch (named) {
                case "short" -> SizeDistribution.SHORT;
                case "heavy" -> SizeDistribution.HEAVY;
                case "web" -> SizeDistribution.WEB;
                default -> ofFile(named);
            };
            if (sizes != null) {
                Choices.refuse("--flow-bytes", flowBytes, "the workload '" + named + "' draws its sizes from a table",
                    "leave it out or add --workload permutation, incast or all-to-all");
                return new PoissonArrivals(sizes, load == null ? usualLoad : load, channels);
            }
            final Workload atOnce = switch (named) {
                case "permutation" -> new Permutation(flowBytes(Permutation.ENDLESS_BYTES));
                case "incast" -> new Incast(incastSenders, flowBytes(Incast.DEFAULT_FLOW_BYTES));
                case "all-to-all" -> new AllToAll(flowBytes(AllToAll.DEFAULT_FLOW_BYTES));
                default -> throw new InputException("--workload", named, "there is no such workload",
                    "use one of " + String.join(", ", NAMES) + ", ring-allreduce, tree-allreduce, moe, incast-rounds, "
                    + "each-to-each or file:PATH" + (named.startsWith("web")
                    ? "; did you mean web?" : Choices.nearest(named, NAMES)));
            };
            Choices.refuse("--load", load, "the workload '" + named + "' starts all its flows at once",
                "leave it out or add --workload short, heavy or web");
            return atOnce;
        }

        private static SizeDistribution ofFile(final String named) {
            final String prefix = filePrefix(named);
            return prefix == null ? null : SizeDistribution.read(Path.of(named.substring(prefix.length())),
                prefix.equals("file:") ? null : prefix.equals("step:"));
        }

        /** Returns remarks for the user on the sizes of a file; none for other workloads. */
        public List<String> remarks(final Workload made) {
            return made instanceof PoissonArrivals arrivals && name != null && filePrefix(name) != null
                ? List.of(name + ": " + arrivals.sizes.inWords()) : List.of();
        }

        private long flowBytes(final long usual) {
            return flowBytes == null ? usual : flowBytes;
        }

        /** Refuses the options of a workload together with a trace. */
        public void refuseBeside(final Path trace) {
            Choices.refuseIf(name != null || load != null || incastSenders != null || flowBytes != null, "--flows",
                trace, "a trace defines its flows completely",
                "leave out --workload, --load, --incast-senders and --flow-bytes");
        }
    }
}
