package dev.skerry.tools.sweep;

/** Two-sided 95 % quantiles of Student's t distribution. Any thread may call. */
final class StudentT {
    private static final double[] FEW = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
        2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739,
        2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    private static final double NORMAL = 1.959964;

    private StudentT() {
    }

    /** The quantile; above 30 degrees the first terms of its expansion around the normal one, right to 4 digits. */
    static double of(final int degrees) {
        if (degrees < 1) {
            throw new IllegalArgumentException("at least 1: degrees=" + degrees);
        }
        if (degrees <= FEW.length) {
            return FEW[degrees - 1];
        }
        final double z = NORMAL;
        final double cube = z * z * z;
        return z + (cube + z) / (4 * degrees)
            + (5 * cube * z * z + 16 * cube + 3 * z) / (96.0 * degrees * degrees);
    }
}
