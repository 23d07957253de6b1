package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Follows a node of Shale with hop-by-hop tokens that guards against failures (docs/spec/shale.md §8). Judged is what
 * holds whatever fails:
 *
 * <ul>
 * <li>The state of a link follows from the cells, probes and silence it brings. One that is down carries no cell, and
 *     one that is up is never silent.
 * <li>A cell of others leaves once, on its way or, after a failure, anew from here. Own cells leave in their order.
 * <li>Tokens are spent within their budget and given back once. Where a neighbour says that a cell is missing, the
 *     tokens of that link are judged again after it was down.
 * </ul>
 *
 * <p>Not judged: which notices a node sends, the order of the cells of others, which of them it drops, and idling.
 *
 * <p>A follower is told when its device is down, see {@link #setDown}. One thread.
 */
public final class FailureFollower extends FollowedNode {
    private final FailingLink[] links;
    /** By cell, as it may come again: where it was when it came. */
    private final Map<Long, ArrayDeque<Waiting>> held = new HashMap<>();
    private int count;
    private boolean down;
    /** Whether the node has ever learnt of a failure: cells may start anew. */
    private boolean troubled;

    /** A cell of others, by the phase in which it came and its bucket then. */
    private record Waiting(int phase, int bucket) {
    }

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param shale fabric of the device, as for {@link NodeFollower}; its rules for failures say when a link is down.
     * @param log   gets the findings; several nodes may have one.
     */
    public FailureFollower(final Shale shale, final CellNames names, final int node, final FindingLog log) {
        super(shale, names, node, FollowRules.STRICT, log);
        this.links = new FailingLink[schedule.epochSlots()];
        Arrays.setAll(links, of -> new FailingLink(shale.failures().missLimit()));
    }

    @Override
    public void setDown(final boolean isDown) {
        down = isDown;
        troubled = true;
        held.clear();
        count = 0;
        Arrays.fill(next, UNKNOWN);
        for (final FailingLink each : links) {
            each.down();
        }
    }

    @Override
    void sent(final long route, final long cell, final long feedback) {
        final FailingLink by = links[link];
        if (down || route == InFlightCells.SILENCE || route == InFlightCells.CONTROL) {
            if (down && route != InFlightCells.SILENCE) {
                find(Law.SCHEDULE, NO_BUCKET, "nothing of a device that is down", slot(names, route, cell));
            } else if (by.state == FailingLink.State.UP) {
                find(Law.SCHEDULE, NO_BUCKET, "a cell or a dummy, as the link is up",
                    route == InFlightCells.SILENCE ? "nothing" : "a probe");
            }
            by.down();
            return;
        }
        if (by.state == FailingLink.State.DOWN) {
            find(Law.SCHEDULE, NO_BUCKET, "a probe or nothing, as the link is down", slot(names, route, cell));
        }
        by.state = FailingLink.State.UP;
        if (InFlightCells.isCell(route)) {
            sendCell(cell, Route.bucket(route));
        }
        giveBack((int) feedback);
        giveBack((int) (feedback >>> Integer.SIZE));
    }

    private void sendCell(final long cell, final int bucket) {
        if (!goesHome(cell, bucket)) {
            find(Law.ROUTE, NO_BUCKET, "a cell of this fabric in a bucket of its destination", "cell 0x"
                + Long.toHexString(cell) + " to " + token(bucket));
            return;
        }
        final ArrayDeque<Waiting> here = held.get(cell);
        if (here != null) {
            final Waiting waiting = here.pollFirst();
            count--;
            if (here.isEmpty()) {
                held.remove(cell);
            }
            if (!isOnItsWay(waiting, bucket) && !(troubled && isFirstHop(bucket))) {
                find(Law.ROUTE, waiting.bucket, "the next hop of a cell that came in bucket "
                    + bucket(waiting.bucket), text(cell, bucket));
            }
        } else if (names.source(cell) == node) {
            sendOwn(cell, bucket);
        } else {
            find(Law.CONSERVATION, bucket, "a cell that is held", text(cell, bucket));
        }
        if (peer(link) != names.destination(cell) && !links[link].spend(bucket, shale.budget(bucket))) {
            find(Law.TOKEN, bucket, "no cell without a token", text(cell, bucket));
        }
    }

    /** Whether there is a cell, in a bucket of its destination. */
    private boolean goesHome(final long cell, final int bucket) {
        return shale.isBucket(bucket) && names.exists(cell)
            && Route.bucketDestination(bucket) == names.destination(cell);
    }

    private boolean isFirstHop(final int bucket) {
        return Route.sprays(bucket) == schedule.phases() - 1;
    }

    private boolean isOnItsWay(final Waiting waiting, final int bucket) {
        final int destination = Route.bucketDestination(bucket);
        final int phase = link / linksPerPhase;
        if (Route.sprays(waiting.bucket) > 0) {
            return Route.sprays(bucket) == Route.sprays(waiting.bucket) - 1
                && phase == (waiting.phase + 1) % schedule.phases();
        }
        return Route.sprays(bucket) == 0
            && phase == schedule.coordinates().nextDifference(node, destination, waiting.phase)
            && link == phase * linksPerPhase + schedule.linkTowards(node, destination, phase);
    }

    private void sendOwn(final long cell, final int bucket) {
        final String seen = text(cell, bucket);
        if (isFirstHop(bucket)) {
            isNext(cell, bucket, seen);
        } else {
            find(Law.ROUTE, bucket, "a first hop", seen);
        }
        advance(cell);
    }

    private void giveBack(final int token) {
        // Of the bucket <neighbour, 0> there are no tokens: such a word says that a cell is missing.
        if (token != (int) InFlightCells.NO_FEEDBACK && FailureNotices.isToken(token)
            && token != Route.bucket(peer(link), 0) && !links[link].giveBack(token)) {
            find(Law.TOKEN, shale.isBucket(token) ? token : NO_BUCKET, "no token that is not owed", token(token));
        }
    }

    @Override
    void received(final int phase, final long route, final long cell, final long feedback, final int joined) {
        if (down) {
            return;
        }
        final FailingLink from = links[link];
        if (route == InFlightCells.SILENCE || route == InFlightCells.DAMAGED) {
            from.miss();
        } else if (route == InFlightCells.CONTROL) {
            from.probe();
        } else {
            from.cell();
            if (InFlightCells.isCell(route)) {
                take(from, phase, route, cell);
            }
            learn(from, (int) feedback);
            learn(from, (int) (feedback >>> Integer.SIZE));
        }
        troubled |= from.state != FailingLink.State.UP;
    }

    private void take(final FailingLink from, final int phase, final long route, final long cell) {
        final int bucket = Route.bucket(route);
        if (!goesHome(cell, bucket)) {
            findForeign("a cell of this fabric to arrive", route, cell);
        } else if (names.destination(cell) != node) {
            held.computeIfAbsent(cell, each -> new ArrayDeque<>()).add(new Waiting(phase, bucket));
            count++;
            if (from.state != FailingLink.State.DOWN) {
                from.owe(bucket);
            }
        }
    }

    private void learn(final FailingLink from, final int word) {
        if (word == (int) InFlightCells.NO_FEEDBACK) {
            return;
        }
        if (FailureNotices.isMissing(word) || word == Route.bucket(node, 0)) {
            from.missing();
        } else if (FailureNotices.isToken(word)) {
            from.takeBack(word);
        }
        troubled |= FailureNotices.isNotice(word);
    }

    /** Cells of others that came and have not left; some of them may have been dropped. */
    @Override
    public int held() {
        return count;
    }

    /**
     * A link of a followed node that guards against failures: whether the node must take it for up, as far as its cells
     * tell (docs/spec/shale.md §8.1, §8.5), and its tokens. Where both may be right, what the node sends says which it
     * is. One thread.
     */
    private static final class FailingLink {
        /** Probes in a row that an end must have heard before it comes up. */
        private static final int HEARD_ENOUGH = 4;

        private final int missLimit;
        State state = State.UP;
        private boolean wasDown;
        private int misses;
        private int heard;
        /** A cell was missing at the other end, so tokens are not known until the link has been down. */
        private boolean blurred;
        private final Map<Integer, Integer> out = new HashMap<>();
        private final Map<Integer, Integer> owed = new HashMap<>();

        /** What the node must take the link for. */
        enum State {
            UP, DOWN,
            /** Nobody but the node knows. */
            EITHER
        }

        FailingLink(final int missLimit) {
            this.missLimit = missLimit;
        }

        /** Nothing came in a slot of the neighbour. */
        void miss() {
            heard = 0;
            misses++;
            if (state != State.DOWN && misses >= missLimit) {
                down();
            }
        }

        /** A cell or dummy came. */
        void cell() {
            if (state == State.DOWN && heard >= HEARD_ENOUGH) {
                state = State.EITHER;
            }
            misses = 0;
            heard = 0;
        }

        /** A probe came. */
        void probe() {
            misses = 0;
            heard++;
            if (state == State.UP) {
                // The last one of a neighbour that comes up, or the neighbour has gone down.
                heard = 1;
                state = State.EITHER;
                if (!wasDown) {
                    down();
                    heard = 1;
                }
            } else if (state == State.DOWN && heard >= HEARD_ENOUGH) {
                state = State.EITHER;
            }
        }

        /** The node goes down, starts again, or shows that it has taken the link for down. */
        void down() {
            state = State.DOWN;
            wasDown = true;
            misses = 0;
            blurred = false;
            out.clear();
            owed.clear();
        }

        /**
         * The neighbour says that a cell is missing: tokens are restored; if notices rode with it, the link goes down.
         */
        void missing() {
            blurred = true;
            wasDown = true;
            state = state == State.UP ? State.EITHER : state;
        }

        /** A token is spent; false if none was left of a budget. */
        boolean spend(final int bucket, final int budget) {
            return out.merge(bucket, 1, Integer::sum) <= budget || blurred;
        }

        /** A token has come back. */
        void takeBack(final int bucket) {
            out.computeIfPresent(bucket, (of, count) -> count > 1 ? count - 1 : null);
        }

        /** A cell has come that owes a token. */
        void owe(final int bucket) {
            owed.merge(bucket, 1, Integer::sum);
        }

        /** A token goes back; false if none is owed. */
        boolean giveBack(final int bucket) {
            final boolean isOwed = owed.containsKey(bucket) || blurred;
            owed.computeIfPresent(bucket, (of, count) -> count > 1 ? count - 1 : null);
            return isOwed;
        }
    }
}
