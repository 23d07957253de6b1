package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.LinkTokens;

/** The tokens of a bank under hop-by-hop, between slots. One thread. */
final class TokenRegisters implements LinkTokens {
    private final TokenLedger ledger;
    private final OwedTokens owed;
    private final ActiveBuckets active;
    private final int tokens;
    private final int firstHopTokens;

    TokenRegisters(final TokenLedger ledger, final OwedTokens owed, final ActiveBuckets active, final int tokens,
        final int firstHopTokens) {
        this.ledger = ledger;
        this.owed = owed;
        this.active = active;
        this.tokens = tokens;
        this.firstHopTokens = firstHopTokens;
    }

    @Override
    public int budget(final boolean isOwn) {
        return isOwn ? firstHopTokens : tokens;
    }

    @Override
    public int outstanding(final int queue, final int bucket) {
        return ledger.out(queue, bucket);
    }

    @Override
    public int[] owed(final int queue) {
        final int[] buckets = new int[owed.length(queue)];
        final int[] at = new int[1];
        owed.forEach(queue, (bucket, count) -> buckets[at[0]++] = bucket);
        return buckets;
    }

    @Override
    public void setOutstanding(final int queue, final int node, final int bucket, final int count) {
        for (int out = ledger.out(queue, bucket); out > count; out--) {
            ledger.giveBack(queue, bucket);
            active.remove(node, bucket);
        }
        for (int out = ledger.out(queue, bucket); out < count; out++) {
            ledger.spend(queue, bucket);
            active.add(node, bucket);
        }
    }

    @Override
    public void setOwed(final int queue, final int[] buckets) {
        owed.clear(queue);
        for (final int bucket : buckets) {
            owed.owe(queue, bucket);
        }
    }
}
