package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FirstSlots.Other;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
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
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Follows a Shale node of another design with hop-by-hop congestion control. The follower adopts every legal choice of
 * the device: the link of a spraying hop, which local flow is next, and whether it sends a local cell at all. Illegal
 * behaviour becomes a {@link Finding}; the follower adopts what the device did as far as possible, and continues.
 *
 * <p>In a slot a node first sends and then receives, as a {@code NodeModel} does, unless {@link Setting#RECEIVE_FIRST}
 * is set. A probe gives the link that a cell joins in the slot of its arrival; otherwise the link is open until it is
 * seen, see {@link HeldCells}. What is not seen cannot violate a law: a device may hold back its local cells.
 *
 * <p>A step is linear in the number of held cells, and with bucket spray in the links of a phase. Not thread-safe.
 */
public final class NodeFollower extends FollowedNode {
    private static final int WORDS = 3;
    private static final Pattern REGISTER = Pattern.compile(
        "cells_held|queue(\\d{1,6})_(?:length|(tokens|outstanding)_d(\\d{1,7})n(\\d))");
    /** Number of slots for which a cell that left is remembered. */
    private static final int REMEMBERED = 512;
    private final FollowRules rules;
    private final HeldCells held;
    private final TokenBooks tokens;
    /** Rule by which the device must choose among equally short links; null if it may take any of them. */
    private final LinkChoice ties;
    private final SprayRule spraying;
    /** Links of a phase that a spraying hop may take. */
    private final long[] possible;
    /** With bucket spray, by link: minimum and maximum number of cells and tokens of the bucket. */
    private final int[] leastLoad;
    private final int[] mostLoad;
    /** Tokens seen in the current slot. */
    private final int[] riders = new int[2];
    /** Phase of the link that the node sends on, and the neighbour there. */
    private int phase;
    private int peer;
    /** Number of cells that wait here for a token, ahead of what leaves in this slot. */
    private int blocked;
    /** Cell sent in this slot that owes a token; null if there is none. */
    private HeldCell owing;
    private final int owedPlaces;
    private final int queuePlaces;
    private final int tokensASlot;
    private final int silence;
    private final int scanDepth;
    private final int owedLatency;
    private final int tokenDelay;
    private final int cellDelay;
    /** Route, cell and feedback words that arrived in recent slots, by slot modulo the longer delay plus one. */
    private final long[] arrived;
    /** By link: number of consecutive silent turns in which a token or a known cell could leave. */
    private final int[] silent;
    private final int saturated;
    /** Destinations of all local cells so far. */
    private final BitSet served = new BitSet();
    /** By link, bucket and outstanding tokens: how often a local cell of the bucket was passed over. */
    private final Map<Passed, Integer> passed = new HashMap<>();
    /** Cells that left, by slot modulo {@link #REMEMBERED}; -1 if none did. */
    private final long[] left = new long[REMEMBERED];

    private record Passed(int link, int bucket, int away) {
    }

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param shale fabric of the device. Its congestion control is hop-by-hop with random, shortest-queue or bucket
     *              spraying. The device must obey its rule for ties unless it is {@code TieRule.DRAWN}.
     * @param names interpretation of the cell words.
     * @param node  id of the node.
     * @param rules what the device may do in addition.
     * @param log   receives the findings; several nodes may share one.
     * @throws IllegalArgumentException if the fabric has absent nodes, other congestion control or no such node.
     */
    public NodeFollower(final Shale shale, final CellNames names, final int node, final FollowRules rules,
        final FindingLog log) {
        super(shale, names, node, rules, log);
        this.rules = rules;
        this.owedPlaces = rules.get(Setting.OWED_FIFO);
        this.queuePlaces = rules.get(Setting.QUEUE_CELLS);
        this.tokensASlot = rules.get(Setting.TOKENS_A_SLOT);
        this.silence = rules.get(Setting.SILENCE);
        this.scanDepth = rules.get(Setting.SCAN_DEPTH);
        this.owedLatency = rules.get(Setting.OWED_LATENCY);
        this.tokenDelay = rules.get(Setting.TOKEN_DELAY);
        this.cellDelay = rules.get(Setting.CELL_DELAY);
        this.arrived = new long[WORDS * (Math.max(tokenDelay, cellDelay) + 1)];
        Arrays.fill(arrived, InFlightCells.NO_CELL);
        this.saturated = rules.get(Setting.SATURATED);
        Arrays.fill(left, -1);
        this.silent = new int[schedule.epochSlots()];
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
     * Starts at a slot other than 0, before the first step. Sequence numbers come from the first cell of each flow. Set
     * what the device holds, has spent and owes with {@link #hold}, {@link #setSpent} and {@link #owe}; otherwise it is
     * reconstructed from the run, and findings of the first slots are meaningless, see {@link FindingLog#forget}.
     */
    @Override
    public void beginAt(final long first) {
        slot = first;
        Arrays.fill(next, UNKNOWN);
    }

    /**
     * Adds a cell that the device holds, behind those added before.
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

    /** Sets the number of tokens of a bucket that the device has spent on a link and that have not returned. */
    public void setSpent(final int ofLink, final int bucket, final int count) {
        tokens.setSpent(ofLink, bucket, count);
    }

    /** Adds a token that the device owes on a link, behind those added before. */
    public void owe(final int ofLink, final int bucket) {
        tokens.owe(ofLink, bucket, slot);
    }

    /** Sets the sequence number of the next cell of a flow, see {@link CellNames#flow}. */
    public void setNext(final int flow, final long sequence) {
        next[flow] = sequence;
    }

    /**
     * Returns the reconstructed state of the device, under the register names of a {@code NodeModel}. Copy it into a
     * new model to continue from the next slot. The pointers of local flows are not known. Registers can be read only
     * while no cell is open.
     *
     * <p>Setting a register compares the value with that of the device after the last slot: {@code cells_held}, {@code
     * queue3_length}, {@code queue3_tokens_d5n1} (tokens left) or {@code queue3_outstanding_d5n1} (tokens spent).
     */
    @Override
    public NodeRegisters registers() {
        return new FollowedRegisters();
    }

    @Override
    public Stream<Other> others() {
        return NearSettings.of(shale, rules).stream().map(near -> {
            final FindingLog found = new FindingLog(1);
            final NodeFollower other = new NodeFollower(near.shale(), names, node, near.rules(), found);
            return new Other(near.setting(), (sent, received) -> other.step(other.slot(), received[0], sent[0]), found);
        });
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

    /** Returns the number of tokens of a bucket that are spent and not returned. */
    public int spent(final int ofLink, final int bucket) {
        return tokens.spent(ofLink, bucket);
    }

    /** Compares a register of the device after a slot: the number of cells of other nodes that it holds. */
    public void expectHeld(final int seen) {
        if (rules.ahead(seen, held()) != 0) {
            find(Law.CONSERVATION, slot - 1, 0, NO_BUCKET, held() + " cells held", seen + " held");
        }
    }

    /** Compares a register of the device after a slot: the length of a link's queue. */
    public void expectLength(final int ofLink, final int seen) {
        final int least = held.least(ofLink);
        final int ahead = rules.ahead(seen, least);
        if (ahead < 0 || ahead > held.most(ofLink) - least) {
            find(Law.CONSERVATION, slot - 1, ofLink, NO_BUCKET, "a queue of " + least
                + (held.open == 0 ? "" : " to " + held.most(ofLink)), "one of " + seen);
        }
    }

    /** Compares a register of the device after a slot, the tokens of a bucket left on a link, and adopts its value. */
    public void expectTokensLeft(final int ofLink, final int bucket, final int seen) {
        final int left = shale.budget(bucket) - spent(ofLink, bucket);
        if (rules.ahead(seen, left) != 0) {
            find(Law.TOKEN, slot - 1, ofLink, bucket, left + " tokens left", seen + " left");
            setSpent(ofLink, bucket, spent(ofLink, bucket) - rules.ahead(seen, left));
        }
    }

    /** Processes what the node receives: cells to be queued, and returned tokens (docs/spec/shale.md §5.4). */
    @Override
    void received(final int ofPhase, final long route, final long cell, final long feedback, final int joined) {
        final int at = (int) (slot * WORDS % arrived.length);
        arrived[at] = route;
        arrived[at + 1] = cell;
        arrived[at + 2] = feedback;
        takeCell(slot - cellDelay, joined);
        takeTokens(slot - tokenDelay);
    }

    private void takeCell(final long came, final int joined) {
        final int at = Math.floorMod(came * WORDS, arrived.length);
        final long route = arrived[at];
        final long cell = arrived[at + 1];
        if (InFlightCells.isCell(route)) {
            link = back(came - shale.propagationSlots());
            final int bucket = Route.bucket(route);
            if (!shale.isBucket(bucket) || !names.exists(cell)) {
                findForeign("a cell of this fabric to arrive", route, cell);
            } else if (Route.bucketDestination(bucket) != node) {
                queue(link / linksPerPhase, route, cell, joined);
            }
        }
    }

    private void takeTokens(final long came) {
        final long feedback = arrived[Math.floorMod(came * WORDS, arrived.length) + 2];
        if (feedback != InFlightCells.NO_FEEDBACK) {
            link = back(came - shale.propagationSlots());
            takeBack((int) feedback);
            takeBack((int) (feedback >>> Integer.SIZE));
        }
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

    /** Checks that cells held of a bucket from a neighbour, plus its owed tokens, are below the budget (§5.5 I1). */
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
        points.held(bucket, count + 1);
    }

    private void direct(final int to, final HeldCell arrived, final int joined) {
        final int only = to * linksPerPhase + schedule.linkTowards(node, arrived.destination, to);
        if (joined != UNTOLD && joined != only) {
            find(Law.ROUTE, slot, joined, arrived.owedBucket, text(arrived) + " to join link " + only,
                "link " + joined);
        }
        hold(to, onPhase(joined, to) ? joined : only, arrived);
    }

    /** Adds a cell to a queue if there is room. */
    private void hold(final int to, final int ofLink, final HeldCell arrived) {
        if (held.least(ofLink) >= queuePlaces) {
            if (rules.full() == Full.DROP) {
                return;
            }
            find(Law.CAPACITY, slot, ofLink, arrived.owedBucket, "at most " + queuePlaces
                + " cells to wait for the link", "one more");
        }
        held.add(to, ofLink, arrived);
    }

    private boolean onPhase(final int joined, final int of) {
        return joined >= 0 && joined / linksPerPhase == of;
    }

    private void spray(final int to, final HeldCell arrived, final int joined) {
        final int count = spraying == SprayRule.LEAST_BUCKET ? listLeastBucket(to, arrived) : listPossible(to);
        points.links(count);
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
     * Lists the links that a spraying hop may take with bucket spray: all except links for which another link certainly
     * has less of the bucket, or has no more of it and a shorter queue. Returns how many there are.
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

    /** Lists the links of a phase that a spraying hop may take; returns how many there are. */
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

    /** Checks what the node sends, and updates the state (docs/spec/shale.md §5.3). */
    @Override
    void sent(final long route, final long cell, final long feedback) {
        phase = link / linksPerPhase;
        peer = peer(link);
        final boolean isLocal = isLocal(route, cell);
        points.queue(held.most(link));
        blocked = 0;
        left[(int) (slot % REMEMBERED)] = InFlightCells.isCell(route) ? cell : -1;
        if (saturated > 0 && (isLocal || route == InFlightCells.NO_CELL
            || route == InFlightCells.SILENCE && held.of(phase).stream().noneMatch(at -> isHere(at) && mayLeave(at)))) {
            checkPassed(isLocal ? names.destination(cell) : -1);
        }
        if (route == InFlightCells.SILENCE) {
            checkSilence();
            return;
        }
        silent[link] = 0;
        if (!InFlightCells.isCell(route)) {
            checkQueue(null, "a dummy");
        } else if (!shale.isBucket(Route.bucket(route)) || !names.exists(cell)) {
            findForeign("a cell of this fabric", route, cell);
        } else if (isLocal) {
            sendLocal(cell, Route.bucket(route));
        } else {
            sendHeld(cell, Route.bucket(route));
        }
        points.left(route, isLocal, blocked > 0);
        checkTokens((int) feedback, (int) (feedback >>> Integer.SIZE));
        checkOwed();
    }

    /**
     * Handles a turn without a forwarded cell: all destinations but {@code taken} are passed over. One that is passed
     * over {@link #saturated} times with the same number of outstanding tokens shows that a token was lost.
     */
    private void checkPassed(final int taken) {
        for (int to = served.nextSetBit(0); to >= 0; to = served.nextSetBit(to + 1)) {
            final int bucket = Route.bucket(to, schedule.phases() - 1);
            final int away = tokens.spent(link, bucket);
            if (to == taken) {
                for (int fewer = 0; fewer <= away; fewer++) {
                    passed.remove(new Passed(link, bucket, fewer));
                }
            } else if (to != peer && away < shale.budget(bucket)
                && passed.merge(new Passed(link, bucket, away), 1, Integer::sum) >= saturated) {
                passed.remove(new Passed(link, bucket, away));
                find(Law.TOKEN, bucket, "a local cell to " + token(bucket) + " in " + saturated
                    + " turns, as " + away + " of " + shale.budget(bucket) + " tokens are out", "none");
            }
        }
        if (taken >= 0) {
            served.set(taken);
        }
    }

    /** Handles a silent turn. If silence is permitted, only too many turns with something to send are a finding. */
    private void checkSilence() {
        if (silence == 0) {
            find(Law.SCHEDULE, NO_BUCKET, "a cell or a dummy", "nothing");
            checkQueue(null, "nothing");
            return;
        }
        final int owed = tokens.peek(link, slot);
        HeldCell known = null;
        HeldCell open = null;
        int ahead = 0;
        for (final HeldCell at : held.of(phase)) {
            if (known == null && isHere(at) && ahead++ < scanDepth && mayLeave(at)) {
                known = at.link == HeldCell.OPEN ? null : at;
                open = open == null && known == null ? at : open;
            }
        }
        final String turns = "nothing in " + silence + " turns in which it could";
        silent[link] = owed < 0 && known == null ? 0 : silent[link] + 1;
        if (silent[link] >= silence) {
            silent[link] = 0;
            find(Law.SCHEDULE, owed >= 0 ? owed : known.owedBucket, owed >= 0 ? "token " + token(owed) + " to ride"
                : text(known) + " to leave", turns);
        }
        // An open cell leaves before all later ones, whichever link it is on.
        if (open != null && !rules.is(Setting.FREE_ORDER)
            && open.isOverdue(link - phase * linksPerPhase, phase * linksPerPhase, linksPerPhase, silence)) {
            find(Law.SCHEDULE, open.owedBucket, text(open) + " to leave", turns);
        }
    }

    private String text(final HeldCell cell) {
        return text(cell.cell, cell.next);
    }

    /**
     * Checks that no cell that arrived before {@code sent} (null if no held cell leaves) could have left, among the
     * cells at which the device looks. Open cells that could have left are then not on this link.
     *
     * @return false if a cell that could have left is known to be on this link.
     */
    private boolean checkQueue(final HeldCell sent, final String seen) {
        blocked = 0;
        for (final HeldCell at : held.of(phase)) {
            if (at == sent || blocked >= scanDepth) {
                return true;
            }
            if (isHere(at) && !mayLeave(at)) {
                blocked++;
            } else if (isHere(at)) {
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

    /** Whether a cell may leave: its hop is final or a token is available, and it does not stall. */
    private boolean mayLeave(final HeldCell cell) {
        return (cell.destination == peer || has(cell.next)) && !stalls(cell);
    }

    private boolean has(final int bucket) {
        return tokens.spent(link, bucket) < shale.budget(bucket);
    }

    /** Whether a cell waits because there is no room for the token that it would owe. */
    private boolean stalls(final HeldCell cell) {
        return rules.full() == Full.STALL && tokens.waiting(cell.owedLink) >= owedPlaces;
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
        points.hop(-1, names.destination(cell) == peer);
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
            points.spent(bucket, tokens.spent(link, bucket));
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
        } else if (rules.is(Setting.FREE_ORDER) || checkQueue(sent, seen)) {
            checkPaid(bucket, sent.destination, seen);
        }
        if (sent == null) {
            spend(bucket, Route.bucketDestination(bucket));
            return;
        }
        if (stalls(sent)) {
            find(Law.CAPACITY, slot, sent.owedLink, sent.owedBucket,
                "no cell that owes a token on a link with " + owedPlaces + " waiting", seen);
        }
        points.taken(link, sent.lowest);
        points.hop(Route.sprays(sent.owedBucket), sent.destination == peer);
        held.settle(phase, sent, link);
        held.remove(phase, sent);
        spend(sent.next, sent.destination);
        tokens.owe(sent.owedLink, sent.owedBucket, slot + owedLatency);
        owing = sent;
    }

    /** Checks that the token owed for the cell of this slot has room after the tokens of the slot have left. */
    private void checkOwed() {
        if (owing != null && rules.full() != Full.STALL && tokens.waiting(owing.owedLink) > owedPlaces) {
            if (rules.full() == Full.DROP) {
                tokens.dropLast(owing.owedLink);
            } else {
                find(Law.CAPACITY, slot, owing.owedLink, owing.owedBucket, "at most " + owedPlaces
                    + " tokens to wait for the link", "one more");
            }
        }
        owing = null;
    }

    /**
     * Handles a departing cell that is not held for the phase. If it is held for another phase, it left too early. If
     * it left before, it is a duplicate. If a cell of its bucket should have left, the device has sent that cell under
     * another name.
     *
     * @return the held cell of this phase that has left in its place, null if there is none.
     */
    private HeldCell sendStranger(final long cell, final int bucket, final String seen) {
        for (int other = 0; other < schedule.phases(); other++) {
            final HeldCell elsewhere = other == phase ? null : held.find(other, cell);
            if (elsewhere != null) {
                find(Law.ROUTE, elsewhere.owedBucket, text(elsewhere) + " in phase " + other, seen);
                held.settle(other, elsewhere, other * linksPerPhase);
                held.remove(other, elsewhere);
                tokens.owe(elsewhere.owedLink, elsewhere.owedBucket, slot + owedLatency);
                return null;
            }
        }
        for (int ago = 1; ago < REMEMBERED && ago <= slot; ago++) {
            if (left[(int) ((slot - ago) % REMEMBERED)] == cell) {
                find(Law.CONSERVATION, bucket, "a cell that is held", seen + ", which left in slot " + (slot - ago));
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

    /** Checks that tokens leave in the order in which they are owed, two with each cell or dummy, or one. */
    private void checkTokens(final int seen1, final int seen2) {
        final int first = tokens.poll(link, slot);
        final int second = tokensASlot == 1 ? Admission.NO_NOTICE : tokens.poll(link, slot);
        points.rides((first < 0 ? 0 : 1) + (second < 0 ? 0 : 1), tokens.waiting(link));
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
     * Handles a token that is sent out of order.
     *
     * @param complete whether the next tokens are also sent; if not, they may be lost and this token the next one.
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

    /** Removes an owed token from the tokens seen; a token that was not seen is late. */
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

    /** Registers of the followed node. */
    private final class FollowedRegisters implements NodeRegisters {
        private Map<String, long[]> known;

        private Map<String, long[]> words() {
            if (known != null) {
                return known;
            }
            Bounds.refuseIf(held.open > 0, "the link of a cell is not known yet, follow on: open=", held.open);
            final Map<String, long[]> words = new LinkedHashMap<>();
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
            known = words;
            return known;
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
            return List.copyOf(words().keySet());
        }

        @Override
        public long[] get(final String name) {
            final long[] found = words().get(name);
            Bounds.refuseIf(found == null, "no such register: name=", name);
            return found.clone();
        }

        @Override
        public void set(final String name, final long... values) {
            final Matcher parts = REGISTER.matcher(name);
            Bounds.refuseIf(!parts.matches() || values.length != 1 || slot == 0,
                "no register of a device that is compared, after a slot and with one word: name=", name);
            final int seen = (int) values[0];
            if (parts.group(1) == null) {
                expectHeld(seen);
                return;
            }
            final int ofLink = Integer.parseInt(parts.group(1));
            Bounds.refuseIf(ofLink >= links(), "no such link: name=", name);
            if (parts.group(2) == null) {
                expectLength(ofLink, seen);
                return;
            }
            final int bucket = Route.bucket(Integer.parseInt(parts.group(3)), Integer.parseInt(parts.group(4)));
            Bounds.refuseIf(!shale.isBucket(bucket), "no such bucket: name=", name);
            expectTokensLeft(ofLink, bucket, parts.group(2).equals("tokens") ? seen : shale.budget(bucket) - seen);
        }

        @Override
        public void begin(final long first) {
            throw new IllegalArgumentException("a follower begins at a slot by beginAt: slot=" + first);
        }
    }
}
