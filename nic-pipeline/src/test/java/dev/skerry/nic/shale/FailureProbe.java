package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;

/** Lets tests of the pipeline see what a bank knows of failures. */
public final class FailureProbe {
    private FailureProbe() {
    }

    /** Whether a cell that will have some spraying hops to go may take a link. */
    public static boolean usable(final PathReachability reach, final int node, final int phase, final int link,
        final int destination, final int sprays) {
        return reach.usable(reach.numbers.queue(phase, link, node), destination, sprays);
    }

    /** Whether nothing is recorded, announced or waiting to be told at any node, and no link is down. */
    public static boolean isMended(final PathReachability reach, final int nodes, final int links) {
        boolean mended = true;
        for (int queue = 0; queue < links * nodes; queue++) {
            mended &= reach.states.state(queue) != LinkStates.DOWN && reach.records.size(queue) == 0
                && reach.notices.isEmpty(queue);
        }
        for (int node = 0; node < nodes; node++) {
            mended &= reach.unreachable.size(node) == 0 && !reach.isTroubled(node);
        }
        for (int column = 0; column < reach.numbers.columns(); column++) {
            mended &= reach.blocked.size(column) == 0;
        }
        return mended;
    }

    /** Whether the router has noted of every queue whether it is empty. */
    public static boolean isEmptinessKept(final ShaleRouter router, final CellQueues queues, final int nodes,
        final int links) {
        boolean kept = true;
        for (int queue = 0; queue < links * nodes; queue++) {
            final int inEpoch = queue / nodes;
            final long idle = router.idle.word(queue % nodes, router.numbers.phase(inEpoch),
                router.numbers.link(inEpoch) >>> 6);
            kept &= (idle >>> router.numbers.link(inEpoch) & 1) != 0 == (queues.length(queue) == 0);
        }
        return kept;
    }

    public static int linksDown(final PathReachability reach) {
        return reach.states.down();
    }
}
