package dev.skerry.tools.traffic;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A synthetic workload: a pure function of its parameters, the size of the fabric and a seed. Immutable; any thread may
 * call.
 */
public sealed interface Workload {
    /** The workloads by the names {@link #named} knows. */
    List<String> NAMES = List.of("permutation", "short", "heavy", "web", "incast", "all-to-all");

    /** Before the path of a file of flow sizes, in place of a name. */
    String FILE = "file:";

    /** Most flows of a workload, some 5 GB of them. */
    int MAX_FLOWS = 1 << 27;

    /**
     * Makes the flows: ids from 0 in order of start.
     *
     * @param endpoints    nodes that may send and receive, at least 2.
     * @param payloadBytes payload bytes of a cell, at least 1.
     * @param untilSlot    flows start before this slot; only arrival processes look at it.
     * @param seed         decides everything random.
     * @return the flows.
     * @throws InputException if the parameters do not fit the fabric, or make more than {@link #MAX_FLOWS} flows.
     */
    FlowSet generate(int endpoints, int payloadBytes, long untilSlot, long seed);

    /**
     * The workload that the command line names.
     *
     * @param name      one of {@link #NAMES}, or {@link #FILE} and the path of a {@link SizeFile}.
     * @param load      cells that an endpoint offers per slot and channel on average, over 0 up to 1; {@code short},
     *                  {@code heavy}, {@code web} and sizes from a file only.
     * @param channels  of an endpoint.
     * @param senders   senders of an incast; {@link Incast#DEFAULT_SENDERS} or all there are if not given.
     * @param flowBytes bytes of a flow; if not given, a permutation's flows never end, an incast's have
     *                  {@link Incast#DEFAULT_FLOW_BYTES} and an all-to-all's {@link AllToAll#DEFAULT_FLOW_BYTES}.
     * @return the workload.
     * @throws InputException for an unknown name, a value out of range, or an option the workload has no use for.
     */
    static Workload named(final String name, final double load, final int channels, final OptionalInt senders,
        final OptionalLong flowBytes) {
        if (senders.isPresent() && !"incast".equals(name)) {
            throw new InputException("--incast-senders", Integer.toString(senders.getAsInt()),
                "the workload is '" + name + "'", "leave it out or add --workload incast");
        }
        if (name.startsWith(FILE)) {
            return arrivals(name, SizeFile.read(Path.of(name.substring(FILE.length()))), load, channels, flowBytes);
        }
        return switch (name) {
            case "permutation" -> new Permutation(flowBytes.orElse(Permutation.ENDLESS_BYTES));
            case "short" -> arrivals(name, SizeDistribution.SHORT, load, channels, flowBytes);
            case "heavy" -> arrivals(name, SizeDistribution.HEAVY, load, channels, flowBytes);
            case "web" -> arrivals(name, SizeDistribution.WEB, load, channels, flowBytes);
            case "incast" -> new Incast(senders, flowBytes.orElse(Incast.DEFAULT_FLOW_BYTES));
            case "all-to-all" -> new AllToAll(flowBytes.orElse(AllToAll.DEFAULT_FLOW_BYTES));
            default -> throw new InputException("--workload", name, "there is no such workload",
                "use one of " + String.join(", ", NAMES) + ", each-to-each or file:PATH" + (name.startsWith("web")
                ? "; did you mean web?" : Choices.nearest(name, NAMES)));
        };
    }

    private static Workload arrivals(final String name, final FlowSizes sizes, final double load,
        final int channels, final OptionalLong flowBytes) {
        if (flowBytes.isPresent()) {
            throw new InputException("--flow-bytes", Long.toString(flowBytes.getAsLong()),
                "the workload '" + name + "' draws its sizes from a table",
                "leave it out or add --workload permutation, incast or all-to-all");
        }
        return new PoissonArrivals(sizes, load, channels);
    }

    /**
     * Every endpoint sends one flow to every other, all from slot 0: a shuffle. In turn k of the order each endpoint
     * sends to the one k behind it, so no receiver is first for all. Nothing is left to the seed.
     *
     * @param flowBytes bytes of each flow.
     */
    record AllToAll(long flowBytes) implements Workload {
        /** Bytes of a flow if none are given: 10 cells of Shale, so that 256 nodes finish within the default run. */
        public static final long DEFAULT_FLOW_BYTES = 2440;

        /** Refuses flows of no bytes. */
        public AllToAll {
            Limits.checkFlowBytes(flowBytes);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            Limits.checkEndpoints(endpoints);
            final long pairs = (long) endpoints * (endpoints - 1);
            Choices.refuseIf(pairs > MAX_FLOWS, "--nodes", endpoints, "all-to-all would have " + pairs + " flows",
                "give at most " + (int) Math.sqrt(MAX_FLOWS));
            final int cells = Limits.cells(flowBytes, payloadBytes);
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
     * Many senders, one receiver, all at once from slot 0, one flow each: the answers to a query. The seed chooses who;
     * flows are in order of their senders.
     *
     * @param senders   how many; {@link #DEFAULT_SENDERS}, or all other endpoints if these are fewer, if not given.
     * @param flowBytes bytes of each flow.
     */
    record Incast(OptionalInt senders, long flowBytes) implements Workload {
        /** Senders if none are given: the fan-in of one aggregator in a rack. */
        public static final int DEFAULT_SENDERS = 32;
        /** Bytes of a flow if none are given: 100 cells of Shale. */
        public static final long DEFAULT_FLOW_BYTES = 24_400;

        private static final int RECEIVER = 0;
        private static final int SENDER = 1;

        /** Refuses no senders and flows of no bytes. */
        public Incast {
            if (senders.isPresent() && senders.getAsInt() < 1) {
                throw new InputException("--incast-senders", Integer.toString(senders.getAsInt()),
                    "an incast needs a sender", "give 1 or more");
            }
            Limits.checkFlowBytes(flowBytes);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            Limits.checkEndpoints(endpoints);
            final int others = endpoints - 1;
            final int count = senders.orElse(Math.min(DEFAULT_SENDERS, others));
            Choices.refuseIf(count > others, "--incast-senders", count, "there are " + endpoints
                + " working nodes and one receives", "give at most " + others);
            final int cells = Limits.cells(flowBytes, payloadBytes);
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

        /** A uniform choice of {@code count} numbers below {@code bound}, ascending. */
        private static int[] choose(final int count, final int bound, final Draws draws) {
            final int[] numbers = new int[bound];
            for (int i = 0; i < bound; i++) {
                numbers[i] = i;
            }
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
     * Every endpoint makes a cell for every other one at a fixed interval, as the generators of Shoal's prototype do at
     * 1 to 10 Gb/s. A cell is a flow of its own. Endpoints begin one after the other within the first interval. Nothing
     * is left to the seed.
     *
     * @param intervalSlots from a cell of a pair to the next, above 0.
     */
    record EachToEach(double intervalSlots) implements Workload {
        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            Limits.checkEndpoints(endpoints);
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

    /**
     * Flow sizes from a file: a cumulative table, a point a line, linear between its points and rounded up to whole
     * bytes, with all the mass below the first point at it (docs/spec/shale.md §10.2).
     *
     * <pre>
     *   # bytes  share of the flows that are not larger
     *   1460     0.5
     *   2920     0.6
     *   3076220  1
     * </pre>
     *
     * Plain or gzip, fields separated by a comma, blanks or both.
     *
     * @param points in ascending order, the last with the share 1.
     */
    record SizeFile(List<Point> points) implements FlowSizes {
        /** Longest flow: with cells of one byte it has fewer than 2^31 - 1. */
        static final long MAX_BYTES = Integer.MAX_VALUE - 1;
        private static final String WHAT = "workload";
        private static final String FORMAT = "write bytes and the share of the flows that are not larger";

        /** The share of all flows that have at most this many bytes. */
        public record Point(long bytes, double share) {
        }

        /** Copies the points. */
        public SizeFile {
            points = List.copyOf(points);
        }

        /**
         * Reads a table.
         *
         * @throws InputException with file and line, if a line or the table is wrong.
         */
        public static SizeFile read(final Path file) {
            final List<Point> points = new ArrayList<>();
            try (LineReader lines = new LineReader(WHAT, file)) {
                while (lines.next()) {
                    if (lines.fields() > 0) {
                        points.add(point(lines, points.isEmpty() ? new Point(0, 0) : points.getLast()));
                    }
                }
            }
            Choices.refuseIf(points.isEmpty() || points.getLast().share != 1, WHAT, file, points.isEmpty()
                ? "holds no size" : "ends at the share " + points.getLast().share, "end with the largest size and the "
                + "share 1");
            return new SizeFile(points);
        }

        private static Point point(final LineReader lines, final Point before) {
            Choices.refuseIf(lines.fields() != 2, WHAT, lines.where(), "2 fields are needed and " + lines.fields()
                + " found", FORMAT);
            final long bytes = lines.wholeNumber(0);
            final double share = lines.number(1);
            final boolean none = bytes == 0 && share == 0 && before.bytes == 0;
            Choices.refuseIf(!none && bytes <= before.bytes || bytes > MAX_BYTES, WHAT, lines.where(), "size "
                + lines.quote(0) + " is not larger than " + before.bytes, "give ascending whole numbers of bytes, at "
                + "most " + MAX_BYTES);
            Choices.refuseIf(!(share >= before.share && share <= 1), WHAT, lines.where(), lines.quote(1)
                + " is not a cumulative fraction from " + before.share + " to 1", "give ascending fractions, "
                + "percentages divided by 100");
            return new Point(bytes, share);
        }

        @Override
        public long bytes(final double uniform) {
            int at = 0;
            while (uniform > points.get(at).share) {
                at++;
            }
            if (at == 0 && points.getFirst().bytes > 0) {
                return points.getFirst().bytes;
            }
            // No flow is smaller than the first size above a line of 0 0.
            at = Math.max(at, 1);
            final Point below = points.get(at - 1);
            final Point above = points.get(at);
            final double part = (uniform - below.share) / (above.share - below.share);
            return below.bytes + Math.max(1, (long) Math.ceil(part * (above.bytes - below.bytes)));
        }

        @Override
        public double meanCells(final int payloadBytes) {
            double mean = points.getFirst().share * ((points.getFirst().bytes - 1) / payloadBytes + 1);
            for (int at = 1; at < points.size(); at++) {
                final Point below = points.get(at - 1);
                final Point above = points.get(at);
                mean += (above.share - below.share) * (cellsUpTo(above.bytes, payloadBytes)
                    - cellsUpTo(below.bytes, payloadBytes)) / (above.bytes - below.bytes);
            }
            return mean;
        }

        /** The cells of flows of 1, 2, .. bytes together. */
        private static double cellsUpTo(final long bytes, final int payloadBytes) {
            final double whole = bytes / payloadBytes;
            return payloadBytes * whole * (whole + 1) / 2 + bytes % payloadBytes * (whole + 1);
        }
    }

    /** The checks that workloads share. Pure functions. */
    final class Limits {
        private Limits() {
        }

        static void checkEndpoints(final int endpoints) {
            Choices.refuseIf(endpoints < 2, "--nodes", endpoints, "a flow needs two working nodes", "give at least 2");
        }

        static void checkFlowBytes(final long flowBytes) {
            Choices.refuseIf(flowBytes < 1, "--flow-bytes", flowBytes, "a flow has at least one byte",
                "give 1 or more");
        }

        /** Cells of a flow of bytes that the user gave. */
        static int cells(final long flowBytes, final int payloadBytes) {
            checkPayload(payloadBytes);
            final long cells = (flowBytes - 1) / payloadBytes + 1;
            Choices.refuseIf(cells >= FlowSet.ENDLESS, "--flow-bytes", flowBytes, "makes a flow of " + cells + " cells",
                "give at most " + (FlowSet.ENDLESS - 1L) * payloadBytes);
            return (int) cells;
        }

        static void checkPayload(final int payloadBytes) {
            Bounds.atLeast("payloadBytes", payloadBytes, 1);
        }
    }

    /**
     * Random numbers of a workload: each a hash of (seed, index, use), so they have no order and no state. The seed is
     * mixed once more than the pipeline mixes it, which keeps traffic and spraying apart. Immutable.
     */
    final class Draws {
        private static final long TRAFFIC = 0x7472616666696331L;

        private final long seed;

        Draws(final long seed) {
            this.seed = CounterRandom.mix(seed ^ TRAFFIC);
        }

        /**
         * A double in {@code [0, 1)}, a multiple of 2^-53.
         *
         * @param index what it is for, for example the flow.
         * @param use   which of the numbers for that index, 0 to 255.
         */
        double uniform(final long index, final int use) {
            return (CounterRandom.bits(seed, 0, index, use) >>> 11) * 0x1p-53;
        }

        /**
         * A number in {@code [0, bound)}.
         *
         * @param index what it is for, for example the flow.
         * @param use   which of the numbers for that index, 0 to 255.
         * @param bound over 0.
         */
        int below(final long index, final int use, final int bound) {
            return CounterRandom.below(CounterRandom.bits(seed, 0, index, use), bound);
        }
    }

    /**
     * Every endpoint sends one flow to another and receives one, all from slot 0: the traffic that shows a fabric's
     * guaranteed throughput. The permutation is uniform among those without fixed points.
     *
     * @param flowBytes bytes of each flow, or {@link #ENDLESS_BYTES}.
     */
    record Permutation(long flowBytes) implements Workload {
        /** Flows that never end, as {@link FlowSet#bytes} gives them. */
        public static final long ENDLESS_BYTES = Long.MAX_VALUE;

        /** Refuses flows of no bytes. */
        public Permutation {
            Limits.checkFlowBytes(flowBytes);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            Limits.checkEndpoints(endpoints);
            final int cells = flowBytes == ENDLESS_BYTES ? FlowSet.ENDLESS : Limits.cells(flowBytes, payloadBytes);
            final int[] receiver = derangement(endpoints, new Draws(seed));
            final FlowSet flows = new FlowSet();
            for (int sender = 0; sender < endpoints; sender++) {
                flows.add(sender, sender, receiver[sender], flowBytes, cells, 0);
            }
            return flows;
        }

        /** Draws permutations until one has no fixed point: one in e has none, whatever the size. */
        private static int[] derangement(final int size, final Draws draws) {
            final int[] target = new int[size];
            long drawn = 0;
            boolean fixedPoint = true;
            while (fixedPoint) {
                for (int i = 0; i < size; i++) {
                    target[i] = i;
                }
                fixedPoint = false;
                // Fisher-Yates from the top: position i is settled once it is drawn, so a fixed point shows at once.
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
     * One Poisson process for the whole fabric, as in the papers (docs/spec/shale.md §10.1): {@code load * channels *
     * endpoints / meanCells} flows per slot, each from a uniform source to a uniform other endpoint, its size drawn
     * from a table. A longer run has the flows of a shorter one first.
     *
     * @param sizes    the table of flow sizes.
     * @param load     L of the papers: cells that an endpoint offers per slot and channel on average, over 0 up to 1.
     * @param channels of an endpoint.
     */
    record PoissonArrivals(FlowSizes sizes, double load, int channels) implements Workload {
        private static final int GAP = 0;
        private static final int SIZE = 1;
        private static final int SOURCE = 2;
        private static final int DESTINATION = 3;

        /** Refuses a load that no endpoint can send. */
        public PoissonArrivals {
            Objects.requireNonNull(sizes, "sizes");
            Choices.refuseIf(!(load > 0 && load <= 1), "--load", load, "a node sends up to one cell a slot",
                "give more than 0 and at most 1");
        }

        /** The same for endpoints with one channel. */
        public PoissonArrivals(final FlowSizes sizes, final double load) {
            this(sizes, load, 1);
        }

        @Override
        public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
            Limits.checkEndpoints(endpoints);
            Limits.checkPayload(payloadBytes);
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
                final int cells = (int) ((bytes - 1) / payloadBytes + 1); // at most 973 million, with 1 B cells
                final int source = draws.below(flow, SOURCE, endpoints);
                final int other = draws.below(flow, DESTINATION, endpoints - 1);
                flows.add(flow, source, other < source ? other : other + 1, bytes, cells, (long) clock);
                clock += gap(draws, flow + 1L, flowsPerSlot);
            }
            return flows;
        }

        /** Slots between a flow and the one before. StrictMath: the other logarithm may differ between machines. */
        private static double gap(final Draws draws, final long flow, final double flowsPerSlot) {
            return -StrictMath.log(1 - draws.uniform(flow, GAP)) / flowsPerSlot;
        }
    }

    /**
     * The synthetic workload as it was typed; null is what was not.
     *
     * @param name          of the workload.
     * @param load          that arrivals offer.
     * @param incastSenders of an incast.
     * @param flowBytes     of a flow.
     */
    record WorkloadChoice(String name, Double load, Integer incastSenders, Long flowBytes) {
        /** The workload without a name. */
        public static final String USUAL = "short";

        /**
         * Makes sense of the options.
         *
         * @param usualLoad load of arrivals if none was typed.
         * @param channels  of a node.
         * @throws InputException if one of them is wrong, alone or with another.
         */
        public Workload workload(final double usualLoad, final int channels) {
            final Workload workload = Workload.named(name == null ? USUAL : name, load == null ? usualLoad : load,
                channels,
                incastSenders == null ? OptionalInt.empty() : OptionalInt.of(incastSenders),
                flowBytes == null ? OptionalLong.empty() : OptionalLong.of(flowBytes));
            Choices.refuseIf(load != null && !(workload instanceof PoissonArrivals), "--load", load, "the workload '"
                + name
                + "' starts all its flows at once", "leave it out or add --workload short, heavy or web");
            return workload;
        }

        /** Refuses a workload beside a trace. */
        public void refuseBeside(final Path trace) {
            Choices.refuseIf(name != null || load != null || incastSenders != null || flowBytes != null, "--flows",
                trace,
                "a trace says all about its flows", "leave out --workload, --load, --incast-senders and --flow-bytes");
        }
    }
}
