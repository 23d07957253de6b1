package dev.skerry.tools.traffic;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.tools.input.Choices;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A distribution of flow sizes. Immutable; any thread may call. */
public interface FlowSizes {
    /**
     * The size at a quantile, by inversion of the table: monotone.
     *
     * @param uniform in {@code [0, 1]}.
     * @return bytes.
     */
    long bytes(double uniform);

    /**
     * The mean size in cells, over every size there is: the last cell of a flow counts whole.
     *
     * @param payloadBytes payload bytes of a cell, at least 1.
     */
    double meanCells(int payloadBytes);

    /**
     * A cumulative table, linear between its points and rounded up to whole units, with all the mass below the first
     * point at it (docs/spec/shale.md §10.2). So the sizes between two points {@code a} and {@code b} are
     * {@code a + 1} to {@code b}, equally likely. The tables of the papers' workloads are in packets; a file has one in
     * bytes:
     *
     * <pre>
     *   # bytes  share of the flows that are not larger
     *   1460     0.5
     *   2920     0.6
     *   3076220  1
     * </pre>
     *
     * Plain or gzip, fields separated by a comma, blanks or both. Immutable; any thread may call.
     *
     * @param points    in ascending order, the last with the share 1.
     * @param unitBytes bytes of a unit.
     */
    record SizeDistribution(List<Point> points, int unitBytes) implements FlowSizes {
        /** Bytes of a packet of the papers' tables. */
        public static final int PACKET_BYTES = 1460;

        /**
         * Short flows: a data centre of IMC 2010, {@code CDF_aditya} of the pHost simulator. Mean 195,722 B, maximum
         * 3.08 MB.
         */
        public static final SizeDistribution SHORT = ofPackets(1, .5, 2, .6, 3, .7, 5, .75, 7, .8, 40, .8125, 72, .825,
            137, .85, 267, .9, 1187, .95, 2107, 1);

        /**
         * Heavy tail: data mining, VL2, {@code CDF_datamining} of pFabric and pHost. Mean 7,470,601 B, maximum 973 MB.
         */
        public static final SizeDistribution HEAVY = ofPackets(1, .5, 2, .6, 3, .7, 7, .8, 267, .9, 2107, .95, 66_667,
            .99, 666_667, 1);

        /** Web search of DCTCP. Mean 1,666,451 B, maximum 29.2 MB. */
        public static final SizeDistribution WEB = ofPackets(6, .15, 13, .2, 19, .3, 33, .4, 53, .53, 133, .6, 667, .7,
            1333, .8, 3333, .9, 6667, .97, 20_000, 1);

        /** Longest flow: with cells of one byte it has fewer than 2^31 - 1. */
        static final long MAX_BYTES = Integer.MAX_VALUE - 1;
        private static final String WHAT = "workload";
        private static final String FORMAT = "write bytes and the share of the flows that are not larger";

        /** The share of all flows that have at most this many units. */
        public record Point(long units, double share) {
        }

        /** Copies the points. */
        public SizeDistribution {
            points = List.copyOf(points);
        }

        private static SizeDistribution ofPackets(final double... packetsAndShares) {
            final List<Point> points = new ArrayList<>();
            for (int i = 0; i < packetsAndShares.length; i += 2) {
                points.add(new Point((long) packetsAndShares[i], packetsAndShares[i + 1]));
            }
            return new SizeDistribution(points, PACKET_BYTES);
        }

        /**
         * Reads a table in bytes.
         *
         * @throws dev.skerry.tools.input.InputException with file and line, if a line or the table is wrong.
         */
        static SizeDistribution read(final Path file) {
            final List<Point> points = new ArrayList<>();
            try (LineReader lines = new LineReader(WHAT, file)) {
                while (lines.next()) {
                    if (lines.fields() > 0) {
                        points.add(point(lines, points));
                    }
                }
            }
            Choices.refuseIf(points.isEmpty() || points.getLast().share != 1, WHAT, file, points.isEmpty()
                ? "holds no size" : "ends at the share " + points.getLast().share, "end with the largest size and the "
                + "share 1");
            return new SizeDistribution(points, 1);
        }

        private static Point point(final LineReader lines, final List<Point> points) {
            final Point before = points.isEmpty() ? new Point(0, 0) : points.getLast();
            Choices.refuseIf(lines.fields() != 2, WHAT, lines.where(), "2 fields are needed and " + lines.fields()
                + " found", FORMAT);
            final long bytes = lines.wholeNumber(0);
            final double share = lines.number(1);
            final boolean none = bytes == 0 && share == 0 && points.isEmpty();
            Choices.refuseIf(!none && bytes <= before.units || bytes > MAX_BYTES, WHAT, lines.where(), "size "
                + lines.quote(0) + " is not larger than " + before.units, "give ascending whole numbers of bytes, at "
                + "most " + MAX_BYTES);
            Choices.refuseIf(!(share >= before.share && share <= 1), WHAT, lines.where(), lines.quote(1)
                + " is not a cumulative fraction from " + before.share + " to 1", "give ascending fractions, "
                + "percentages divided by 100");
            return new Point(bytes, share);
        }

        @Override
        public long bytes(final double uniform) {
            if (!(uniform >= 0 && uniform <= 1)) {
                throw new IllegalArgumentException("uniform must lie in [0, 1]: uniform=" + uniform);
            }
            int at = 0;
            while (uniform > points.get(at).share) {
                at++;
            }
            if (at == 0 && points.getFirst().units > 0) {
                return points.getFirst().units * unitBytes;
            }
            // No flow is smaller than the first size above a line of 0 0.
            at = Math.max(at, 1);
            final Point below = points.get(at - 1);
            final Point above = points.get(at);
            final double part = (uniform - below.share) / (above.share - below.share);
            return (below.units + Math.max(1, (long) Math.ceil(part * (above.units - below.units)))) * unitBytes;
        }

        @Override
        public double meanCells(final int payloadBytes) {
            Bounds.atLeast("payloadBytes", payloadBytes, 1);
            double mean = points.getFirst().share * Math.ceilDiv(points.getFirst().units * unitBytes, payloadBytes);
            for (int at = 1; at < points.size(); at++) {
                final Point below = points.get(at - 1);
                final Point above = points.get(at);
                mean += (above.share - below.share) * (cellsUpTo(above.units, payloadBytes)
                    - cellsUpTo(below.units, payloadBytes)) / (above.units - below.units);
            }
            return mean;
        }

        /** The cells of flows of 1, 2, .. units together. */
        private long cellsUpTo(final long units, final int payloadBytes) {
            return quotients(units, unitBytes, unitBytes + payloadBytes - 1L, payloadBytes);
        }

        /** The sum of {@code (step * i + first) / divisor}, rounded down, for i from 0 to count - 1, as Euclid does. */
        private static long quotients(final long count, final long step, final long first, final long divisor) {
            final long whole = count * (count - 1) / 2 * (step / divisor) + count * (first / divisor);
            final long rest = step % divisor * count + first % divisor;
            return rest < divisor ? whole
                : whole + quotients(rest / divisor, divisor, rest % divisor, step % divisor);
        }
    }
}
