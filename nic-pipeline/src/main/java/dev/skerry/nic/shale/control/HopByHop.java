package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.ControlFactory;
import dev.skerry.nic.shale.CongestionControl.ControlFactory.BankState;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.PathReachability;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.check.Laws;
import org.agrona.collections.Long2LongCounterMap;

import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.List;

/**
 * Hop-by-hop congestion control (Shale §3.3.2, docs/spec/shale.md §5). A node sends a cell that will be in bucket
 * {@code <d,n>} at the next node only while it has a token of that bucket for that link. It returns a token to the
 * previous hop when it sends a cell on. The last hop to the destination needs no token.
 *
 * <p>The methods for one cell state the rule; the methods over lists of nodes apply it to each node. One bank, one
 * thread.
 */
public final class HopByHop implements CongestionControl {
    /** Creates the control; its laws are those of tokens (docs/spec/shale.md §5.5). */
    public static final ControlFactory FACTORY = new Factory();

    private final int nodes;
    private final SlotMath numbers;
    private final int ownSprays;
    private final int tokens;
    private final int firstHopTokens;
    private final TokenLedger ledger;
    private final OwedTokens owed;
    private final ActiveBuckets active;
    /** Two columns by node of a block: the first holds a bucket, the second another bucket or a limit. */
    private final int[] one;
    private final int[] other;
    /**
     * Nodes that receive a first token or request one for a local cell, and nodes that receive a second token; an extra
     * entry absorbs the last branchless write.
     */
    private final int[] giving;
    private final int[] givingSecond;
    private long anomalies;

    /**
     * Creates the control with full budgets and nothing owed.
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
        this.giving = new int[CellBatch.block(nodes) + 1];
        this.givingSecond = new int[CellBatch.block(nodes) + 1];
    }

    /**
     * Tells whether a token is left for the bucket at the next node. A last hop needs none and passes without a test of
     * its own: its bucket names the peer as destination, and no token of such a bucket is ever spent (I3), so none is
     * outstanding.
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

    /** Starts a cell of the node, which spends a token from the larger budget of first hops. */
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

    /** Owes the previous hop the token of the bucket in which the cell was here. */
    @Override
    public void onForward(final int node, final long entry) {
        owed.owe(numbers.queue(Route.owedLink(entry), node), Route.owedBucket(entry));
    }

    /** Takes the two oldest tokens that are owed on a link. */
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

    /** Takes a notice, which is the bucket of a returned token. */
    @Override
    public void onNotice(final int queue, final int node, final int bucket) {
        if (ledger.returnToken(queue, bucket)) {
            active.remove(node, bucket);
        } else {
            anomalies++;
        }
    }

    /**
     * Returns the bucket of the token for which a node asks, plus 1: of its oldest cell or of a cell that starts there.
     */
    private static int key(final int oldest, final int waiting, final int destination, final int local,
        final int sprays) {
        return Route.key(oldest) & -waiting | Route.bucket(destination, sprays) + 1 & -local;
    }

    @Override
    public boolean trySpend(final int firstQueue, final int[] which, final int some, final Requests asks) {
        final int[] keys = one;
        final int[] limits = other;
        final int[] oldest = asks.oldest();
        final int[] waiting = asks.waiting();
        final int[] destinations = asks.destinations();
        final int[] local = asks.local();
        final int[] paid = asks.paid();
        int starting = 0;
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            keys[i] = key(oldest[i], waiting[i], destinations[i], local[i], ownSprays);
            limits[i] = tokens & -waiting[i] | firstHopTokens & -local[i];
            giving[starting] = i;
            starting += local[i];
        }
        ledger.spend(firstQueue, which, some, keys, limits, paid);
        // The bucket of a cell sent on stays active: an outstanding token replaces the queued cell as the reason.
        active.add(numbers.nodeOf(firstQueue), giving, starting, keys, paid);
        return true;
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
    public void onReceive(final int firstQueue, final int first, final int[] which, final int some,
        final CellBatch joined, final long[] feedback) {
        active.add(joined);
        final int[] tokenOf = one;
        final int[] second = other;
        int with = 0;
        int withSecond = 0;
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            tokenOf[i] = OwedTokens.firstOf(feedback[i]);
            second[i] = OwedTokens.secondOf(feedback[i]);
            giving[with] = i;
            givingSecond[withSecond] = i;
            with += ~tokenOf[i] >>> Integer.SIZE - 1;
            withSecond += ~second[i] >>> Integer.SIZE - 1;
        }
        takeBack(firstQueue, first, giving, with, tokenOf);
        takeBack(firstQueue, first, givingSecond, withSecond, second);
    }

    /** Returns a token to each of some nodes. */
    private void takeBack(final int firstQueue, final int first, final int[] which, final int some,
        final int[] buckets) {
        anomalies += ledger.returnTokens(firstQueue, which, some, buckets);
        active.remove(first, which, some, buckets);
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
    public boolean isIdle() {
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

    /** Takes back the token that was spent for the cell. */
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
    public int budget(final int bucket) {
        return Route.sprays(bucket) == ownSprays ? firstHopTokens : tokens;
    }

    @Override
    public int outstanding(final int queue, final int bucket) {
        return ledger.out(queue, bucket);
    }

    @Override
    public int[] owed(final int queue) {
        return owed.buckets(queue);
    }

    @Override
    public void setOutstanding(final int queue, final int node, final int bucket, final int count) {
        for (int out = ledger.out(queue, bucket); out > count; out--) {
            ledger.returnToken(queue, bucket);
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
    public long probe(final int node, final int link, final int which) {
        final int queue = numbers.queue(link, node);
        return switch (which) {
            case 0 -> ledger.total(queue);
            case 1 -> owed.length(queue);
            default -> owed.first(queue);
        };
    }

    /** Creates the control of a bank. */
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
     * Checks the law of tokens over a whole fabric, between two slots (docs/spec/shale.md §5.5). For every bucket and
     * link from u to v, the tokens outstanding at u equal the cells of that bucket in flight to v and held there, plus
     * the tokens waiting at v and in flight back (I1). No budget is exceeded, which bounds the cells of a bucket that
     * wait at v from u (I2). No token names an end of its link as its destination (I3). A node holds no more cells for
     * a destination than its neighbours may have sent (I6). The number of active buckets agrees with queues and
     * ledgers.
     *
     * <p>A link that is down has no account: the end that put it down has nothing outstanding, owed or waiting there
     * (docs/spec/shale.md §8.3 d). Between a loss in flight and its notice, the account does not balance either.
     *
     * <p>An audit reads every queue, so it costs far more than the slot that it checks. One thread, while no other
     * thread uses the fabric.
     */
    private static final class TokenAudit implements FabricLaws {
        private static final int BUCKET_BITS = 23;

        private final Shale shale;
        private final List<BankState> banks;
        private final Phased schedule;
        private final SlotMath numbers;
        private final InFlightCells link;
        private final Long2LongCounterMap open = new Long2LongCounterMap(0);
        private final Long2LongCounterMap active = new Long2LongCounterMap(0);
        /** Cells held, by node; and by node and destination under keys above all ids. */
        private final Long2LongCounterMap held = new Long2LongCounterMap(0);
        /** Links, by the numbers that accounts use, whose accounts need not balance. */
        private final BitSet broken = new BitSet();

        /**
         * Creates an audit of a fabric.
         *
         * @param shale the fabric.
         * @param banks its banks, all with hop-by-hop tokens.
         * @param link  the cells in flight.
         */
        TokenAudit(final Shale shale, final List<BankState> banks, final InFlightCells link) {
            this.shale = shale;
            this.banks = banks;
            this.schedule = shale.schedule();
            this.numbers = new SlotMath(schedule, schedule.nodes());
            this.link = link;
        }

        @Override
        public void check(final long slot) {
            open.clear();
            broken.clear();
            banks.forEach(this::see);
            settle(slot);
        }

        /** Adds the queues and tokens of a bank to the accounts. */
        private void see(final BankState bank) {
            final HopByHop tokens = (HopByHop) bank.control();
            final CellQueues queues = bank.queues();
            final PathReachability reach = bank.reach();
            final int firstNode = bank.range().first();
            final int nodes = bank.range().size();
            active.clear();
            held.clear();
            for (int inEpoch = 0; inEpoch < schedule.epochSlots(); inEpoch++) {
                for (int node = 0; node < nodes; node++) {
                    final int id = firstNode + node;
                    final int queue = inEpoch * nodes + node;
                    final int from = inEpoch;
                    if (reach != null && !reach.isSound(queue)) {
                        seeBroken(tokens, queues, reach, id, queue, from);
                    }
                    queues.forEach(queue, (entry, cell) -> {
                        if (Route.owes(entry)) {
                            open.addAndGet(keyTo(id, Route.owedLink(entry), Route.owedBucket(entry)), -1);
                            seeHeld(id, Route.destination(entry));
                        }
                        if (!Route.isFinal(entry)) {
                            seeActive(id, Route.bucket(entry));
                        }
                    });
                    tokens.ledger.forEach(queue, (bucket, out) -> {
                        checkBudget(id, from, bucket, out);
                        open.addAndGet(key(id, from, bucket), out);
                        seeActive(id, bucket);
                    });
                    for (final int bucket : tokens.owed(queue)) {
                        seeToken(id, from, bucket);
                    }
                }
            }
            for (int node = 0; node < nodes; node++) {
                final long counted = active.get(firstNode + node);
                Laws.brokenIf(counted != tokens.activeBuckets(node), "active buckets miscounted: node=",
                    firstNode + node, " counted=", counted, " kept=", tokens.activeBuckets(node));
            }
        }

        /** Adds what is in flight after a slot to the accounts; every account must then be zero. */
        private void settle(final long slot) {
            for (long sent = Math.max(0, slot - shale.propagationSlots() + 1); sent <= slot; sent++) {
                final int inEpoch = shale.slotInEpoch(sent);
                for (int id = 0; id < schedule.nodes() && shale.share().owns(sent); id++) {
                    final long at = link.offset(sent) + (long) id * InFlightCells.PLACE_BYTES;
                    final long route = link.route(at);
                    if (route == Route.SILENCE) {
                        setBroken(id, inEpoch);
                    }
                    if (Route.isCell(route) && Route.destination(route) != schedule.peerAt(id, 0, inEpoch)) {
                        open.addAndGet(key(id, inEpoch, Route.bucket(route)), -1);
                    }
                    final long feedback = link.feedback(at);
                    if (feedback != InFlightCells.NO_FEEDBACK) {
                        seeNotice(id, inEpoch, OwedTokens.firstOf(feedback));
                        seeNotice(id, inEpoch, OwedTokens.secondOf(feedback));
                    }
                }
            }
            open.forEach((key, count) -> {
                final int pair = (int) (key >>> BUCKET_BITS);
                final int bucket = (int) key & (1 << BUCKET_BITS) - 1;
                Laws.brokenIf(!broken.get(pair), "token law (I1) broken: slot=", slot, " sender=",
                    pair / schedule.epochSlots(), " link=", pair % schedule.epochSlots(), " destination=",
                    Route.bucketDestination(bucket), " sprays=", Route.sprays(bucket), " outstanding minus found=",
                    count);
            });
        }

        /** Records a link that is down at one end at least, or that has just failed to deliver. */
        private void seeBroken(final HopByHop tokens, final CellQueues queues, final PathReachability reach,
            final int id, final int queue, final int inEpoch) {
            setBroken(id, inEpoch);
            final int held = tokens.ledger.total(queue) + tokens.owed.length(queue) + queues.length(queue);
            Laws.brokenIf(!reach.isUp(queue) && held > 0, "a link that is down is not empty: node=", id, " link=",
                inEpoch, " cells=", queues.length(queue));
        }

        /**
         * Counts a cell that is held for a neighbour to which its token is owed. Cells that were restarted owe nothing
         * and are not bounded.
         */
        private void seeHeld(final int id, final int destination) {
            final long mostForOne = (long) schedule.epochSlots()
                * (shale.firstHopTokens() + (long) (schedule.phases() - 1) * shale.tokens());
            final long forOne = held.addAndGet((long) (id + 1) << BUCKET_BITS | destination, 1);
            final long forAll = held.addAndGet(id, 1);
            Laws.brokenIf(forOne > mostForOne || forAll > mostForOne * schedule.nodes(),
                "buffer bound (I6) exceeded: node=", id, " destination=", destination, " cells=", forOne, " bound=",
                mostForOne, " cells of all=", forAll);
        }

        private void setBroken(final int id, final int inEpoch) {
            broken.set((int) (key(id, inEpoch, 0) >>> BUCKET_BITS));
            broken.set((int) (keyTo(id, inEpoch, 0) >>> BUCKET_BITS));
        }

        private void seeNotice(final int id, final int inEpoch, final int notice) {
            if (notice == OwedTokens.NO_TOKEN) {
                return;
            }
            if (FailureNotices.isToken(notice)) {
                seeToken(id, inEpoch, notice);
            } else if (FailureNotices.isMissing(notice)) {
                setBroken(id, inEpoch);
            }
        }

        /** Records a token in flight from a node to the peer of one of its links. */
        private void seeToken(final int id, final int inEpoch, final int bucket) {
            final int peer = schedule.peerOf(id, inEpoch);
            final int destination = Route.bucketDestination(bucket);
            Laws.brokenIf(destination == id || destination == peer, "token names an end of its link (I3): from=", id,
                " to=", peer, " destination=", destination);
            open.addAndGet(keyTo(id, inEpoch, bucket), -1);
        }

        private void checkBudget(final int id, final int inEpoch, final int bucket, final int out) {
            final int budget = shale.budget(bucket);
            Laws.brokenIf(out < 1 || out > budget, "budget exceeded (I1, I2): node=", id, " link=", inEpoch,
                " destination=", Route.bucketDestination(bucket), " sprays=", Route.sprays(bucket), " outstanding=",
                out, " budget=", budget);
        }

        /** Returns the account of the peer's tokens for its link to a node, from the node and its link to the peer. */
        private long keyTo(final int id, final int inEpoch, final int bucket) {
            final int back = numbers.position(numbers.phase(inEpoch), schedule.reverseLink(numbers.link(inEpoch)));
            return key(schedule.peerOf(id, inEpoch), back, bucket);
        }

        private long key(final int id, final int inEpoch, final int bucket) {
            return (long) (id * schedule.epochSlots() + inEpoch) << BUCKET_BITS | bucket;
        }

        /** Counts a bucket once for its node, under the node's id; the keys of buckets lie above all ids. */
        private void seeActive(final int id, final int bucket) {
            final long key = (long) (id + 1) << BUCKET_BITS | bucket;
            if (active.get(key) == 0) {
                active.addAndGet(key, 1);
                active.addAndGet(id, 1);
            }
        }
    }
}
