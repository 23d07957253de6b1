package dev.skerry.nic.follow;

import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a followed node of Shoal knows by reports: for each relay and destination, from which epoch its next cell may go
 * (Eq. 2, docs/spec/shoal.md §4.2, §4.5); and which of its own queues it has to tell of. What is seen on links decides
 * all of it. One thread.
 */
final class RelayReports {
    private static final int NONE = SentCells.NONE;

    private final ShoalSlotPlan plan;
    private final int nodes;
    private final int kept;
    /** By epoch modulo those kept, then link: the own cell sent, as an entry of {@link SentCells} by destination. */
    private final int[] sent;
    /** By link and destination: what reports have said since the last cell left, null while none has. */
    private final List<List<Release>> releases = new ArrayList<>();
    private final JoinedQueues joined;
    /** Destination of the own cell sent in this slot. */
    private int justSent = NONE;

    /**
     * A report has come.
     *
     * @param slot     in which it came; from the next one on it counts.
     * @param freeFrom epoch from which an empty queue would do.
     */
    private record Release(long slot, long freeFrom) {
        private static final Release FIRST = new Release(-1, Long.MIN_VALUE);
    }

    RelayReports(final Shoal shoal, final ShoalSlotPlan plan) {
        this.plan = plan;
        this.nodes = shoal.nodes();
        this.kept = plan.sentEpochs() + 1;
        this.sent = new int[kept * (nodes - 1)];
        Arrays.fill(sent, NONE);
        for (int i = 0; i < (nodes - 1) * nodes; i++) {
            releases.add(new ArrayList<>(List.of(Release.FIRST)));
        }
        this.joined = new JoinedQueues(Arena.ofAuto(), 1, nodes - 1);
    }

    private int at(final long epoch, final int link) {
        return (int) Math.floorMod(epoch, (long) kept) * (nodes - 1) + link;
    }

    private int about(final long epoch, final int link) {
        return epoch < 0 ? NONE : sent[at(epoch, link)];
    }

    /** A turn on a link begins: no own cell has been sent in it. */
    void begin(final long epoch, final int link) {
        sent[at(epoch, link)] = NONE;
        justSent = NONE;
    }

    /** An own cell leaves in a place of the epoch. */
    void leave(final long epoch, final int place, final int node, final int destination) {
        sent[at(epoch, plan.link(place))] = SentCells.entry(destination, plan.services(place, node, destination));
        releases.get(of(plan.link(place), destination)).clear();
        justSent = destination;
    }

    private int of(final int link, final int destination) {
        return link * nodes + destination;
    }

    /** Whether the last cell to a destination by a link has no report yet. */
    boolean isAwaited(final int link, final int destination) {
        return releases.get(of(link, destination)).isEmpty();
    }

    /**
     * Whether Eq. 2 releases a cell.
     *
     * @param before slot of the turn in which it joins the queue: reports that came earlier count.
     * @param epoch  of that turn, and the cells that are in the queue then: their sum is the epoch in which it leaves.
     */
    boolean isReleased(final int link, final int destination, final long before, final long epoch) {
        for (final Release release : releases.get(of(link, destination))) {
            if (release.slot < before && release.freeFrom <= epoch) {
                return true;
            }
        }
        return false;
    }

    /** From which epoch the next cell may go, as the last report says. */
    long freeFrom(final int link, final int destination) {
        return releases.get(of(link, destination)).getLast().freeFrom;
    }

    /** The link of the queue that a node tells of on a link; the number of links for none. */
    int tells(final int link) {
        return joined.latest(link, 0);
    }

    /** A cell came over a link and joined a queue, or none: the number of links. */
    void join(final int linkBack, final int towards) {
        joined.note(linkBack, 0, towards);
    }

    /**
     * A report has come that was sent in a place of an epoch.
     *
     * @param slot in which it came.
     */
    void take(final long slot, final long epoch, final int place, final int report) {
        final int link = plan.linkBack(place);
        final long next = epoch + plan.nextAhead(place);
        final long acknowledged = epoch - plan.acknowledgedBack(place);
        final boolean simultaneous = plan.simultaneous(place);
        if (simultaneous) {
            arrived(slot, about(next - 1, link), link, next);
        }
        final int last = about(acknowledged, link);
        arrived(slot, last, link, next);
        final int entry = SentCells.joins(last) ? last : earlier(acknowledged, link);
        if (entry != NONE) {
            // With both sides in one slot, the report is on the queue before the cell just sent joins it.
            final boolean unseen = simultaneous && justSent == SentCells.flow(entry);
            release(slot, entry, link, next, report + (unseen ? 1 : 0), SentCells.joins(last) || unseen);
        }
    }

    /** A cell at its destination waits for nobody. */
    private void arrived(final long slot, final int entry, final int link, final long next) {
        if (entry != NONE && !SentCells.joins(entry)) {
            release(slot, entry, link, next, 0, true);
        }
    }

    /** The cell that a report is about if the last one joined no queue. */
    private int earlier(final long acknowledged, final int link) {
        final int before = about(acknowledged - 1, link);
        if (SentCells.joins(before)) {
            return before;
        }
        final int third = about(acknowledged - 3, link);
        return SentCells.joins(about(acknowledged - 2, link)) && SentCells.joins(third) ? third : NONE;
    }

    /** @param awaited whether it may be the report that the flow waits for; else that is one on a later cell. */
    private void release(final long slot, final int entry, final int link, final long next, final int report,
        final boolean awaited) {
        final List<Release> all = releases.get(of(link, SentCells.flow(entry)));
        if (awaited || !all.isEmpty()) {
            all.add(new Release(slot, next + Math.max(0, report - SentCells.services(entry))));
        }
    }
}
