package dev.skerry.tools.resources;

import java.util.List;

/** Fits a sum of terms to values, so that the sum of the squares of the relative errors is least. Pure functions. */
final class LeastSquares {
    private static final double SINGULAR = 1e-12;

    private LeastSquares() {
    }

    /**
     * The factors of the terms.
     *
     * @param terms  of each value; as many for all.
     * @param values not 0; at least as many as a row has terms.
     * @throws IllegalArgumentException if the values do not tell the terms apart.
     */
    static double[] fit(final List<double[]> terms, final double[] values) {
        final int count = terms.getFirst().length;
        final double[][] normal = new double[count][count + 1];
        for (int i = 0; i < values.length; i++) {
            final double[] row = terms.get(i);
            for (int a = 0; a < count; a++) {
                for (int b = 0; b < count; b++) {
                    normal[a][b] += row[a] * row[b] / (values[i] * values[i]);
                }
                normal[a][count] += row[a] / values[i];
            }
        }
        return solved(normal);
    }

    /** Gauss and Jordan, the rows scaled first: terms differ by orders of magnitude. */
    private static double[] solved(final double[][] rows) {
        final int count = rows.length;
        final double[] scale = new double[count];
        for (int a = 0; a < count; a++) {
            scale[a] = Math.sqrt(rows[a][a]);
        }
        for (int a = 0; a < count; a++) {
            for (int b = 0; b < count; b++) {
                rows[a][b] /= scale[a] * scale[b];
            }
            rows[a][count] /= scale[a];
        }
        for (int pivot = 0; pivot < count; pivot++) {
            int largest = pivot;
            for (int row = pivot; row < count; row++) {
                largest = Math.abs(rows[row][pivot]) > Math.abs(rows[largest][pivot]) ? row : largest;
            }
            final double[] swapped = rows[pivot];
            rows[pivot] = rows[largest];
            rows[largest] = swapped;
            if (!(Math.abs(rows[pivot][pivot]) > SINGULAR)) {
                throw new IllegalArgumentException("the runs do not tell the terms of the formula apart");
            }
            for (int row = 0; row < count; row++) {
                if (row != pivot) {
                    final double factor = rows[row][pivot] / rows[pivot][pivot];
                    for (int column = pivot; column <= count; column++) {
                        rows[row][column] -= factor * rows[pivot][column];
                    }
                }
            }
        }
        final double[] factors = new double[count];
        for (int a = 0; a < count; a++) {
            factors[a] = rows[a][count] / rows[a][a] / scale[a];
        }
        return factors;
    }
}
