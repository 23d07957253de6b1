package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.TieRule.LinkChoice;
import dev.skerry.nic.shale.follow.HeldCells.HeldCell;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

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
public final class NodeFollower extends FollowedNode {
    private final FollowRules rules;
    private final HeldCells held;
    private final TokenBooks tokens;
    /** Chooses among equally short links; null if the device may take any of them. */
    private final LinkChoice ties;
    private final SprayRule spraying;
    /** Links of a phase that a spraying hop may take. */
    private final long[] possible;
    /** With bucket spray, by link: the least and the most that it can have of the bucket. */
    private final int[] leastLoad;
    private final int[] mostLoad;
    /** Tokens seen in a slot. */
    private final int[] riders = new int[2];
    /** Phase of the link that the node sends on, and the neighbour there. */
    private int phase;
    private int peer;
    /** The cell of this slot that owes a token, null for none. */
    private HeldCell owing;

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
        super(shale, names, node, rules, log);
        this.rules = rules;
        this.held = new HeldCells(schedule);
        this.tokens = new TokenBooks(shale);
        this.spraying = shale.mechanisms().spraying();
        final TieRule rule = shale.mechanisms().ties();
        this.ties = rule == TieRule.DRAWN || spraying != SprayRule.SHORTEST_QUEUE ? null : rule.choice(shale, 1);
        this.possible = new long[schedule.linkWords()];
        this.leastLoad = new int[linksPerPhase];
        this.mostLoad = new int[linksPerPhase];
    }

    @Override
    public int links() {
        return schedule.epochSlots();
    }

    /**
     * Begins in mid-run, before the first step: sequence numbers are learnt from the first cell of each flow. What the
     * device holds, has spent and owes is told by {@link #hold}, {@link #setSpent} and {@link #owe}, or is learnt while
     * the run goes on; then findings of the first slots say nothing, see {@link FindingLog#forget}.
     */
    @Override
    public void beginAt(final long first) {
        slot = first;
        Arrays.fill(next, UNKNOWN);
    }

    /**
     * The device holds a cell, behind the ones told before.
     *
     * @param ofLink position in the epoch of the link whose queue it is in.
     * @param bucket the bucket that it will be in after its next hop.
     * @param back   position in the epoch of the link back to the neighbour it came from.
     * @param owed   the bucket that it is in now.
     */
    public void hold(final long cell, final int ofLink, final int bucket, final int back, final int owed) {
        held.add(ofLink / linksPerPhase, ofLink, new HeldCell(cell, bucket, Route.bucketDestination(bucket), back,
            owed));
    }

    /** The device has spent tokens of a bucket on a link that have not come back. */
    public void setSpent(final int ofLink, final int bucket, final int count) {
        tokens.setSpent(ofLink, bucket, count);
    }

    /** The device owes a token on a link, after the ones told before. */
    public void owe(final int ofLink, final int bucket) {
        tokens.owe(ofLink, bucket);
    }

    /** The sequence number of the next cell of a flow of {@link CellNames#flow}. */
    public void setNext(final int flow, final long sequence) {
        next[flow] = sequence;
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
        Bounds.refuseIf(open() > 0, "the link of a cell is not known yet, follow on: open=", open());
        return new FollowedRegisters();
    }

    @Override
    public int held() {
        return held.size;
    }

    @Override
    public int open() {
        return held.open;
    }

    @Override
    public int mostOpen() {
        return held.mostOpen;
    }

    /** Tokens of a bucket that are spent and not returned. */
    public int spent(final int ofLink, final int bucket) {
        return tokens.spent(ofLink, bucket);
    }

    /** Compares a register of the device after a slot: the cells it holds for others. */
    public void expectHeld(final int seen) {
        if (rules.ahead(seen, held()) != 0) {
            find(Law.CONSERVATION, slot - 1, 0, NO_BUCKET, held() + " cells held", seen + " held");
        }
    }

    /** Compares a register of the device after a slot: the cells in the queue of a link. */
    public void expectLength(final int ofLink, final int seen) {
        final int least = held.least(ofLink);
        final int ahead = rules.ahead(seen, least);
        if (ahead < 0 || ahead > held.most(ofLink) - least) {
            find(Law.CONSERVATION, slot - 1, ofLink, NO_BUCKET, "a queue of " + least
                + (held.open == 0 ? "" : " to " + held.most(ofLink)), "one of " + seen);
        }
    }

    /** Compares a register of the device after a slot: tokens of a bucket left on a link. It is then taken over. */
    public void expectTokensLeft(final int ofLink, final int bucket, final int seen) {
        final int left = shale.budget(bucket) - spent(ofLink, bucket);
        if (rules.ahead(seen, left) != 0) {
            find(Law.TOKEN, slot - 1, ofLink, bucket, left + " tokens left", seen + " left");
            setSpent(ofLink, bucket, spent(ofLink, bucket) - rules.ahead(seen, left));
        }
    }

    /** What the node receives: cells that it has to queue, tokens that come back (docs/spec/shale.md §5.4). */
    @Override
    void received(final int ofPhase, final long route, final long cell, final long feedback, final int joined) {
        if (InFlightCells.isCell(route)) {
            final int bucket = Route.bucket(route);
            if (!shale.isBucket(bucket) || !names.exists(cell)) {
                findForeign("a cell of this fabric to arrive", route, cell);
            } else if (Route.bucketDestination(bucket) != node) {
                queue(ofPhase, route, cell, joined);
            }
        }
        takeBack((int) feedback);
        takeBack((int) (feedback >>> Integer.SIZE));
    }

    private void takeBack(final int bucket) {
        if (bucket != Admission.NO_NOTICE && !(shale.isBucket(bucket) && tokens.takeBack(link, bucket))) {
            find(Law.TOKEN, bucket, "no token to arrive, as none is out", token(bucket));
        }
    }

    private void queue(final int ofPhase, final long route, final long cell, final int joined) {
        final int bucket = Route.bucket(route);
        final int destination = Route.bucketDestination(bucket);
        final int sprays = Route.sprays(bucket);
        final int to = sprays > 0 ? (ofPhase + 1) % schedule.phases()
            : schedule.coordinates().nextDifference(node, destination, ofPhase);
        final HeldCell arrived = new HeldCell(cell, Route.bucket(destination, Math.max(0, sprays - 1)), destination,
            link, bucket);
        arrived.sent = Route.sentSlot(route);
        if (held.find(to, cell) != null) {
            find(Law.CONSERVATION, bucket, "each cell to arrive once", text(cell, bucket) + " again");
        }
        checkRoom(bucket);
        if (sprays == 0) {
            direct(to, arrived, joined);
        } else {
            spray(to, arrived, joined);
        }
    }

    /** What is held of the bucket from a neighbour, and its tokens that wait, are below the budget (§5.5 I1). */
    private void checkRoom(final int bucket) {
        int count = tokens.owed(link, bucket);
        for (int of = 0; of < schedule.phases(); of++) {
            for (final HeldCell at : held.of(of)) {
                count += at.owedLink == link && at.owedBucket == bucket ? 1 : 0;
            }
        }
        if (count >= shale.budget(bucket)) {
            find(Law.CAPACITY, bucket, "at most " + shale.budget(bucket)
                + " cells of a bucket and tokens owed for it", "a cell beside " + count);
        }
    }

    private void direct(final int to, final HeldCell arrived, final int joined) {
        final int only = to * linksPerPhase + schedule.linkTowards(node, arrived.destination, to);
        if (joined != UNTOLD && joined != only) {
            find(Law.ROUTE, slot, joined, arrived.owedBucket, text(arrived) + " to join link " + only,
                "link " + joined);
        }
        hold(to, onPhase(joined, to) ? joined : only, arrived);
    }

    /** A cell joins a queue if there is room. */
    private void hold(final int to, final int ofLink, final HeldCell arrived) {
        if (held.least(ofLink) >= rules.queue().places()) {
            if (rules.queue().drops()) {
                return;
            }
            find(Law.CAPACITY, slot, ofLink, arrived.owedBucket, "at most " + rules.queue().places()
                + " cells to wait for the link", "one more");
        }
        held.add(to, ofLink, arrived);
    }

    private boolean onPhase(final int joined, final int of) {
        return joined >= 0 && joined / linksPerPhase == of;
    }

    private void spray(final int to, final HeldCell arrived, final int joined) {
        final int count = spraying == SprayRule.LEAST_BUCKET ? listLeastBucket(to, arrived) : listPossible(to);
        final int first = to * linksPerPhase;
        int only = -1;
        boolean legal = false;
        if (ties != null) {
            only = ties.among(node, 0, to, possible, count, 0);
            legal = joined == first + only;
        } else if (onPhase(joined, to)) {
            legal = (possible[(joined - first) / Long.SIZE] >>> joined - first & 1) != 0;
        } else if (count == 1) {
            only = Long.numberOfTrailingZeros(possible[0]);
            for (int word = 1; possible[word - 1] == 0; word++) {
                only = word * Long.SIZE + Long.numberOfTrailingZeros(possible[word]);
            }
        }
        if (joined != UNTOLD && !legal) {
            find(Law.ROUTE, slot, joined, arrived.owedBucket, text(arrived) + " to join " + (only >= 0
                ? "link " + (first + only) : "a shortest queue of phase " + to), "link " + joined);
        }
        if (onPhase(joined, to)) {
            hold(to, joined, arrived);
        } else if (only >= 0) {
            hold(to, first + only, arrived);
        } else {
            held.add(to, possible, arrived);
        }
    }

    /**
     * The same with bucket spray: a link may not be taken where another one surely has less of the bucket, or has
     * no more and a shorter queue.
     */
    private int listLeastBucket(final int to, final HeldCell arrived) {
        final int first = to * linksPerPhase;
        for (int of = 0; of < linksPerPhase; of++) {
            leastLoad[of] = tokens.spent(first + of, arrived.next);
            mostLoad[of] = leastLoad[of];
        }
        for (final HeldCell at : held.of(to)) {
            for (int of = 0; of < linksPerPhase && at.next == arrived.next; of++) {
                // A cell on its last hop is in no bucket.
                final int one = at.mayBeAt(of, first + of) && peer(first + of) != at.destination ? 1 : 0;
                leastLoad[of] += at.link == HeldCell.OPEN ? 0 : one;
                mostLoad[of] += one;
            }
        }
        return list(of -> mayBeLeast(first, of));
    }

    private boolean mayBeLeast(final int first, final int of) {
        for (int other = 0; other < linksPerPhase; other++) {
            if (mostLoad[other] < leastLoad[of]
                || mostLoad[other] == leastLoad[of] && held.most(first + other) < held.least(first + of)) {
                return false;
            }
        }
        return true;
    }

    /** Lists the links of a phase that a spraying hop may take; returns how many. */
    private int listPossible(final int to) {
        final int bound = spraying == SprayRule.SHORTEST_QUEUE ? held.shortest(to) : Integer.MAX_VALUE;
        return list(of -> held.least(to * linksPerPhase + of) <= bound);
    }

    private int list(final IntPredicate may) {
        int count = 0;
        Arrays.fill(possible, 0);
        for (int of = 0; of < linksPerPhase; of++) {
            if (may.test(of)) {
                possible[of / Long.SIZE] |= 1L << of;
                count++;
            }
        }
        return count;
    }

    /** What the node sends: whether it might, and what follows from it (docs/spec/shale.md §5.3). */
    @Override
    void sent(final long route, final long cell, final long feedback) {
        phase = link / linksPerPhase;
        peer = peer(link);
        if (route == InFlightCells.SILENCE) {
            if (!rules.mayBeSilent()) {
                find(Law.SCHEDULE, NO_BUCKET, "a cell or a dummy", "nothing");
                checkQueue(null, "nothing");
            }
            return;
        }
        if (!InFlightCells.isCell(route)) {
            checkQueue(null, "a dummy");
        } else if (!shale.isBucket(Route.bucket(route)) || !names.exists(cell)) {
            findForeign("a cell of this fabric", route, cell);
        } else if (names.source(cell) == node) {
            sendLocal(cell, Route.bucket(route));
        } else {
            sendHeld(cell, Route.bucket(route));
        }
        checkTokens((int) feedback, (int) (feedback >>> Integer.SIZE));
        checkOwed();
    }

    private String text(final HeldCell cell) {
        return text(cell.cell, cell.next);
    }

    /**
     * No cell that came before {@code sent}, null for none at all, may have been able to leave. Open cells that
     * might have gone are then not here.
     *
     * @return false if one was known to be here.
     */
    private boolean checkQueue(final HeldCell sent, final String seen) {
        for (final HeldCell at : held.of(phase)) {
            if (at == sent) {
                return true;
            }
            if (isHere(at) && mayLeave(at)) {
                if (at.link != HeldCell.OPEN) {
                    find(Law.ORDER, at.owedBucket, text(at), seen);
                    return false;
                }
                held.exclude(phase, at, link);
            }
        }
        return true;
    }

    private boolean isHere(final HeldCell cell) {
        return cell.mayBeAt(link - phase * linksPerPhase, link);
    }

    /** Whether a cell may leave: its hop is final or there is a token. */
    private boolean mayLeave(final HeldCell cell) {
        return (cell.destination == peer || has(cell.next)) && !stalls(cell);
    }

    private boolean has(final int bucket) {
        return tokens.spent(link, bucket) < shale.budget(bucket);
    }

    /** Whether a cell waits because the token that it would owe has no room. */
    private boolean stalls(final HeldCell cell) {
        return rules.owed().full() == Full.STALL && tokens.waiting(cell.owedLink) >= rules.owed().places();
    }

    private void sendLocal(final long cell, final int bucket) {
        final String seen = text(cell, bucket);
        final int expected = Route.bucket(names.destination(cell), schedule.phases() - 1);
        if (bucket != expected) {
            find(Law.ROUTE, bucket, text(cell, expected), seen);
        } else if (isNext(cell, bucket, seen) && checkQueue(null, seen)) {
            checkPaid(bucket, names.destination(cell), seen);
        }
        if (!leftBefore(cell)) {
            advance(cell);
        }
        spend(bucket, Route.bucketDestination(bucket));
    }

    private void checkPaid(final int bucket, final int destination, final String seen) {
        if (destination != peer && !has(bucket)) {
            find(Law.TOKEN, bucket, "no cell that needs a token, as " + tokens.spent(link, bucket) + " of "
                + shale.budget(bucket) + " are out", seen);
        }
    }

    private void spend(final int bucket, final int destination) {
        if (destination != peer) {
            tokens.setSpent(link, bucket, tokens.spent(link, bucket) + 1);
        }
    }

    private void sendHeld(final long cell, final int bucket) {
        final String seen = text(cell, bucket);
        HeldCell sent = held.find(phase, cell);
        if (sent == null) {
            sent = sendStranger(cell, bucket, seen);
        } else if (!isHere(sent)) {
            find(Law.ROUTE, sent.owedBucket, text(sent) + " on " + (sent.link == HeldCell.OPEN
                ? "another link" : "link " + sent.link), seen);
        } else if (bucket != sent.next) {
            find(Law.ROUTE, sent.owedBucket, text(sent), seen);
        } else if (rules.freeOrder() || checkQueue(sent, seen)) {
            checkPaid(bucket, sent.destination, seen);
        }
        if (sent == null) {
            spend(bucket, Route.bucketDestination(bucket));
            return;
        }
        if (stalls(sent)) {
            find(Law.CAPACITY, slot, sent.owedLink, sent.owedBucket,
                "no cell that owes a token on a link with " + rules.owed().places() + " waiting", seen);
        }
        held.settle(phase, sent, link);
        held.remove(phase, sent);
        spend(sent.next, sent.destination);
        tokens.owe(sent.owedLink, sent.owedBucket);
        owing = sent;
    }

    /** After the tokens of a slot have gone: whether the one that the cell owes has room. */
    private void checkOwed() {
        if (owing != null && rules.owed().full() != Full.STALL
            && tokens.waiting(owing.owedLink) > rules.owed().places()) {
            if (rules.owed().drops()) {
                tokens.dropLast(owing.owedLink);
            } else {
                find(Law.CAPACITY, slot, owing.owedLink, owing.owedBucket, "at most " + rules.owed().places()
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
        for (int other = 0; other < schedule.phases(); other++) {
            final HeldCell elsewhere = other == phase ? null : held.find(other, cell);
            if (elsewhere != null) {
                find(Law.ROUTE, elsewhere.owedBucket, text(elsewhere) + " in phase " + other, seen);
                held.settle(other, elsewhere, other * linksPerPhase);
                held.remove(other, elsewhere);
                tokens.owe(elsewhere.owedLink, elsewhere.owedBucket);
                return null;
            }
        }
        for (final HeldCell at : held.of(phase)) {
            if (at.next == bucket && isHere(at) && mayLeave(at)) {
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
            find(Law.TOKEN, first, "tokens " + token(first) + " " + token(second), token(seen1) + " " + token(seen2));
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
        if (!shale.isBucket(rider)) {
            find(Law.TOKEN, NO_BUCKET, "a token of this fabric", "0x" + Integer.toHexString(rider));
        } else if (!tokens.takeLate(link, rider)) {
            if (tokens.takeOwed(link, rider)) {
                if (complete) {
                    find(Law.TOKEN, rider, "tokens in the order they are owed", token(rider));
                }
                return;
            }
            final int elsewhere = tokens.takeElsewhere(rider);
            find(Law.TOKEN, rider, elsewhere < 0 ? "no token that is not owed" : "token " + token(rider)
                + " on link " + elsewhere, token(rider));
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
        find(Law.TOKEN, owed, "token " + token(owed) + " to ride", "it does not");
        tokens.missed(link, owed);
        return false;
    }

    /** The registers of the node as it was when they were asked for. */
    private final class FollowedRegisters implements NodeRegisters {
        private final Map<String, long[]> words = new LinkedHashMap<>();

        FollowedRegisters() {
            for (int flow = 0; flow < next.length; flow++) {
                if (next[flow] > 0) {
                    words.put("flow" + flow + "_sent", new long[] {next[flow]});
                }
            }
            for (int of = 0; of < links(); of++) {
                words.put("queue" + of + "_cells", cells(of));
                words.put("queue" + of + "_owed_tokens", tokens.owed(of));
                for (int destination = 0; destination < shale.nodes(); destination++) {
                    for (int sprays = 0; sprays < schedule.phases(); sprays++) {
                        words.put("queue" + of + "_outstanding_d" + destination + "n" + sprays,
                            new long[] {spent(of, Route.bucket(destination, sprays))});
                    }
                }
            }
        }

        private long[] cells(final int of) {
            final List<Long> cells = new ArrayList<>();
            for (final HeldCell at : held.of(of / linksPerPhase)) {
                if (at.link == of) {
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
            Bounds.refuseIf(found == null, "no such register: name=", name);
            return found.clone();
        }

        @Override
        public void set(final String name, final long... values) {
            throw new IllegalArgumentException("a follower learns from what it sees: name=" + name);
        }

        @Override
        public void begin(final long first) {
            throw new IllegalArgumentException("a follower begins at a slot by beginAt: slot=" + first);
        }
    }
}
