package dev.skerry.nic.follow;

import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

/**
 * Follows a node of Shale with hop-by-hop congestion control that somebody else designed. Every legal choice of the
 * device is taken over: the link of a spraying hop, which local flow is next, whether it sends a local cell at all.
 * What is not legal becomes a {@link Finding}; the follower takes over what the device did as far as it can, and goes
 * on.
 *
 * <p>In a slot a node first sends and then receives, as a {@code NodeModel} does. Which link a cell joins is either
 * told in the slot in which it arrives, from a probe, or left open until it is seen; see {@link HeldCells} for what is
 * known meanwhile. What is not seen cannot break a law: a device that keeps its local cells back is followed.
 *
 * <p>A step costs as many comparisons as cells are held for the phase of its slot. One thread.
 */
public final class NodeFollower implements Follower {
    /** Nobody tells which link the arriving cell joins. */
    public static final int UNTOLD = -1;

    private final FollowedNode state;
    private final SendCheck sends;
    private final ArrivalCheck arrivals;
    private final FollowRules rules;
    private long slot;

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param shale fabric of the device; its mechanisms are hop-by-hop, with random or shortest spraying, and its rule
     *              for ties binds the device unless it is {@code TieRule.DRAWN}.
     * @param names what the cell words say.
     * @param node  id.
     * @param rules what the device may do besides.
     * @param log   gets the findings; several nodes may have one.
     * @throws IllegalArgumentException if the fabric has absent nodes, other congestion control or no such node.
     */
    public NodeFollower(final Shale shale, final CellNames names, final int node, final FollowRules rules,
        final FindingLog log) {
        this.state = new FollowedNode(shale, names, node, rules, log);
        this.sends = new SendCheck(state, rules);
        this.arrivals = new ArrivalCheck(state, rules);
        this.rules = rules;
    }

    /** Follows one slot, the links of arriving cells left open. */
    @Override
    public void step(final long now, final NodeCells received, final NodeCells observed) {
        step(now, received, observed, UNTOLD);
    }

    /**
     * Follows one slot.
     *
     * @param joined position in the epoch of the link whose queue the arriving cell joins, or {@link #UNTOLD}.
     */
    public void step(final long now, final NodeCells received, final NodeCells observed, final int joined) {
        send(now, observed.route(0), observed.cell(0), observed.feedback(0));
        receive(received.route(0), received.cell(0), received.feedback(0), joined);
    }

    /** First half of a slot: the three words that the device sent. */
    public void send(final long now, final long route, final long cell, final long feedback) {
        if (now != slot) {
            throw new IllegalArgumentException("slots come one after another: slot=" + now + " next=" + slot);
        }
        sends.check(now, route, cell, feedback);
    }

    /** Second half of the slot: the three words that it received, and the link that the cell joins. */
    public void receive(final long route, final long cell, final long feedback, final int joined) {
        final long sent = slot - state.shale.propagationSlots();
        if (sent >= 0) {
            arrivals.take(slot, sent, route, cell, feedback, joined);
        }
        slot++;
    }

    /**
     * Begins in mid-run, before the first step: sequence numbers are learnt from the first cell of each flow. What the
     * device holds, has spent and owes is told by {@link #hold}, {@link #setSpent} and {@link #owe}, or is learnt while
     * the run goes on; then findings of the first slots say nothing, see {@link FindingLog#forget}.
     */
    public void beginAt(final long first) {
        slot = first;
        sends.learnSequences();
    }

    /**
     * The device holds a cell, behind the ones told before.
     *
     * @param link   position in the epoch of the link whose queue it is in.
     * @param bucket the bucket that it will be in after its next hop.
     * @param back   position in the epoch of the link back to the neighbour it came from.
     * @param owed   the bucket that it is in now.
     */
    public void hold(final long cell, final int link, final int bucket, final int back, final int owed) {
        state.held.add(link / state.schedule.linksPerPhase(), link, new HeldCell(cell, bucket,
            Route.bucketDestination(bucket), back, owed));
    }

    /** The device has spent tokens of a bucket on a link that have not come back. */
    public void setSpent(final int link, final int bucket, final int count) {
        state.tokens.setSpent(link, bucket, count);
    }

    /** The device owes a token on a link, after the ones told before. */
    public void owe(final int link, final int bucket) {
        state.tokens.owe(link, bucket);
    }

    /** The sequence number of the next cell of a flow of {@link CellNames#flow}. */
    public void setNext(final int flow, final long sequence) {
        sends.setNext(flow, sequence);
    }

    /**
     * What is known of the device by the names of a {@code NodeModel}'s registers, to be copied into a fresh model that
     * begins at the next slot: a model that joins in mid-run. The pointers of local flows are not known; nothing is set
     * here.
     *
     * @throws IllegalArgumentException if the link of a cell is open.
     */
    public NodeRegisters registers() {
        if (open() > 0) {
            throw new IllegalArgumentException("the link of a cell is not known yet, follow on: open=" + open());
        }
        return new FollowedRegisters(state, sends);
    }

    @Override
    public long slot() {
        return slot;
    }

    /** Id of the node. */
    public int node() {
        return state.node;
    }

    @Override
    public int held() {
        return state.held.size();
    }

    @Override
    public int open() {
        return state.held.open();
    }

    /** Most cells whose link was unknown at a time. */
    public int mostOpen() {
        return state.held.mostOpen();
    }

    /** Tokens of a bucket that are spent and not returned. */
    public int spent(final int link, final int bucket) {
        return state.tokens.spent(link, bucket);
    }

    /** Before a slot is sent: the neighbour that the device sends to, as its header or a probe says. */
    public void expectPeer(final int seen) {
        final int link = state.schedule.slotInEpoch(slot);
        if (seen != state.peer(link)) {
            state.find(Law.SCHEDULE, slot, link, Finding.NO_BUCKET, "to send to node " + state.peer(link),
                "node " + seen);
        }
    }

    /** Before a slot is sent: something that the device sent beside the words of the slot and ought not to have. */
    public void refuse(final Law law, final String expected, final String seen) {
        state.find(law, slot, state.schedule.slotInEpoch(slot), Finding.NO_BUCKET, expected, seen);
    }

    /** Compares a register of the device after a slot: the cells it holds for others. */
    public void expectHeld(final int seen) {
        if (rules.ahead(seen, held()) != 0) {
            state.find(Law.CONSERVATION, slot - 1, 0, Finding.NO_BUCKET, held() + " cells held", seen + " held");
        }
    }

    /** Compares a register of the device after a slot: the cells in the queue of a link. */
    public void expectLength(final int link, final int seen) {
        final int least = state.held.least(link);
        final int ahead = rules.ahead(seen, least);
        if (ahead < 0 || ahead > state.held.most(link) - least) {
            state.find(Law.CONSERVATION, slot - 1, link, Finding.NO_BUCKET, "a queue of " + least
                + (state.held.open() == 0 ? "" : " to " + state.held.most(link)), "one of " + seen);
        }
    }

    /** Compares a register of the device after a slot: tokens of a bucket left on a link. It is then taken over. */
    public void expectTokensLeft(final int link, final int bucket, final int seen) {
        final int left = state.tokens.budget(bucket) - spent(link, bucket);
        if (rules.ahead(seen, left) != 0) {
            state.find(Law.TOKEN, slot - 1, link, bucket, left + " tokens left", seen + " left");
            state.tokens.setSpent(link, bucket, spent(link, bucket) - rules.ahead(seen, left));
        }
    }
}
