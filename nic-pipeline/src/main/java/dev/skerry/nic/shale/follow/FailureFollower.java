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
 * Follows a Shale node with hop-by-hop tokens that handles failures (docs/spec/shale.md §8). The follower checks the
 * rules that hold whatever fails:
 *
 * <ul>
 * <li>The state of a link follows from the cells, probes and silence received on it. A link that is down carries no
 *     cells, and a link that is up is never silent.
 * <li>A forwarded cell leaves once, on its route or, after a failure, on a new route from this node. Local cells leave
 *     in order.
 * <li>Tokens are spent within their budget and returned once. After a neighbour has reported a missing cell, the tokens
 *     of that link are not checked until the link has been down.
 * </ul>
 *
 * <p>Not checked: which notices a node sends, the order of forwarded cells, which of them it drops, and whether it
 * idles.
 *
 * <p>{@link #setDown} notifies the follower that its device goes down. Not thread-safe.
 */
public final class FailureFollower extends FollowedNode {
    private final FailingLink[] links;
    /** Arrivals of each forwarded cell that have not left: a cell may arrive more than once. */
    private final Map<Long, ArrayDeque<Waiting>> held = new HashMap<>();
    private int count;
    private boolean down;
    /** Whether the node may have detected a failure, after which cells may start on a new route. */
    private boolean troubled;

    /** Phase in which a forwarded cell arrived, and its bucket at that time. */
    private record Waiting(int phase, int bucket) {
    }

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param shale fabric of the device, as for {@link NodeFollower}; its failure rules define when a link is down.
     * @param log   receives the findings; several nodes may share one.
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
        returnToken((int) feedback);
        returnToken((int) (feedback >>> Integer.SIZE));
    }

    private void sendCell(final long cell, final int bucket) {
        if (!isValid(cell, bucket)) {
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

    /** Whether the cell exists and the bucket is one of its destination. */
    private boolean isValid(final long cell, final int bucket) {
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

    private void returnToken(final int token) {
        // There are no tokens of bucket <neighbour, 0>: this word reports a missing cell.
        if (token != (int) InFlightCells.NO_FEEDBACK && FailureNotices.isToken(token)
            && token != Route.bucket(peer(link), 0) && !links[link].returnToken(token)) {
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
            applyFeedback(from, (int) feedback);
            applyFeedback(from, (int) (feedback >>> Integer.SIZE));
        }
        troubled |= from.state != FailingLink.State.UP;
    }

    private void take(final FailingLink from, final int phase, final long route, final long cell) {
        final int bucket = Route.bucket(route);
        if (!isValid(cell, bucket)) {
            findForeign("a cell of this fabric to arrive", route, cell);
        } else if (names.destination(cell) != node) {
            held.computeIfAbsent(cell, each -> new ArrayDeque<>()).add(new Waiting(phase, bucket));
            count++;
            if (from.state != FailingLink.State.DOWN) {
                from.owe(bucket);
            }
        }
    }

    private void applyFeedback(final FailingLink from, final int word) {
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

    /** Number of forwarded cells that arrived and have not left; some of them may have been dropped. */
    @Override
    public int held() {
        return count;
    }

    /**
     * Link of a followed node that handles failures: the state that the node must assume, as far as the received words
     * determine it (docs/spec/shale.md §8.1, §8.5), and its tokens. If both states are possible, what the node sends
     * shows which one it assumes. Not thread-safe.
     */
    private static final class FailingLink {
        /** Number of consecutive probes that an end must receive before it comes up. */
        private static final int HEARD_ENOUGH = 4;

        private final int missLimit;
        State state = State.UP;
        private boolean wasDown;
        private int misses;
        private int heard;
        /** Whether a cell was missing at the other end, so that tokens are unknown until the link has been down. */
        private boolean blurred;
        private final Map<Integer, Integer> out = new HashMap<>();
        private final Map<Integer, Integer> owed = new HashMap<>();

        /** State of the link that the node must assume. */
        enum State {
            UP, DOWN,
            /** The received words do not determine the state. */
            EITHER
        }

        FailingLink(final int missLimit) {
            this.missLimit = missLimit;
        }

        /** Handles a slot of the neighbour in which nothing arrived. */
        void miss() {
            heard = 0;
            misses++;
            if (state != State.DOWN && misses >= missLimit) {
                down();
            }
        }

        /** Handles the arrival of a cell or dummy. */
        void cell() {
            if (state == State.DOWN && heard >= HEARD_ENOUGH) {
                state = State.EITHER;
            }
            misses = 0;
            heard = 0;
        }

        /** Handles the arrival of a probe. */
        void probe() {
            misses = 0;
            heard++;
            if (state == State.UP) {
                // This is either the last probe of a neighbour that comes up, or the neighbour has gone down.
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

        /** The node goes down, restarts, or has shown that it considers the link down. */
        void down() {
            state = State.DOWN;
            wasDown = true;
            misses = 0;
            blurred = false;
            out.clear();
            owed.clear();
        }

        /**
         * Handles a report of a missing cell: tokens are restored, and if notices were sent with that cell, the link
         * goes down.
         */
        void missing() {
            blurred = true;
            wasDown = true;
            state = state == State.UP ? State.EITHER : state;
        }

        /** Spends a token; returns false if none of the budget was left. */
        boolean spend(final int bucket, final int budget) {
            return out.merge(bucket, 1, Integer::sum) <= budget || blurred;
        }

        /** Records a returned token. */
        void takeBack(final int bucket) {
            out.computeIfPresent(bucket, (of, count) -> count > 1 ? count - 1 : null);
        }

        /** Records the arrival of a cell that owes a token. */
        void owe(final int bucket) {
            owed.merge(bucket, 1, Integer::sum);
        }

        /** Records that the node returns a token; returns false if none is owed. */
        boolean returnToken(final int bucket) {
            final boolean isOwed = owed.containsKey(bucket) || blurred;
            owed.computeIfPresent(bucket, (of, count) -> count > 1 ? count - 1 : null);
            return isOwed;
        }
    }
}
