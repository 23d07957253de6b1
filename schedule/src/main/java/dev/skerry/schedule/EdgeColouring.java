package dev.skerry.schedule;

import java.util.Arrays;

/**
 * Colours the edges of a bipartite multigraph so that no two edges at a vertex share a colour, with as many colours as
 * the highest degree (König's theorem). An edge takes the lowest colour free at both ends. If there is none, the path
 * of alternating colours that starts at its right end with the colour free at its left end is inverted first. The same
 * edges in the same order get the same colours. Reusable; one thread at a time.
 */
final class EdgeColouring {
    private static final int NONE = -1;

    private final int colours;
    /** By vertex * colours + colour: the edge of that colour. */
    private final int[] atLeft;
    private final int[] atRight;

    /**
     * For graphs with the same number of vertices on either side.
     *
     * @param vertices vertices of each side.
     * @param colours  number of colours, the highest degree.
     */
    EdgeColouring(final int vertices, final int colours) {
        this.colours = colours;
        this.atLeft = new int[vertices * colours];
        this.atRight = new int[vertices * colours];
    }

    /**
     * Colours a graph.
     *
     * @param edges  number of edges.
     * @param left   the left vertex of each edge.
     * @param right  the right vertex of each edge.
     * @param colour receives the colour of each edge in [0, edges).
     * @throws IllegalArgumentException if a vertex has more edges than there are colours.
     */
    void colour(final int edges, final int[] left, final int[] right, final int[] colour) {
        Arrays.fill(atLeft, NONE);
        Arrays.fill(atRight, NONE);
        final int[] path = new int[edges];
        for (int edge = 0; edge < edges; edge++) {
            final int l = left[edge] * colours;
            final int r = right[edge] * colours;
            int chosen = 0;
            while (chosen < colours && (atLeft[l + chosen] != NONE || atRight[r + chosen] != NONE)) {
                chosen++;
            }
            if (chosen == colours) {
                chosen = free(atLeft, left[edge]);
                turnOver(right[edge], chosen, free(atRight, right[edge]), left, right, colour, path);
            }
            colour[edge] = chosen;
            atLeft[l + chosen] = edge;
            atRight[r + chosen] = edge;
        }
    }

    private int free(final int[] at, final int vertex) {
        for (int colour = 0; colour < colours; colour++) {
            if (at[vertex * colours + colour] == NONE) {
                return colour;
            }
        }
        throw new IllegalArgumentException(
            "a vertex has more edges than there are colours: vertex=" + vertex + " colours=" + colours);
    }

    /** Exchanges two colours on the path that starts at a right vertex with the first colour. */
    private void turnOver(final int start, final int first, final int second, final int[] left, final int[] right,
        final int[] colour, final int[] path) {
        int length = 0;
        int next = atRight[start * colours + first];
        while (next != NONE) {
            path[length++] = next;
            final boolean goneLeft = length % 2 == 1;
            next = goneLeft ? atLeft[left[next] * colours + second] : atRight[right[next] * colours + first];
        }
        for (int i = 0; i < length; i++) {
            final int edge = path[i];
            atLeft[left[edge] * colours + colour[edge]] = NONE;
            atRight[right[edge] * colours + colour[edge]] = NONE;
        }
        for (int i = 0; i < length; i++) {
            final int edge = path[i];
            colour[edge] = first + second - colour[edge];
            atLeft[left[edge] * colours + colour[edge]] = edge;
            atRight[right[edge] * colours + colour[edge]] = edge;
        }
    }
}
