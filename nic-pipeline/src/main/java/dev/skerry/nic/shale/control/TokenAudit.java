package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.shale.ControlFactory.BankState;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.PathReachability;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;
import org.agrona.collections.Long2LongCounterMap;

import java.util.BitSet;
import java.util.List;

/**
 * Checks the law of tokens over a whole fabric, between two slots (docs/spec/shale.md §5.5): for every link u to v and
 * bucket, the tokens u has outstanding are the cells of that bucket in flight to v and held there, and the tokens
 * waiting at v and in flight back (I1); no budget is exceeded, so at most that many cells of a bucket wait at v from u
 * (I2); no token names either end as its destination (I3); a node holds no more cells for a destination
 * than its neighbours may have sent (I6); and the number of active buckets is what queues and ledgers
 * say.
 *
 * <p>A link that is down has no account: the end that has put it down has nothing outstanding, owed or waiting
 * there (docs/spec/shale.md §8.3 d). Between a loss on the way and its notice, the account does not balance either.
 *
 * <p>It reads every queue, so it costs far more than the slot it checks. One thread, while no other touches the fabric.
 */
final class TokenAudit implements FabricLaws {
    private static final int BUCKET_BITS = 23;

    private final Shale shale;
    private final List<BankState> banks;
    private final Phased schedule;
    private final SlotMath numbers;
    private final InFlightCells link;
    private final Long2LongCounterMap open = new Long2LongCounterMap(0);
    private final Long2LongCounterMap active = new Long2LongCounterMap(0);
    /** Cells held, by node and, above all ids, by node and destination. */
    private final Long2LongCounterMap held = new Long2LongCounterMap(0);
    /** Links, as accounts number them, whose accounts need not balance. */
    private final BitSet broken = new BitSet();

    /**
     * An audit of a fabric.
     *
     * @param shale the fabric.
     * @param banks its banks, all with hop-by-hop tokens.
     * @param link  what is in flight.
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

    /** Takes in the queues and tokens of a bank. */
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
                tokens.audit(queue,
                    (bucket, out) -> {
                        checkBudget(id, from, bucket, out);
                        open.addAndGet(key(id, from, bucket), out);
                        seeActive(id, bucket);
                    },
                    (bucket, one) -> seeToken(id, from, bucket));
            }
        }
        for (int node = 0; node < nodes; node++) {
            final long counted = active.get(firstNode + node);
            if (counted != tokens.activeBuckets(node)) {
                throw new IllegalStateException("active buckets miscounted: node=" + (firstNode + node) + " counted="
                    + counted + " kept=" + tokens.activeBuckets(node));
            }
        }
    }

    /** Takes in what is in flight after a slot; every account must then come out at zero. */
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
            if (!broken.get(pair)) {
                throw new IllegalStateException("token law (I1) broken: slot=" + slot + " sender="
                    + pair / schedule.epochSlots() + " link=" + pair % schedule.epochSlots() + " destination="
                    + Route.bucketDestination(bucket) + " sprays=" + (bucket & 7) + " outstanding minus found="
                    + count);
            }
        });
    }

    /** A link that is down at one end at least, or has just failed to bring something. */
    private void seeBroken(final HopByHop tokens, final CellQueues queues, final PathReachability reach,
        final int id, final int queue, final int inEpoch) {
        setBroken(id, inEpoch);
        final int held = tokens.outstanding(queue) + tokens.owed().length(queue) + queues.length(queue);
        if (!reach.isUp(queue) && held > 0) {
            throw new IllegalStateException("a link that is down is not empty: node=" + id + " link=" + inEpoch
                + " cells=" + queues.length(queue));
        }
    }

    /** A cell held for a neighbour that is owed its token. Cells that started anew owe nothing and are not bounded. */
    private void seeHeld(final int id, final int destination) {
        final long mostForOne = (long) schedule.epochSlots()
            * (shale.firstHopTokens() + (long) (schedule.phases() - 1) * shale.tokens());
        final long forOne = held.addAndGet((long) (id + 1) << BUCKET_BITS | destination, 1);
        final long forAll = held.addAndGet(id, 1);
        if (forOne > mostForOne || forAll > mostForOne * schedule.nodes()) {
            throw new IllegalStateException("buffer bound (I6) exceeded: node=" + id + " destination=" + destination
                + " cells=" + forOne + " bound=" + mostForOne + " cells of all=" + forAll);
        }
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

    /** A token on its way from a node to the peer of one of its links. */
    private void seeToken(final int id, final int inEpoch, final int bucket) {
        final int peer = schedule.peerOf(id, inEpoch);
        final int destination = Route.bucketDestination(bucket);
        if (destination == id || destination == peer) {
            throw new IllegalStateException("token names an end of its link (I3): from=" + id + " to=" + peer
                + " destination=" + destination);
        }
        open.addAndGet(keyTo(id, inEpoch, bucket), -1);
    }

    private void checkBudget(final int id, final int inEpoch, final int bucket, final int out) {
        final boolean firstHop = (bucket & 7) == schedule.phases() - 1;
        final int budget = firstHop ? shale.firstHopTokens() : shale.tokens();
        if (out < 1 || out > budget) {
            throw new IllegalStateException("budget exceeded (I1, I2): node=" + id + " link=" + inEpoch
                + " destination=" + Route.bucketDestination(bucket) + " sprays=" + (bucket & 7) + " outstanding=" + out
                + " budget=" + budget);
        }
    }

    /** The account of the peer's tokens for its link to a node, seen from the node and its link to the peer. */
    private long keyTo(final int id, final int inEpoch, final int bucket) {
        final int back = numbers.position(numbers.phase(inEpoch), schedule.reverseLink(numbers.link(inEpoch)));
        return key(schedule.peerOf(id, inEpoch), back, bucket);
    }

    private long key(final int id, final int inEpoch, final int bucket) {
        return (long) (id * schedule.epochSlots() + inEpoch) << BUCKET_BITS | bucket;
    }

    /** Counts a bucket once for its node, under the node's id; the keys of buckets themselves lie above all ids. */
    private void seeActive(final int id, final int bucket) {
        final long key = (long) (id + 1) << BUCKET_BITS | bucket;
        if (active.get(key) == 0) {
            active.addAndGet(key, 1);
            active.addAndGet(id, 1);
        }
    }
}
