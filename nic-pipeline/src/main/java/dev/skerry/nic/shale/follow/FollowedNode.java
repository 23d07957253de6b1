package dev.skerry.nic.shale.follow;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.TieRule.LinkChoice;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.schedule.Phased;

/** What is known of a followed node, and where its findings go. One thread. */
final class FollowedNode {
    /** No bucket is concerned. */
    static final int NO_BUCKET = -1;

    final Shale shale;
    final Phased schedule;
    final CellNames names;
    final int node;
    final HeldCells held;
    final TokenBooks tokens;
    /** Chooses among equally short links; null if the device may take any of them. */
    final LinkChoice ties;
    /** Whether a spraying hop may take the shortest queues only. */
    final boolean shortest;
    /** Whether a spraying hop may only take links with the least of its bucket, and of these the shortest queues. */
    final boolean leastBucket;
    private final FindingLog log;

    FollowedNode(final Shale shale, final CellNames names, final int node, final FollowRules rules,
        final FindingLog log) {
        if (!shale.population().allPresent() || shale.mechanisms().control() != HopByHop.FACTORY
            || shale.mechanisms().endToEnd() != null) {
            throw new IllegalArgumentException("only nodes with hbh, spray-short, spray-bucket and priority are "
                + "followed, where all are present: mechanisms=" + shale.mechanisms() + " nodes="
                + shale.population().endpoints());
        }
        if (shale.mechanisms().order() != QueueOrder.ARRIVAL && !rules.freeOrder()) {
            throw new IllegalArgumentException("the ranks of priority are not in cells, so nobody can judge the order "
                + "in which they leave: follow with free order: mechanisms=" + shale.mechanisms());
        }
        if (node < 0 || node >= shale.nodes()) {
            throw new IllegalArgumentException("no such node: node=" + node + " nodes=" + shale.nodes());
        }
        this.shale = shale;
        this.schedule = shale.schedule();
        this.names = names;
        this.node = node;
        this.held = new HeldCells(schedule);
        this.tokens = new TokenBooks(shale);
        this.leastBucket = shale.mechanisms().spraying() == SprayRule.LEAST_BUCKET;
        this.shortest = shale.mechanisms().spraying() == SprayRule.SHORTEST_QUEUE;
        final TieRule rule = shale.mechanisms().ties();
        this.ties = rule == TieRule.DRAWN || !shortest ? null : rule.choice(shale, 1);
        this.log = log;
    }

    void find(final Law law, final long slot, final int link, final int bucket, final String expected,
        final String seen) {
        log.add(new Finding(law, slot, node, link, BucketText.bucket(bucket), expected, seen));
    }

    /** Whether a bucket can be in a header. */
    boolean isBucket(final int bucket) {
        return bucket >= 0 && Route.bucketDestination(bucket) < shale.nodes()
            && Route.sprays(bucket) < schedule.phases();
    }

    /** Neighbour at the end of a link, a position in the epoch. */
    int peer(final int link) {
        return schedule.peerAt(node, 0, link);
    }

    /** Whether a cell may leave on a link: its hop is final or there is a token. */
    boolean mayLeave(final HeldCells.HeldCell cell, final int link, final int peer) {
        return cell.destination == peer || tokens.has(link, cell.next);
    }
}
