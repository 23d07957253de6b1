package dev.skerry.tools.traffic;

import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.Choices;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A distribution of flow sizes. Immutable and thread-safe. */
public interface FlowSizes {
    /**
     * Returns the size at a quantile, by inversion of the distribution; monotonic.
     *
     * @param uniform quantile, in {@code [0, 1]}.
     * @return bytes.
     */
    long bytes(double uniform);

    /**
     * Returns the mean size in cells, where the last cell of a flow counts as full.
     *
     * @param payloadBytes payload bytes of a cell, at least 1.
     */
    double meanCells(int payloadBytes);

    /** Returns a description of the distribution for the user, with its mean. */
    default String inWords() {
        return String.format(Locale.ROOT, "mean %,d bytes", Math.round(meanCells(1)));
    }

    /**
     * A cumulative table in one of two forms. A linear table has all the probability below the first point at that
     * point (docs/spec/shale.md §10.2), and sizes are rounded up to whole units, so that the sizes {@code a + 1} to
     * {@code b} between two points {@code a} and {@code b} are equally likely. A stepped table has only the sizes of
     * its points. The tables of the papers' workloads are in packets. A file, plain or compressed with gzip, has one of
     * the following forms, which is determined by its first line. Fields are separated by a comma, blanks or both:
     *
     * <pre>
     *   bytes fraction       the share of the flows that are not larger; linear
     *   bytes percent        the same up to 100, as in HPCC and ns-3; linear
     *   packets 1 fraction   pFabric and htsim, packets of 1,460 bytes; linear
     *   mean                 Homa: a line with the mean, then bytes and fraction; steps
     * </pre>
     *
     * <p>Immutable and thread-safe.
     *
     * @param points    points in ascending order, the last one with the share 1. Two points of the same size are a
     *     step.
     * @param unitBytes bytes of a unit.
     * @param isStepped whether only the sizes of points occur.
     */
    record SizeDistribution(List<Point> points, int unitBytes, boolean isStepped) implements FlowSizes {
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

        /** Maximum size of a flow. With cells of one byte, it has fewer than 2^31 - 1 cells. */
        static final long MAX_BYTES = Integer.MAX_VALUE - 1;
        private static final String WHAT = "workload";
        private static final String FORMAT = "write bytes and the share of the flows that are not larger";
        private static final int BYTE_COLUMNS = 2;
        private static final int PACKET_COLUMNS = 3;
        private static final double PERCENT = 100;

        /** The share of all flows with at most this number of units. */
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
            return new SizeDistribution(points, PACKET_BYTES, false);
        }

        /**
         * Reads a table.
         *
         * @param stepped whether only the sizes of its lines occur; null to determine this from the form of the file.
         * @throws dev.skerry.tools.input.InputException with file and line, if a line or the table is invalid.
         */
        static SizeDistribution read(final Path file, final Boolean stepped) {
            final List<Point> points = new ArrayList<>();
            int columns = 0;
            boolean hasMean = false;
            try (LineReader lines = new LineReader(WHAT, file)) {
                while (lines.next()) {
                    if (columns == 0 && lines.fields() == 1) {
                        Choices.refuseIf(hasMean || !(lines.number(0) > 0), WHAT, lines.where(), lines.quote(0)
                            + " is not a mean size, with which files of Homa begin", FORMAT);
                        hasMean = true;
                    } else if (lines.fields() > 0) {
                        columns = columns > 0 ? columns : lines.fields() == PACKET_COLUMNS && !hasMean ? PACKET_COLUMNS
                            : BYTE_COLUMNS;
                        points.add(point(lines, columns, points));
                    }
                }
            }
            final double whole = points.isEmpty() ? 0 : points.getLast().share;
            Choices.refuseIf(whole != 1 && whole != PERCENT, WHAT, file, points.isEmpty() ? "holds no size"
                : "ends at the share " + whole, "end with the largest size and the share 1, or 100 percent");
            return new SizeDistribution(points.stream().map(point -> new Point(point.units, point.share / whole))
                .toList(), columns == PACKET_COLUMNS ? PACKET_BYTES : 1, stepped == null ? hasMean : stepped);
        }

        private static Point point(final LineReader lines, final int columns, final List<Point> points) {
            final Point before = points.isEmpty() ? new Point(0, 0) : points.getLast();
            Choices.refuseIf(lines.fields() != columns, WHAT, lines.where(), columns + " fields are needed and "
                + lines.fields() + " found", FORMAT);
            final double units = lines.number(0);
            final double share = lines.number(columns - 1);
            final boolean none = units == 0 && share == 0 && points.isEmpty();
            final long most = columns == PACKET_COLUMNS ? MAX_BYTES / PACKET_BYTES : MAX_BYTES;
            Choices.refuseIf(!(none || units >= Math.max(1, before.units)) || units > most || units != Math.rint(units),
                WHAT, lines.where(), "size " + lines.quote(0) + " is not a whole number from "
                + Math.max(1, before.units) + " to " + most, "give ascending numbers of "
                + (columns == PACKET_COLUMNS ? "packets" : "bytes"));
            Choices.refuseIf(!(share >= before.share && share <= PERCENT), WHAT, lines.where(), lines.quote(columns - 1)
                + " is not a cumulative share from " + before.share + " on", "give ascending fractions to 1 or "
                + "percentages to 100");
            return new Point((long) units, share);
        }

        @Override
        public String inWords() {
            return (unitBytes == 1 ? "bytes" : "packets of " + unitBytes + " bytes") + (isStepped
                ? ", only the sizes listed occur (steps), " : ", uniform between lines (linear), ")
                + FlowSizes.super.inWords();
        }

        @Override
        public long bytes(final double uniform) {
            if (!(uniform >= 0 && uniform <= 1)) {
                throw new IllegalArgumentException("uniform must lie in [0, 1]: uniform=" + uniform);
            }
            int at = 0;
            while (points.get(at).share == 0 || uniform > points.get(at).share) {
                at++;
            }
            final Point above = points.get(at);
            final Point below = at == 0 || isStepped ? above : points.get(at - 1);
            if (below.units == above.units) {
                return above.units * unitBytes;
            }
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
                mean += isStepped || below.units == above.units
                    ? (above.share - below.share) * Math.ceilDiv(above.units * unitBytes, payloadBytes)
                    : (above.share - below.share) * (cellsUpTo(above.units, payloadBytes)
                    - cellsUpTo(below.units, payloadBytes)) / (above.units - below.units);
            }
            return mean;
        }

        /** Returns the total number of cells of flows with 1, 2, ... units. */
        private long cellsUpTo(final long units, final int payloadBytes) {
            return quotients(units, unitBytes, unitBytes + payloadBytes - 1L, payloadBytes);
        }

        /**
         * Returns the sum of {@code (step * i + first) / divisor}, rounded down, for i from 0 to count - 1. This is a
         * variant of Euclid's algorithm.
         */
        private static long quotients(final long count, final long step, final long first, final long divisor) {
            final long whole = count * (count - 1) / 2 * (step / divisor) + count * (first / divisor);
            final long rest = step % divisor * count + first % divisor;
            return rest < divisor ? whole
                : whole + quotients(rest / divisor, divisor, rest % divisor, step % divisor);
        }
    }
}
