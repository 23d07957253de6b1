package dev.skerry.tools.resources;

import java.util.List;

/**
 * What nodes held at most in runs with the set-up of Figure 13 (docs/spec/shale.md §10.3): hbh+spray, T = T_F = 1,
 * P = 89, short flows at the paper's load, from an empty fabric, 40,000 slots of 4,096 nodes and
 * 20,000 of 10,000, seed 1 (bench/results).
 */
public final class Figure13Maxima {
    /** The runs, by phases and then by nodes. */
    public static final List<MeasuredHost> ALL = List.of(
        new MeasuredHost(2, 64, 1, 47, 6, 296, 41, 118, 176, 9, 3455),
        new MeasuredHost(2, 100, 1, 40, 5, 301, 35, 121, 191, 9, 3718),
        new MeasuredHost(4, 8, 1, 10, 5, 133, 7, 26, 27, 9, 452),
        new MeasuredHost(4, 10, 1, 11, 4, 115, 8, 28, 30, 9, 332));
    /** The size of the paper's evaluation: two phases, 10,000 nodes. */
    public static final MeasuredHost PAPER_SIZE = ALL.get(1);

    private Figure13Maxima() {
    }
}
