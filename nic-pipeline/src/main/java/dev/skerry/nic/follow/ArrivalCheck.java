package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.schedule.Coordinates;

import java.util.Arrays;

/** What a followed node receives: cells that it has to queue, tokens that come back (docs/spec/shale.md §5.4). */
final class ArrivalCheck {
    private final FollowedNode state;
    private final HeldCells held;
    private final TokenBooks tokens;
    private final int linksPerPhase;
    /** Links of a phase that a spraying hop may take. */
    private final long[] possible;
    /** With bucket spray, by link: the least and the most that it can have of the bucket. */
    private final int[] leastLoad;
    private final int[] mostLoad;

    /** Room for the cells that wait for a link. */
    private final FollowRules.Room room;

    ArrivalCheck(final FollowedNode state, final FollowRules rules) {
        this.state = state;
        this.room = rules.queue();
        this.held = state.held;
        this.tokens = state.tokens;
        this.linksPerPhase = state.schedule.linksPerPhase();
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
            if (!state.isBucket(bucket) || !state.names.exists(cell)) {
                state.find(Law.ROUTE, slot, back, Finding.NO_BUCKET, "a cell of this fabric to arrive", "route 0x"
                    + Long.toHexString(route) + " cell 0x" + Long.toHexString(cell));
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
            state.find(Law.TOKEN, slot, back, bucket, "no token to arrive, as none is out", CellText.token(bucket));
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
                CellText.cell(state.names, cell, bucket) + " again");
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
            state.find(Law.ROUTE, slot, joined, arrived.owedBucket, CellText.cell(state.names, arrived.cell,
                arrived.next) + " to join link " + link, "link " + joined);
        }
        hold(slot, phase, onPhase(joined, phase) ? joined : link, arrived);
    }

    /** A cell joins a queue if there is room. */
    private void hold(final long slot, final int phase, final int link, final HeldCell arrived) {
        if (held.least(link) >= room.places()) {
            if (room.drops()) {
                return;
            }
            state.find(Law.CAPACITY, slot, link, arrived.owedBucket, "at most " + room.places()
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
            state.find(Law.ROUTE, slot, joined, arrived.owedBucket, CellText.cell(state.names, arrived.cell,
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
     * The same with bucket spray: a link may not be taken where another one surely has less of the bucket, or has no
     * more and a shorter queue.
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
                final int one = at.mayBeAt(link, first + link) && state.peer(first + link) != at.destination ? 1 : 0;
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
