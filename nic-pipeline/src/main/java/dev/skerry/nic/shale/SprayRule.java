package dev.skerry.nic.shale;

/** Rule by which a spraying hop chooses its link (docs/spec/shale.md §3). */
public enum SprayRule {
    /** Uniformly at random. */
    RANDOM,
    /** The link with the shortest queue, ties at random: spray-short. */
    SHORTEST_QUEUE,
    /**
     * The link with the fewest cells queued and tokens outstanding of the bucket that the cell will be in, then the one
     * with the shortest queue, ties at random: spray-bucket.
     */
    LEAST_BUCKET
}
