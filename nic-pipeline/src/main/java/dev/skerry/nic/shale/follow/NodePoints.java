package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.Coverage.Point;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.schedule.Phased;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Coverage points of a Shale node: the laws and choices that its cells and tokens exercise. Not thread-safe. */
final class NodePoints {
    private static final String[] KINDS = {"forwarded", "local", "dummy", "nothing", "message"};
    private static final int FORWARDED = 0;
    private static final int LOCAL = 1;
    private static final int DUMMY = 2;
    private static final int NOTHING = 3;
    private static final int MESSAGE = 4;
    private static final String[] LENGTHS = {"1", "2_to_7", "8_to_31", "32_or_more"};
    private static final int SOME = 8;
    private static final int MANY = 32;
    private static final int MOST_LINKS = 4;
    private static final int MOST_WAITING = 3;
    /** Bin of the longest queues. */
    private static final int LONGEST = 4;

    final Coverage coverage = new Coverage("shale-node");
    private final Shale shale;
    private final Point sent = coverage.point("schedule.sent");
    private final Point received = coverage.point("schedule.received", "home");
    private final Point inARow = coverage.point("schedule.in_a_row");
    private final Point returned = coverage.point("token.returned", "none", "one", "two");
    private final int kinds;
    /** First bin of {@link #spent} and {@link #room}, by sprays left. */
    private final int[] firstPlace;
    /** Kind that arrived last, and its number of consecutive arrivals. */
    private int last;
    private int count;
    private Point hop;
    private Point rides;
    private Point waiting;
    private Point spent;
    private Point left;
    private Point queue;
    private Point room;
    private Point links;
    private Point taken;

    /** @param isFailing whether links and nodes may fail. */
    NodePoints(final Shale shale, final FollowRules rules, final boolean isFailing) {
        this.shale = shale;
        this.kinds = isFailing ? MESSAGE + 1 : rules.is(Setting.SILENCE) ? NOTHING + 1 : NOTHING;
        final Phased schedule = shale.schedule();
        this.firstPlace = new int[schedule.phases()];
        for (int link = 0; link < schedule.epochSlots(); link++) {
            for (int kind = 0; kind < kinds; kind++) {
                coverage.point("schedule.sent", KINDS[kind] + "_link" + link);
            }
        }
        for (int sprays = 0; sprays < schedule.phases(); sprays++) {
            coverage.point("schedule.received", "sprays" + sprays);
        }
        coverage.point("schedule.received", Stream.of(KINDS).skip(DUMMY).limit(isFailing ? 3 : 2)
            .toArray(String[]::new));
        for (final String kind : List.of("cells_", "dummies_", "nothing_")) {
            for (final String length : LENGTHS) {
                coverage.point("schedule.in_a_row", kind + length);
            }
        }
        if (!isFailing) {
            addLaws(rules);
        }
    }

    /** Adds the points of a node whose links and neighbours do not fail. */
    private void addLaws(final FollowRules rules) {
        hop = coverage.point("route.hop", "local", "local_final", "direct", "final");
        if (firstPlace.length > 1) {
            coverage.point("route.hop", "spraying", "spraying_final");
        }
        rides = coverage.point("token.rides", rules.get(Setting.TOKENS_A_SLOT) == 1
            ? new String[] {"none", "one", "one_more_wait"} : new String[] {"none", "one", "two", "two_more_wait"});
        waiting = coverage.point("token.waiting", "0", "1", "2", "3_or_more");
        spent = coverage.point("token.spent");
        room = coverage.point("capacity.held");
        for (int sprays = 0; sprays < firstPlace.length; sprays++) {
            firstPlace[sprays] = room.bins().size();
            final int budget = shale.budget(Route.bucket(0, sprays));
            final List<String> bins = new ArrayList<>(List.of("sprays" + sprays + "_last"));
            if (budget > 1) {
                bins.add("sprays" + sprays + "_first");
            }
            if (budget > 2) {
                bins.add("sprays" + sprays + "_between");
            }
            coverage.point("token.spent", bins.toArray(String[]::new));
            coverage.point("capacity.held", bins.toArray(String[]::new));
        }
        left = coverage.point("order.left", "forwarded_head", "forwarded_behind_blocked", "local_alone",
            "local_behind_blocked", "dummy_alone", "dummy_behind_blocked");
        queue = coverage.point("order.queue", "0", "1", "2_to_3", "4_to_7", "8_or_more");
        if (shale.schedule().phases() > 1) {
            final int most = shale.schedule().linksPerPhase();
            links = coverage.point("choice.links", IntStream.rangeClosed(1, Math.min(most, MOST_LINKS))
                .mapToObj(each -> each < MOST_LINKS ? "of_" + each : "of_" + each + "_or_more").toArray(String[]::new));
        }
        if (links != null && (shale.mechanisms().ties() == TieRule.DRAWN
            || shale.mechanisms().spraying() != SprayRule.SHORTEST_QUEUE)) {
            taken = coverage.point("choice.taken", "lowest", "another");
        }
    }

    /** Counts what the node sends on a link. */
    void sent(final int link, final long route, final boolean isLocal) {
        final int kind = isLocal ? LOCAL : kind(route);
        if (kind < kinds) {
            sent.hit(link * kinds + kind);
        }
    }

    private static int kind(final long route) {
        return InFlightCells.isCell(route) ? FORWARDED : route == InFlightCells.SILENCE ? NOTHING
            : route == InFlightCells.CONTROL ? MESSAGE : DUMMY;
    }

    /** Counts words that arrive. */
    void received(final int node, final long route, final long feedback) {
        final int phases = shale.schedule().phases();
        final int kind = kind(route);
        if (kind == last) {
            count++;
        } else {
            if (count > 0 && last < MESSAGE) {
                inARow.hit(Math.max(0, last - 1) * LENGTHS.length + (count == 1 ? 0 : count < SOME ? 1
                    : count < MANY ? 2 : LENGTHS.length - 1));
            }
            last = kind;
            count = 1;
        }
        if (kind >= DUMMY && kind < Math.max(kinds, MESSAGE)) {
            received.hit(1 + phases + kind - DUMMY);
        } else if (kind < DUMMY && Route.sprays(route) < phases) {
            received.hit(Route.destination(route) == node ? 0 : 1 + Route.sprays(route));
        }
        if (kind <= DUMMY) {
            returned.hit(((int) feedback == Admission.NO_NOTICE ? 0 : 1)
                + ((int) (feedback >>> Integer.SIZE) == Admission.NO_NOTICE ? 0 : 1));
        }
    }

    /**
     * Counts the hop of a cell that leaves.
     *
     * @param sprays spraying hops that it had left when it arrived, negative for a local cell.
     */
    void hop(final int sprays, final boolean isFinal) {
        hop.hit((sprays < 0 ? 0 : sprays == 0 ? 2 : 4) + (isFinal ? 1 : 0));
    }

    /** Counts the tokens sent in a slot, and the tokens that wait for the link afterwards. */
    void rides(final int riders, final int after) {
        rides.hit(riders == rides.bins().size() / 2 && after > 0 ? riders + 1 : riders);
        waiting.hit(Math.min(riders + after, MOST_WAITING));
    }

    /** Counts a spent token by the number of tokens of the bucket that are then outstanding. */
    void spent(final int bucket, final int out) {
        spent.hit(place(bucket, out));
    }

    /** Counts a queued cell by the number of cells of its bucket, and tokens owed for it, that are then in the node. */
    void held(final int bucket, final int count) {
        room.hit(place(bucket, count));
    }

    private int place(final int bucket, final int count) {
        return firstPlace[Route.sprays(bucket)] + (count >= shale.budget(bucket) ? 0 : count == 1 ? 1 : 2);
    }

    /** Counts what leaves, other than silence, and whether a cell ahead of it lacked a token. */
    void left(final long route, final boolean isLocal, final boolean isBlocked) {
        left.hit(2 * (isLocal ? LOCAL : Math.min(kind(route), DUMMY)) + (isBlocked ? 1 : 0));
    }

    /** Counts the length of a link's queue before it sends. */
    void queue(final int length) {
        queue.hit(Math.min(Integer.SIZE - Integer.numberOfLeadingZeros(length), LONGEST));
    }

    /** Counts the number of links that a cell may join. */
    void links(final int count) {
        links.hit(Math.min(count, MOST_LINKS) - 1);
    }

    /**
     * Counts a cell that leaves by a link, and whether it is the lowest link that it could have joined; -1 if there was
     * only one.
     */
    void taken(final int link, final int lowest) {
        if (lowest >= 0) {
            taken.hit(link == lowest ? 0 : 1);
        }
    }
}
