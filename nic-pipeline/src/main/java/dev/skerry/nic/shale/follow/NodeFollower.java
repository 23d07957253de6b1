package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.follow.HeldCells.HeldCell;
import dev.skerry.schedule.Coordinates;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    private final FollowedNode state;
    private final HeldCells held;
    private final TokenBooks tokens;
    private final CellNames names;
    private final FollowRules rules;
    private final int linksPerPhase;
    private final SendCheck sends;
    private final ArrivalCheck arrivals;
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
        this.held = state.held;
        this.tokens = state.tokens;
        this.names = names;
        this.rules = rules;
        this.linksPerPhase = state.schedule.linksPerPhase();
        this.sends = new SendCheck();
        this.arrivals = new ArrivalCheck();
    }

    @Override
    public void send(final long now, final NodeCells observed) {
        if (now != slot) {
            throw new IllegalArgumentException("slots come one after another: slot=" + now + " next=" + slot);
        }
        sends.check(observed.route(0), observed.cell(0), observed.feedback(0));
    }

    /** @param joined position in the epoch of the link. */
    @Override
    public void receive(final NodeCells received, final int joined) {
        final long sent = slot - state.shale.propagationSlots();
        if (sent >= 0) {
            arrivals.take(slot, sent, received.route(0), received.cell(0), received.feedback(0), joined);
        }
        slot++;
    }

    @Override
    public int links() {
        return state.schedule.epochSlots();
    }

    /**
     * Begins in mid-run, before the first step: sequence numbers are learnt from the first cell of each flow. What the
     * device holds, has spent and owes is told by {@link #hold}, {@link #setSpent} and {@link #owe}, or is learnt while
     * the run goes on; then findings of the first slots say nothing, see {@link FindingLog#forget}.
     */
    @Override
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
    @Override
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

    @Override
    public int mostOpen() {
        return state.held.mostOpen();
    }

    /** Tokens of a bucket that are spent and not returned. */
    public int spent(final int link, final int bucket) {
        return state.tokens.spent(link, bucket);
    }

    @Override
    public void refuse(final int channel, final Law law, final String expected, final String seen) {
        state.find(law, slot, state.schedule.slotInEpoch(slot), FollowedNode.NO_BUCKET, expected, seen);
    }

    /** Compares a register of the device after a slot: the cells it holds for others. */
    public void expectHeld(final int seen) {
        if (rules.ahead(seen, held()) != 0) {
            state.find(Law.CONSERVATION, slot - 1, 0, FollowedNode.NO_BUCKET, held() + " cells held", seen + " held");
        }
    }

    /** Compares a register of the device after a slot: the cells in the queue of a link. */
    public void expectLength(final int link, final int seen) {
        final int least = state.held.least(link);
        final int ahead = rules.ahead(seen, least);
        if (ahead < 0 || ahead > state.held.most(link) - least) {
            state.find(Law.CONSERVATION, slot - 1, link, FollowedNode.NO_BUCKET, "a queue of " + least
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

    /** What a followed node receives: cells that it has to queue, tokens that come back (docs/spec/shale.md §5.4). */
    private final class ArrivalCheck {
        /** Links of a phase that a spraying hop may take. */
        private final long[] possible;
        /** With bucket spray, by link: the least and the most that it can have of the bucket. */
        private final int[] leastLoad;
        private final int[] mostLoad;


        ArrivalCheck() {
            this.possible = new long[state.schedule.linkWords()];
            this.leastLoad = new int[linksPerPhase];
            this.mostLoad = new int[linksPerPhase];
        }

        /** Takes in the words that were sent to the node in slot {@code sent}. */
        void take(final long slot, final long sent, final long route, final long cell, final long feedback,
            final int joined) {
            final int link = state.schedule.slotInEpoch(sent);
            final int phase = link / linksPerPhase;
            final int back = phase * linksPerPhase + state.schedule.reverseLink(link % linksPerPhase);
            if (InFlightCells.isCell(route)) {
                final int bucket = Route.bucket(route);
                if (!state.isBucket(bucket) || !names.exists(cell)) {
                    state.find(Law.ROUTE, slot, back, FollowedNode.NO_BUCKET, "a cell of this fabric to arrive",
                        "route 0x" + Long.toHexString(route) + " cell 0x" + Long.toHexString(cell));
                } else if (Route.bucketDestination(bucket) != state.node) {
                    queue(slot, phase, back, route, cell, joined);
                }
            }
            token(slot, back, (int) feedback);
            token(slot, back, (int) (feedback >>> Integer.SIZE));
        }

        private void token(final long slot, final int back, final int bucket) {
            if (bucket == Admission.NO_NOTICE) {
                return;
            }
            if (!state.isBucket(bucket) || !tokens.takeBack(back, bucket)) {
                state.find(Law.TOKEN, slot, back, bucket, "no token to arrive, as none is out",
                    BucketText.token(bucket));
            }
        }

        private void queue(final long slot, final int phase, final int back, final long route, final long cell,
            final int joined) {
            final int bucket = Route.bucket(route);
            final int destination = Route.bucketDestination(bucket);
            final int sprays = Route.sprays(bucket);
            final int next = sprays > 0 ? (phase + 1) % state.schedule.phases() : nextPhase(phase, destination);
            final HeldCell arrived = new HeldCell(cell, Route.bucket(destination, Math.max(0, sprays - 1)), destination,
                back, bucket);
            arrived.sent = Route.sentSlot(route);
            if (held.find(next, cell) != null) {
                state.find(Law.CONSERVATION, slot, back, bucket, "each cell to arrive once",
                    BucketText.cell(names, cell, bucket) + " again");
            }
            checkRoom(slot, back, bucket);
            if (sprays == 0) {
                direct(slot, next, arrived, joined);
            } else {
                spray(slot, next, arrived, joined);
            }
        }

        /** The first phase after one in which the node and the destination differ. */
        private int nextPhase(final int phase, final int destination) {
            final Coordinates digits = state.schedule.coordinates();
            int next = phase;
            do {
                next = next + 1 == state.schedule.phases() ? 0 : next + 1;
            } while (digits.digit(state.node, next) == digits.digit(destination, next));
            return next;
        }

        /** What is held of the bucket from a neighbour, and its tokens that wait, are below the budget (§5.5 I1). */
        private void checkRoom(final long slot, final int back, final int bucket) {
            int count = tokens.owed(back, bucket);
            for (int phase = 0; phase < state.schedule.phases(); phase++) {
                for (HeldCell at = held.first(phase); at != null; at = at.after) {
                    count += at.owedLink == back && at.owedBucket == bucket ? 1 : 0;
                }
            }
            if (count >= tokens.budget(bucket)) {
                state.find(Law.CAPACITY, slot, back, bucket, "at most " + tokens.budget(bucket)
                    + " cells of a bucket and tokens owed for it", "a cell beside " + count);
            }
        }

        private void direct(final long slot, final int phase, final HeldCell arrived, final int joined) {
            final int link = phase * linksPerPhase
                + state.schedule.linkTowards(state.node, arrived.destination, phase);
            if (joined != NodeFollower.UNTOLD && joined != link) {
                state.find(Law.ROUTE, slot, joined, arrived.owedBucket, BucketText.cell(names, arrived.cell,
                    arrived.next) + " to join link " + link, "link " + joined);
            }
            hold(slot, phase, onPhase(joined, phase) ? joined : link, arrived);
        }

        /** A cell joins a queue if there is room. */
        private void hold(final long slot, final int phase, final int link, final HeldCell arrived) {
            if (held.least(link) >= rules.queue().places()) {
                if (rules.queue().drops()) {
                    return;
                }
                state.find(Law.CAPACITY, slot, link, arrived.owedBucket, "at most " + rules.queue().places()
                    + " cells to wait for the link", "one more");
            }
            held.add(phase, link, arrived);
        }

        private boolean onPhase(final int joined, final int phase) {
            return joined >= 0 && joined / linksPerPhase == phase;
        }

        private void spray(final long slot, final int phase, final HeldCell arrived, final int joined) {
            final int count = state.leastBucket ? listLeastBucket(phase, arrived) : listPossible(phase);
            final int first = phase * linksPerPhase;
            int only = -1;
            boolean legal = false;
            if (state.ties != null) {
                only = state.ties.among(state.node, 0, phase, possible, count, 0);
                legal = joined == first + only;
            } else if (onPhase(joined, phase)) {
                legal = (possible[(joined - first) / Long.SIZE] >>> joined - first & 1) != 0;
            } else if (count == 1) {
                only = Long.numberOfTrailingZeros(possible[0]);
                for (int word = 1; possible[word - 1] == 0; word++) {
                    only = word * Long.SIZE + Long.numberOfTrailingZeros(possible[word]);
                }
            }
            if (joined != NodeFollower.UNTOLD && !legal) {
                state.find(Law.ROUTE, slot, joined, arrived.owedBucket, BucketText.cell(names, arrived.cell,
                    arrived.next) + " to join " + (only >= 0 ? "link " + (first + only) : "a shortest queue of phase "
                    + phase), "link " + joined);
            }
            if (onPhase(joined, phase)) {
                hold(slot, phase, joined, arrived);
            } else if (only >= 0) {
                hold(slot, phase, first + only, arrived);
            } else {
                held.add(phase, possible, arrived);
            }
        }

        /**
         * The same with bucket spray: a link may not be taken where another one surely has less of the bucket, or has
         * no more and a shorter queue.
         */
        private int listLeastBucket(final int phase, final HeldCell arrived) {
            final int first = phase * linksPerPhase;
            for (int link = 0; link < linksPerPhase; link++) {
                leastLoad[link] = tokens.spent(first + link, arrived.next);
                mostLoad[link] = leastLoad[link];
            }
            for (HeldCell at = held.first(phase); at != null; at = at.after) {
                for (int link = 0; link < linksPerPhase && at.next == arrived.next; link++) {
                    // A cell on its last hop is in no bucket.
                    final int one = at.mayBeAt(link, first + link) && state.peer(first + link) != at.destination ? 1
                        : 0;
                    leastLoad[link] += at.link == HeldCell.OPEN ? 0 : one;
                    mostLoad[link] += one;
                }
            }
            int count = 0;
            Arrays.fill(possible, 0);
            for (int link = 0; link < linksPerPhase; link++) {
                if (mayBeLeast(first, link)) {
                    possible[link / Long.SIZE] |= 1L << link;
                    count++;
                }
            }
            return count;
        }

        private boolean mayBeLeast(final int first, final int link) {
            for (int other = 0; other < linksPerPhase; other++) {
                if (mostLoad[other] < leastLoad[link]
                    || mostLoad[other] == leastLoad[link] && held.most(first + other) < held.least(first + link)) {
                    return false;
                }
            }
            return true;
        }

        /** Lists the links of a phase that a spraying hop may take; returns how many. */
        private int listPossible(final int phase) {
            final int bound = state.shortest ? held.shortest(phase) : Integer.MAX_VALUE;
            final int first = phase * linksPerPhase;
            int count = 0;
            Arrays.fill(possible, 0);
            for (int link = 0; link < linksPerPhase; link++) {
                if (held.least(first + link) <= bound) {
                    possible[link / Long.SIZE] |= 1L << link;
                    count++;
                }
            }
            return count;
        }
    }

    /** The registers of a followed node as it was when they were asked for. */
    private static final class FollowedRegisters implements NodeRegisters {
        private final Map<String, long[]> words = new LinkedHashMap<>();

        FollowedRegisters(final FollowedNode state, final SendCheck sends) {
            for (int flow = 0; flow < state.names.flows(); flow++) {
                if (sends.next(flow) > 0) {
                    words.put("flow" + flow + "_sent", new long[] {sends.next(flow)});
                }
            }
            for (int link = 0; link < state.schedule.epochSlots(); link++) {
                words.put("queue" + link + "_cells", cells(state, link));
                words.put("queue" + link + "_owed_tokens", state.tokens.owed(link));
                for (int destination = 0; destination < state.shale.nodes(); destination++) {
                    for (int sprays = 0; sprays < state.schedule.phases(); sprays++) {
                        words.put("queue" + link + "_outstanding_d" + destination + "n" + sprays,
                            new long[] {state.tokens.spent(link, Route.bucket(destination, sprays))});
                    }
                }
            }
        }

        private static long[] cells(final FollowedNode state, final int link) {
            final List<Long> cells = new ArrayList<>();
            for (HeldCell at = state.held.first(link / state.schedule.linksPerPhase()); at != null; at = at.after) {
                if (at.link == link) {
                    cells.addAll(List.of(at.cell, (long) at.next, (long) at.owedLink, (long) at.owedBucket, at.sent));
                }
            }
            return cells.stream().mapToLong(Long::longValue).toArray();
        }

        @Override
        public List<String> names() {
            return List.copyOf(words.keySet());
        }

        @Override
        public long[] get(final String name) {
            final long[] found = words.get(name);
            if (found == null) {
                throw new IllegalArgumentException("no such register: name=" + name);
            }
            return found.clone();
        }

        @Override
        public void set(final String name, final long... values) {
            throw new IllegalArgumentException("a follower learns from what it sees: name=" + name);
        }

        @Override
        public void begin(final long slot) {
            throw new IllegalArgumentException("a follower begins at a slot by beginAt: slot=" + slot);
        }
    }

    /** What a followed node sends: whether it might, and what follows from it (docs/spec/shale.md §5.3). */
    private final class SendCheck {
        private static final long UNKNOWN = -1;

        /** By flow of the node: the sequence number of its next cell, or {@link #UNKNOWN}. */
        private final long[] next;
        /** Tokens seen in a slot. */
        private final int[] riders = new int[2];
        private int link;
        private int phase;
        private int peer;
        /** The cell of this slot that owes a token, null for none. */
        private HeldCell owing;

        SendCheck() {
            this.next = new long[names.flows()];
        }

        /** Checks the words of a slot and takes over what they say. */
        void check(final long route, final long cell, final long feedback) {
            link = state.schedule.slotInEpoch(slot);
            phase = link / linksPerPhase;
            peer = state.peer(link);
            if (route == InFlightCells.SILENCE) {
                if (!rules.mayBeSilent()) {
                    find(Law.SCHEDULE, FollowedNode.NO_BUCKET, "a cell or a dummy", "nothing");
                    checkQueue(null, "nothing");
                }
                return;
            }
            if (!InFlightCells.isCell(route)) {
                checkQueue(null, "a dummy");
            } else if (!state.isBucket(Route.bucket(route)) || !names.exists(cell)) {
                find(Law.ROUTE, FollowedNode.NO_BUCKET, "a cell of this fabric", "route 0x" + Long.toHexString(route)
                    + " cell 0x" + Long.toHexString(cell));
            } else if (names.source(cell) == state.node) {
                sendLocal(cell, Route.bucket(route));
            } else {
                sendHeld(cell, Route.bucket(route));
            }
            checkTokens((int) feedback, (int) (feedback >>> Integer.SIZE));
            checkOwed();
        }

        /** The first cell seen of each flow says where its sequence numbers are. */
        void learnSequences() {
            Arrays.fill(next, UNKNOWN);
        }

        /** Cells of a flow that the device has sent, -1 if not known. */
        long next(final int flow) {
            return next[flow];
        }

        void setNext(final int flow, final long sequence) {
            next[flow] = sequence;
        }

        private void find(final Law law, final int bucket, final String expected, final String seen) {
            state.find(law, slot, link, bucket, expected, seen);
        }

        private String text(final HeldCell cell) {
            return BucketText.cell(names, cell.cell, cell.next);
        }

        /**
         * No cell that came before {@code sent}, null for none at all, may have been able to leave. Open cells that
         * might have gone are then not here.
         *
         * @return false if one was known to be here.
         */
        private boolean checkQueue(final HeldCell sent, final String seen) {
            HeldCell after;
            for (HeldCell at = held.first(phase); at != sent; at = after) {
                after = at.after;
                if (at.mayBeAt(link - phase * linksPerPhase, link) && mayLeave(at)) {
                    if (at.link == HeldCell.OPEN) {
                        held.exclude(phase, at, link);
                    } else {
                        find(Law.ORDER, at.owedBucket, text(at), seen);
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean mayLeave(final HeldCell cell) {
            return state.mayLeave(cell, link, peer) && !stalls(cell);
        }

        /** Whether a cell waits because the token that it would owe has no room. */
        private boolean stalls(final HeldCell cell) {
            return rules.owed().full() == Full.STALLS && tokens.waiting(cell.owedLink) >= rules.owed().places();
        }

        private void sendLocal(final long cell, final int bucket) {
            final String seen = BucketText.cell(names, cell, bucket);
            final int flow = names.flow(cell);
            next[flow] = next[flow] == UNKNOWN ? names.sequence(cell) : next[flow];
            final long ahead = names.sequence(cell) - next[flow] & names.sequences() - 1;
            final int expected = Route.bucket(names.destination(cell), state.schedule.phases() - 1);
            if (bucket != expected) {
                find(Law.ROUTE, bucket, BucketText.cell(names, cell, expected), seen);
            } else if (ahead >= names.sequences() / 2) {
                find(Law.CONSERVATION, bucket, "seq " + next[flow], seen + ", which left before");
            } else if (ahead > 0) {
                find(Law.ORDER, bucket, "seq " + next[flow], seen);
            } else if (!names.hasCell(cell, slot)) {
                find(Law.CONSERVATION, bucket, "no cell that its flow does not have yet", seen);
            } else if (checkQueue(null, seen)) {
                checkPaid(bucket, names.destination(cell), seen);
            }
            if (ahead < names.sequences() / 2) {
                next[flow] = names.sequence(cell) + 1 & names.sequences() - 1;
            }
            spend(bucket, Route.bucketDestination(bucket));
        }

        private void checkPaid(final int bucket, final int destination, final String seen) {
            if (destination != peer && !tokens.has(link, bucket)) {
                find(Law.TOKEN, bucket, "no cell that needs a token, as " + tokens.spent(link, bucket) + " of "
                    + tokens.budget(bucket) + " are out", seen);
            }
        }

        private void spend(final int bucket, final int destination) {
            if (destination != peer) {
                tokens.spend(link, bucket);
            }
        }

        private void sendHeld(final long cell, final int bucket) {
            final String seen = BucketText.cell(names, cell, bucket);
            HeldCell sent = held.find(phase, cell);
            if (sent == null) {
                sent = sendStranger(cell, bucket, seen);
            } else if (!sent.mayBeAt(link - phase * linksPerPhase, link)) {
                find(Law.ROUTE, sent.owedBucket, text(sent) + " on " + (sent.link == HeldCell.OPEN
                    ? "another link" : "link " + sent.link), seen);
            } else if (bucket != sent.next) {
                find(Law.ROUTE, sent.owedBucket, text(sent), seen);
            } else if (rules.freeOrder() || checkQueue(sent, seen)) {
                checkPaid(bucket, sent.destination, seen);
            }
            if (sent != null && stalls(sent)) {
                state.find(Law.CAPACITY, slot, sent.owedLink, sent.owedBucket,
                    "no cell that owes a token on a link with " + rules.owed().places() + " waiting", seen);
            }
            if (sent == null) {
                spend(bucket, Route.bucketDestination(bucket));
                return;
            }
            held.settle(phase, sent, link);
            held.remove(phase, sent);
            spend(sent.next, sent.destination);
            tokens.owe(sent.owedLink, sent.owedBucket);
            owing = sent;
        }

        /** After the tokens of a slot have gone: whether the one that the cell owes has room. */
        private void checkOwed() {
            if (owing != null && rules.owed().full() != Full.STALLS
                && tokens.waiting(owing.owedLink) > rules.owed().places()) {
                if (rules.owed().drops()) {
                    tokens.dropLast(owing.owedLink);
                } else {
                    state.find(Law.CAPACITY, slot, owing.owedLink, owing.owedBucket, "at most " + rules.owed().places()
                        + " tokens to wait for the link", "one more");
                }
            }
            owing = null;
        }

        /**
         * A cell that is not held for the phase. If one of its bucket should have left, that one did, and its name was
         * changed; if it is held for another phase, it left too early.
         *
         * @return the cell that is taken for it and waits for this phase, null for none.
         */
        private HeldCell sendStranger(final long cell, final int bucket, final String seen) {
            for (int other = 0; other < state.schedule.phases(); other++) {
                final HeldCell elsewhere = other == phase ? null : held.find(other, cell);
                if (elsewhere != null) {
                    find(Law.ROUTE, elsewhere.owedBucket, text(elsewhere) + " in phase " + other, seen);
                    held.settle(other, elsewhere, other * linksPerPhase);
                    held.remove(other, elsewhere);
                    tokens.owe(elsewhere.owedLink, elsewhere.owedBucket);
                    return null;
                }
            }
            for (HeldCell at = held.first(phase); at != null; at = at.after) {
                if (at.next == bucket && at.mayBeAt(link - phase * linksPerPhase, link) && mayLeave(at)) {
                    find(Law.PAYLOAD, at.owedBucket, text(at), seen);
                    return at;
                }
            }
            find(Law.CONSERVATION, bucket, "a cell that is held", seen);
            return null;
        }

        /** Tokens ride in the order in which they are owed, two with each cell or dummy, or one. */
        private void checkTokens(final int seen1, final int seen2) {
            final int first = tokens.poll(link);
            final int second = rules.tokensASlot() == 1 ? Admission.NO_NOTICE : tokens.poll(link);
            if (first == seen1 && second == seen2) {
                return;
            }
            if (first == seen2 && second == seen1) {
                find(Law.TOKEN, first, "tokens " + BucketText.token(first) + " " + BucketText.token(second),
                    BucketText.token(seen1) + " " + BucketText.token(seen2));
                return;
            }
            riders[0] = seen1;
            riders[1] = seen2;
            final boolean complete = rides(first) & rides(second);
            for (final int rider : riders) {
                if (rider != Admission.NO_NOTICE) {
                    stray(rider, complete);
                }
            }
        }

        /**
         * A token rides that is not next.
         *
         * @param complete whether the ones that are next ride too; else it may be next, as one of them was lost.
         */
        private void stray(final int rider, final boolean complete) {
            if (!state.isBucket(rider)) {
                find(Law.TOKEN, FollowedNode.NO_BUCKET, "a token of this fabric", "0x" + Integer.toHexString(rider));
            } else if (!tokens.takeLate(link, rider)) {
                if (tokens.takeOwed(link, rider)) {
                    if (complete) {
                        find(Law.TOKEN, rider, "tokens in the order they are owed", BucketText.token(rider));
                    }
                    return;
                }
                final int elsewhere = tokens.takeElsewhere(rider);
                find(Law.TOKEN, rider, elsewhere < 0 ? "no token that is not owed" : "token " + BucketText.token(rider)
                    + " on link " + elsewhere, BucketText.token(rider));
            }
        }

        /** Takes an owed token off the riders; if it is not among them, it is late. */
        private boolean rides(final int owed) {
            if (owed == Admission.NO_NOTICE) {
                return true;
            }
            for (int i = 0; i < riders.length; i++) {
                if (riders[i] == owed) {
                    riders[i] = Admission.NO_NOTICE;
                    return true;
                }
            }
            find(Law.TOKEN, owed, "token " + BucketText.token(owed) + " to ride", "it does not");
            tokens.missed(link, owed);
            return false;
        }
    }
}
