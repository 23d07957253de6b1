package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.ControlProbes;
import dev.skerry.nic.shale.CongestionControl.LinkTokens;
import dev.skerry.nic.shale.ControlFactory;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * Hop-by-hop congestion control (Shale §3.3.2, docs/spec/shale.md §5): a node sends a cell that will be in bucket
 * {@code <d,n>} at the next node only while it has a token of that bucket for that link, and returns a token to the
 * previous hop when it sends a cell on. The last hop to the destination needs no token.
 *
 * <p>The rule is written for one cell first; the methods over blocks and lists of nodes do the same for each of them.
 * One bank, one thread.
 */
public final class HopByHop implements CongestionControl, LinkTokens {
    /** Makes it; its laws are those of tokens (docs/spec/shale.md §5.5). */
    public static final ControlFactory FACTORY = new Factory();

    private final int nodes;
    private final SlotMath numbers;
    private final int ownSprays;
    private final int tokens;
    private final int firstHopTokens;
    private final TokenLedger ledger;
    private final OwedTokens owed;
    private final ActiveBuckets active;
    /** Of the nodes of a block: a bucket of each, and another or a budget. */
    private final int[] one;
    private final int[] other;
    private long anomalies;

    /** Makes the control of a bank. */
    private static final class Factory implements ControlFactory {
        @Override
        public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
            return new HopByHop(arena, shale, nodes, pool);
        }

        @Override
        public boolean takesRegisters() {
            return true;
        }

        @Override
        public long bytes(final Shale shale, final int nodes) {
            final long links = (long) shale.schedule().epochSlots() * nodes;
            return links * (TokenLedger.linkBytes(shale) + OwedTokens.LINK_BYTES) + ActiveBuckets.bytes(shale, nodes);
        }

        @Override
        public FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
            return new TokenAudit(shale, banks, link);
        }
    }

    /**
     * Full budgets, nothing owed.
     *
     * @param arena  owner of the memory.
     * @param shale  budgets and schedule.
     * @param nodes  nodes of the bank.
     * @param pool   overflow of the bank.
     */
    public HopByHop(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
        this.nodes = nodes;
        this.numbers = new SlotMath(shale.schedule(), nodes);
        this.ownSprays = shale.schedule().phases() - 1;
        this.tokens = shale.tokens();
        this.firstHopTokens = shale.firstHopTokens();
        this.ledger = TokenLedger.of(arena, shale, numbers.queues(), pool);
        this.owed = new OwedTokens(arena, numbers.queues(), pool);
        this.active = new ActiveBuckets(arena, shale, nodes);
        this.one = new int[CellBatch.block(nodes)];
        this.other = new int[CellBatch.block(nodes)];
    }

    /**
     * Whether a token is left for the bucket at the next node. A final hop needs none, and is always eligible without
     * being asked for: its bucket names the peer itself, and no token of such a bucket is ever spent (I3).
     */
    @Override
    public boolean eligible(final int queue, final long entry) {
        return ledger.out(queue, Route.bucket(entry)) < tokens;
    }

    /** Spends a token of the bucket at the next node. */
    @Override
    public void onDequeue(final int queue, final long entry) {
        if (Route.tokens(entry) > 0) {
            ledger.spend(queue, Route.bucket(entry));
        }
    }

    @Override
    public boolean canStart(final int queue, final int destination) {
        return ledger.out(queue, Route.bucket(destination, ownSprays)) < firstHopTokens;
    }

    /** A cell that starts here spends a token of the larger budget of first hops. */
    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        if (!canStart(queue, destination)) {
            return false;
        }
        final int bucket = Route.bucket(destination, ownSprays);
        ledger.spend(queue, bucket);
        active.add(node, bucket);
        return true;
    }

    /** Owes the previous hop the token of the bucket that the cell was in here. */
    @Override
    public void onForward(final int node, final long entry) {
        owed.owe(numbers.queue(Route.owedLink(entry), node), Route.owedBucket(entry));
    }

    /** Gives back the oldest two tokens owed on a link. */
    @Override
    public long takeFeedback(final int queue) {
        return owed.takeTwo(queue);
    }

    @Override
    public void onEnqueue(final int node, final long entry) {
        if (Route.tokens(entry) > 0) {
            active.add(node, Route.bucket(entry));
        }
    }

    /** A notice is a returned token: its bucket. */
    @Override
    public void onNotice(final int queue, final int node, final int bucket) {
        if (ledger.giveBack(queue, bucket)) {
            active.remove(node, bucket);
        } else {
            anomalies++;
        }
    }

    @Override
    public void trySpend(final int link, final int first, final int count, final int[] oldest, final int[] waiting,
        final int[] destinations, final int[] local, final int[] paid) {
        final int[] keys = one;
        final int[] limits = other;
        final int sprays = ownSprays;
        final int ofQueued = tokens;
        final int ofLocal = firstHopTokens;
        for (int i = 0; i < count; i++) {
            keys[i] = Route.key(oldest[i]) & -waiting[i] | Route.bucket(destinations[i], sprays) + 1 & -local[i];
        }
        for (int i = 0; i < count; i++) {
            limits[i] = ofQueued & -waiting[i] | ofLocal & -local[i];
        }
        ledger.spend(numbers.queue(link, first), count, keys, limits, paid);
        // A cell sent on keeps its bucket active: the reason turns from a queued cell into an outstanding token.
        for (int i = 0; i < count; i++) {
            limits[i] = paid[i] & local[i];
        }
        active.begin(first, count, keys, limits);
    }

    @Override
    public void trySpend(final int firstQueue, final int[] which, final int some, final int[] oldest,
        final int[] waiting, final int[] destinations, final int[] local, final int[] paid) {
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            one[i] = Route.key(oldest[i]) & -waiting[i] | Route.bucket(destinations[i], ownSprays) + 1 & -local[i];
            other[i] = tokens & -waiting[i] | firstHopTokens & -local[i];
        }
        ledger.spend(firstQueue, which, some, one, other, paid);
        for (int k = 0; k < some; k++) {
            if ((paid[which[k]] & local[which[k]]) != 0) {
                active.add(numbers.nodeOf(firstQueue + which[k]), one[which[k]] - 1);
            }
        }
    }

    @Override
    public void fetch(final int firstQueue, final int[] asking, final int asked, final int[] feeding, final int fed) {
        ledger.fetch(firstQueue, asking, asked);
        owed.fetch(firstQueue, feeding, fed);
    }

    @Override
    public void onForward(final CellBatch sent) {
        owed.owe(sent, nodes);
    }

    @Override
    public void takeFeedback(final int firstQueue, final int count, final long[] into) {
        owed.takeTwo(firstQueue, count, into);
    }

    @Override
    public void onReceive(final int link, final int first, final int count, final CellBatch joined,
        final long[] feedback) {
        final int[] tokenOf = one;
        final int[] second = other;
        for (int i = 0; i < count; i++) {
            tokenOf[i] = OwedTokens.firstOf(feedback[i]);
        }
        for (int i = 0; i < count; i++) {
            second[i] = OwedTokens.secondOf(feedback[i]);
        }
        anomalies += ledger.giveBack(numbers.queue(link, first), count, tokenOf, second);
        active.end(first, count, joined, tokenOf, second);
    }

    @Override
    public void onReceive(final int firstQueue, final int first, final int[] which, final int some,
        final CellBatch joined, final long[] feedback) {
        ledger.fetch(firstQueue, which, some);
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            one[i] = OwedTokens.firstOf(feedback[i]);
            other[i] = OwedTokens.secondOf(feedback[i]);
        }
        anomalies += ledger.giveBack(firstQueue, which, some, one, other);
        active.end(first, which, some, joined, one, other);
    }

    @Override
    public boolean takesSingleNodes() {
        return true;
    }

    @Override
    public long feedbackFrom(final int first) {
        return owed.from(first);
    }

    @Override
    public boolean isAtRest() {
        return owed.held() == 0;
    }

    @Override
    public void onRemove(final int node, final long entry) {
        if (Route.tokens(entry) > 0) {
            active.remove(node, Route.bucket(entry));
        }
    }

    @Override
    public int takeNotice(final int queue) {
        return owed.takeOne(queue);
    }

    /** The token that the cell cost is taken back. */
    @Override
    public void onCellLost(final int queue, final int node, final int bucket) {
        onNotice(queue, node, bucket);
    }

    @Override
    public void onNoticeLost(final int queue, final int bucket) {
        owed.owe(queue, bucket);
    }

    @Override
    public void onLinkDown(final int queue, final int node) {
        ledger.forEach(queue, (bucket, out) -> {
            for (int token = 0; token < out; token++) {
                active.remove(node, bucket);
            }
        });
        ledger.clear(queue);
        owed.clear(queue);
    }

    @Override
    public long anomalies() {
        return anomalies;
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return active.maxActive(node);
    }

    @Override
    public int activeBuckets(final int node) {
        return active.active(node);
    }

    @Override
    public LinkTokens registers() {
        return this;
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

    @Override
    public ControlProbes probes(final int node) {
        return new ControlProbes() {
            @Override
            public long ofLink(final int link, final int which) {
                final int queue = numbers.queue(link, node);
                return switch (which) {
                    case 0 -> outstanding(queue);
                    case 1 -> owed.length(queue);
                    default -> owed.first(queue);
                };
            }

            @Override
            public long active() {
                return active.active(node);
            }
        };
    }

    /** The tokens spent and owed, for the audit of docs/spec/shale.md §5.5 I1. */
    void audit(final int queue, final TokenLedger.Visitor outstanding, final TokenLedger.Visitor waiting) {
        ledger.forEach(queue, outstanding);
        owed.forEach(queue, waiting);
    }

    /** Tokens of all buckets outstanding on a link. */
    int outstanding(final int queue) {
        return ledger.total(queue);
    }

    /** The tokens owed. */
    OwedTokens owed() {
        return owed;
    }
}
