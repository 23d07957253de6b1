package dev.skerry.bench.fabric;

import java.util.List;

/**
 * What a link-slot costs over how many cells cross it, as a straight line: {@code ns = a + b * hops}.
 *
 * @param a ns of processor of a link-slot without a cell.
 * @param b ns of processor of a cell on a link.
 */
record LoadCurve(double a, double b) {
    /**
     * One measured load.
     *
     * @param utilisation share of the fabric's guarantee, 0 to 1.
     * @param hops        cells that crossed a link, per link-slot.
     * @param ns          processor time of a link-slot.
     */
    record Point(double utilisation, double hops, double ns) {
    }

    /** The line with the least sum of squared relative errors, neither part below zero. */
    static LoadCurve fit(final List<Point> points) {
        double w = 0;
        double wx = 0;
        double wxx = 0;
        double wy = 0;
        double wxy = 0;
        for (final Point point : points) {
            final double weight = 1 / (point.ns * point.ns);
            w += weight;
            wx += weight * point.hops;
            wxx += weight * point.hops * point.hops;
            wy += weight * point.ns;
            wxy += weight * point.hops * point.ns;
        }
        final double b = (w * wxy - wx * wy) / (w * wxx - wx * wx);
        final double a = (wy - b * wx) / w;
        return b < 0 ? new LoadCurve(wy / w, 0) : a < 0 ? new LoadCurve(0, wxy / wxx) : new LoadCurve(a, b);
    }

    /** The line at a load, in ns. */
    double at(final double hops) {
        return a + b * hops;
    }

    /** By how much a point lies above the line, as a share of the line. */
    double excess(final Point point) {
        return point.ns / at(point.hops) - 1;
    }
}
