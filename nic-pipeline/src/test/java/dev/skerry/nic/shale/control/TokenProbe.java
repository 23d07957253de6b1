package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.Route;

import java.util.List;

/** Lets tests of the pipeline see, and break, the token state of a bank. */
public final class TokenProbe {
    private TokenProbe() {
    }

    /**
     * Whether no token is outstanding or owed on any link and no bucket active at any node (docs/spec/shale.md §5.5
     * I7).
     */
    public static boolean drained(final HopByHop tokens, final int nodes, final int links) {
        boolean idle = true;
        for (int queue = 0; queue < links * nodes; queue++) {
            idle &= idle(tokens, queue);
        }
        for (int node = 0; node < nodes; node++) {
            idle &= tokens.activeBuckets(node) == 0;
        }
        return idle;
    }

    /** Spends a first-hop token for nothing. */
    public static boolean leak(final HopByHop tokens, final int queue, final int node, final int destination) {
        return tokens.admitLocal(queue, node, destination);
    }

    /** Spends tokens of a bucket without regard for its budget. */
    public static void overspend(final HopByHop tokens, final int queue, final int bucket, final int times) {
        for (int i = 0; i < times; i++) {
            // A cell that leaves a queue has been found eligible, so nobody asks again.
            tokens.onDequeue(queue, Route.queued(bucket, bucket & Route.MAX_SPRAYS, false, 0));
        }
    }

    public static boolean idle(final HopByHop tokens, final int queue) {
        // As if all queues were of the first link.
        return tokens.probe(queue, 0, 0) == 0 && tokens.owed(queue).length == 0;
    }

    public static List<Integer> tokens(final long feedback) {
        final int first = OwedTokens.firstOf(feedback);
        final int second = OwedTokens.secondOf(feedback);
        return second == OwedTokens.NO_TOKEN ? List.of(first) : List.of(first, second);
    }

    public static long feedback(final int destination, final int sprays) {
        return (long) OwedTokens.NO_TOKEN << 32 | Route.bucket(destination, sprays);
    }
}
