package dev.skerry.tools.traffic;

import dev.skerry.tools.input.InputException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Flow sizes from a file: a cumulative table, a point a line, linear between its points and rounded up to whole bytes,
 * with all the mass below the first point at it (docs/spec/shale.md §10.2).
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
public record SizeFile(List<Point> points) implements FlowSizes {
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
        if (points.isEmpty() || points.getLast().share != 1) {
            throw new InputException(WHAT, file.toString(), points.isEmpty() ? "holds no size"
                : "ends at the share " + points.getLast().share, "end with the largest size and the share 1");
        }
        return new SizeFile(points);
    }

    private static Point point(final LineReader lines, final Point before) {
        if (lines.fields() != 2) {
            throw new InputException(WHAT, lines.where(), "2 fields are needed and " + lines.fields() + " found",
                FORMAT);
        }
        final long bytes = lines.wholeNumber(0);
        final double share = lines.number(1);
        final boolean none = bytes == 0 && share == 0 && before.bytes == 0;
        if (!none && bytes <= before.bytes || bytes > MAX_BYTES) {
            throw new InputException(WHAT, lines.where(), "size " + lines.quote(0) + " is not larger than "
                + before.bytes, "give ascending whole numbers of bytes, at most " + MAX_BYTES);
        }
        if (!(share >= before.share && share <= 1)) {
            throw new InputException(WHAT, lines.where(), lines.quote(1) + " is not a cumulative fraction from "
                + before.share + " to 1", "give ascending fractions, percentages divided by 100");
        }
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
