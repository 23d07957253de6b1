package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Admission;

import java.lang.foreign.Arena;

/**
 * Hop-by-hop congestion control (Shale §3.3.2, spec/shale §5): a node sends a cell that will be in bucket
 * {@code <d,n>} at the next node only while it has a token of that bucket for that link, and returns a token to the
 * previous hop when it sends a cell on. The last hop to the destination needs no token. One bank, one thread.
 */
public final class HopByHop implements Admission {
    private final int nodes;
    private final int firstHopSprays;
    private final int tokens;
    private final int firstHopTokens;
    final TokenLedger ledger;
    private final OwedTokens owed;
    private final ActiveBuckets active;
    /** Of the nodes of a block: a bucket, and the same as the word of a cell. */
    private final int[] bucket = new int[CellBatch.CELLS];
    private final long[] word = new long[CellBatch.CELLS];

    /**
     * Full budgets, nothing owed.
     *
     * @param arena  owner of the memory.
     * @param shale  budgets and schedule.
     * @param nodes  nodes of the bank.
     * @param pool   overflow of the bank.
     */
    public HopByHop(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
        final int links = shale.schedule().epochSlots();
        this.nodes = nodes;
        this.firstHopSprays = shale.schedule().phases() - 1;
        this.tokens = shale.tokens();
        this.firstHopTokens = shale.firstHopTokens();
        this.ledger = new TokenLedger(arena, links * nodes, shale.outstandingTokens(), pool);
        this.owed = new OwedTokens(arena, links * nodes, pool);
        this.active = ActiveBuckets.of(arena, shale, nodes);
    }

    /** Memory of a bank in bytes, pool and growth not counted. */
    public static long bytes(final Shale shale, final int nodes) {
        final long links = (long) shale.schedule().epochSlots() * nodes;
        return links * (TokenLedger.stride(shale.outstandingTokens()) + OwedTokens.LINK_BYTES)
            + ActiveBuckets.bytes(shale, nodes);
    }

    /**
     * Whether a token is left for the bucket at the next node. A final hop needs none, and is always eligible without
     * being asked for: its bucket names the peer itself, and no token of such a bucket is ever spent (I3).
     */
    @Override
    public boolean eligible(final int queue, final long entry) {
        return ledger.out(queue, Route.bucket(entry)) < tokens;
    }

    @Override
    public long payOldest(final int firstQueue, final long which, final long[] oldest) {
        return ledger.spend(firstQueue, which, oldest, tokens);
    }

    @Override
    public long payLocal(final int firstQueue, final int firstNode, final long which, final int[] destinations) {
        // Also of nodes that are not meant: one loop without a condition is done in a few instructions.
        for (int i = 0; i < CellBatch.CELLS; i++) {
            final int to = Route.bucket(destinations[i], firstHopSprays);
            bucket[i] = to;
            word[i] = to;
        }
        final long paid = ledger.spend(firstQueue, which, word, firstHopTokens);
        active.add(firstNode, paid, bucket);
        return paid;
    }

    @Override
    public void onForward(final CellBatch sent) {
        owed.owe(sent, nodes);
    }

    @Override
    public void onEnqueue(final CellBatch joined) {
        active.add(joined);
    }

    @Override
    public void takeFeedback(final int firstQueue, final int count, final long[] into) {
        owed.takeTwo(firstQueue, count, into);
    }

    @Override
    public void onFeedback(final int firstQueue, final int firstNode, final int count, final long[] feedback) {
        long first = 0;
        long second = 0;
        for (int i = 0; i < count; i++) {
            bucket[i] = firstToken(feedback[i]);
            first |= (long) (~bucket[i] >>> 31) << i;
            second |= (~feedback[i] >>> 63) << i;
        }
        giveBack(firstQueue, firstNode, first);
        for (long rest = second; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            bucket[i] = secondToken(feedback[i]);
        }
        giveBack(firstQueue, firstNode, second);
    }

    private void giveBack(final int firstQueue, final int firstNode, final long which) {
        final long left = ledger.giveBack(firstQueue, which, bucket);
        active.remove(firstNode, which & ~left, bucket);
        for (long rest = left; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            onNotice(firstQueue + i, firstNode + i, bucket[i]);
        }
    }

    @Override
    public void onDequeue(final int queue, final long entry) {
        // The bucket stays active: its reason turns from a queued cell into an outstanding token.
        ledger.spend(queue, Route.bucket(entry), Route.tokens(entry));
    }

    @Override
    public void onForward(final int node, final long entry) {
        owed.owe(Route.owedLink(entry) * nodes + node, Route.owedBucket(entry));
    }

    @Override
    public void onEnqueue(final int node, final long entry) {
        active.add(node, Route.bucket(entry), Route.tokens(entry));
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        final int bucket = Route.bucket(destination, firstHopSprays);
        if (ledger.out(queue, bucket) >= firstHopTokens) {
            return false;
        }
        ledger.spend(queue, bucket, 1);
        active.add(node, bucket, 1);
        return true;
    }

    @Override
    public long takeFeedback(final int queue) {
        return owed.takeTwo(queue);
    }

    /** A notice is a returned token: its bucket. */
    @Override
    public void onNotice(final int queue, final int node, final int bucket) {
        if (!ledger.giveBack(queue, bucket)) {
            throw new IllegalStateException("surplus token: node of bank=" + node + " link=" + queue / nodes
                + " destination=" + Route.bucketDestination(bucket) + " sprays=" + (bucket & Route.MAX_SPRAYS));
        }
        active.remove(node, bucket);
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return active.maxActive(node);
    }

    /** Whether a token is left for a cell that starts here towards a destination; nothing is spent. */
    boolean canStart(final int queue, final int destination) {
        return ledger.out(queue, Route.bucket(destination, firstHopSprays)) < firstHopTokens;
    }

    /** A cell leaves its queue without being sent. */
    void onRemove(final int node, final long entry) {
        if (Route.tokens(entry) > 0) {
            active.remove(node, Route.bucket(entry));
        }
    }

    /** The oldest token owed on a link alone, or {@link OwedTokens#NO_TOKEN}. */
    int takeToken(final int queue) {
        return owed.takeOne(queue);
    }

    /** Takes back a token spent for a cell that got lost. */
    void unspend(final int queue, final int node, final int bucket) {
        onNotice(queue, node, bucket);
    }

    /** Owes a token once more that got lost on its way. */
    void oweAgain(final int queue, final int bucket) {
        owed.owe(queue, bucket);
    }

    /** Voids what is outstanding and owed on a link, which has failed (spec/shale §8.3 d). */
    void voidLink(final int queue, final int node) {
        ledger.forEach(queue, (bucket, out) -> {
            for (int token = 0; token < out; token++) {
                active.remove(node, bucket);
            }
        });
        ledger.clear(queue);
        owed.clear(queue);
    }

    /** The tokens spent and owed, for the audit of spec/shale §5.5 I1. */
    void audit(final int queue, final TokenLedger.Visitor outstanding, final TokenLedger.Visitor waiting) {
        ledger.forEach(queue, outstanding);
        owed.forEach(queue, waiting);
    }

    /** Tokens of all buckets outstanding on a link. */
    int outstanding(final int queue) {
        return ledger.total(queue);
    }

    /** Tokens owed on a link. */
    int owed(final int queue) {
        return owed.length(queue);
    }

    /** The bucket of the token that is owed longest on a link, or {@link OwedTokens#NO_TOKEN}. */
    int nextOwed(final int queue) {
        return owed.first(queue);
    }

    /** Whether no token is outstanding or owed on a link, as in a drained network (I7). */
    boolean idle(final int queue) {
        return ledger.isEmpty(queue) && owed.length(queue) == 0;
    }

    /** Buckets active at a node now. */
    int activeBuckets(final int node) {
        return active.active(node);
    }

    /** The first of the two tokens of a feedback word, which always has one. */
    static int firstToken(final long feedback) {
        return (int) feedback;
    }

    /** The second token of a feedback word, or {@link OwedTokens#NO_TOKEN}. */
    static int secondToken(final long feedback) {
        return (int) (feedback >>> 32);
    }
}
