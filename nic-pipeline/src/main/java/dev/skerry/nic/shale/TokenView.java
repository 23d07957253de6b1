package dev.skerry.nic.shale;

import java.util.Arrays;

/**
 * The tokens of a bank, to look at between slots: what is outstanding and what is owed on each link. Lists allocate;
 * they are not for the path. The thread of the bank calls.
 */
public final class TokenView {
    private final HopByHop tokens;
    private final int nodes;

    /**
     * A view of the tokens of a bank.
     *
     * @param tokens of the bank.
     * @param nodes  nodes of the bank.
     */
    public TokenView(final HopByHop tokens, final int nodes) {
        this.tokens = tokens;
        this.nodes = nodes;
    }

    /** Collects pairs. */
    private static final class Pairs {
        private long[] words = new long[16];
        private int size;

        void add(final int bucket, final int count) {
            if (size == words.length) {
                words = Arrays.copyOf(words, 2 * size);
            }
            words[size++] = (long) count << 32 | bucket;
        }

        long[] toArray() {
            return Arrays.copyOf(words, size);
        }
    }

    /** Outstanding tokens of a link of a node, buckets ascending: number in the high half, bucket in the low. */
    public long[] outstanding(final int link, final int node) {
        final Pairs found = new Pairs();
        tokens.audit(link * nodes + node, found::add, (bucket, one) -> { });
        return found.toArray();
    }

    /** Buckets of the tokens owed on a link of a node, the oldest first. */
    public long[] owed(final int link, final int node) {
        final Pairs found = new Pairs();
        tokens.audit(link * nodes + node, (bucket, out) -> { }, (bucket, one) -> found.add(bucket, 0));
        return found.toArray();
    }

    /** Tokens of all buckets outstanding on a link of a node. */
    public int outstandingTotal(final int link, final int node) {
        return tokens.outstanding(link * nodes + node);
    }

    /** Tokens owed on a link of a node. */
    public int owedTotal(final int link, final int node) {
        return tokens.owed(link * nodes + node);
    }

    /** The bucket of the token that leaves next on a link of a node, -1 if none is owed. */
    public int nextOwed(final int link, final int node) {
        return tokens.nextOwed(link * nodes + node);
    }

    /** Buckets active at a node. */
    public int active(final int node) {
        return tokens.activeBuckets(node);
    }
}
