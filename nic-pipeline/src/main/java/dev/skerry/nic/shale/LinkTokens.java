package dev.skerry.nic.shale;

/**
 * The tokens of the links of a bank, to be read and set between slots from the registers of a device. Queues are
 * numbered as in {@link CongestionControl}. One thread.
 */
public interface LinkTokens {
    /** Of a congestion control without tokens. */
    LinkTokens NONE = new LinkTokens() {
        @Override
        public int budget(final boolean isOwn) {
            return 0;
        }

        @Override
        public int outstanding(final int queue, final int bucket) {
            return 0;
        }

        @Override
        public int[] owed(final int queue) {
            return new int[0];
        }

        @Override
        public void setOutstanding(final int queue, final int node, final int bucket, final int tokens) {
            throw new IllegalArgumentException("this congestion control has no tokens: bucket=" + bucket);
        }

        @Override
        public void setOwed(final int queue, final int[] buckets) {
            throw new IllegalArgumentException("this congestion control has no tokens: owed=" + buckets.length);
        }
    };

    /** Tokens of a bucket on a link: T_F of the buckets that own cells take, else T. */
    int budget(boolean isOwn);

    /** Tokens of a bucket that are away. */
    int outstanding(int queue, int bucket);

    /** The buckets of the tokens owed on a link, oldest first. */
    int[] owed(int queue);

    /** Sets the tokens of a bucket that are away on the link of a queue of a node. */
    void setOutstanding(int queue, int node, int bucket, int tokens);

    /** Sets the tokens owed on a link, oldest first. */
    void setOwed(int queue, int[] buckets);
}
