package dev.skerry.nic.shale;

import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;

/**
 * Reports lost and regained paths (docs/spec/shale.md §8.3 e, §8.4, §8.5): queues the notices of {@link
 * PathReachability} for the neighbours whose paths they concern. One bank, one thread.
 */
final class FailureReports {
    private final Phased schedule;
    private final Coordinates coordinates;
    private final int phases;
    private final int linksPerPhase;
    private final int firstNode;
    private final SlotMath numbers;
    private final LinkStates states;
    private final FailureNotices notices;
    private final LinkRecords records;
    private final BucketSets blocked;

    FailureReports(final Phased schedule, final SlotMath numbers, final int firstNode, final LinkStates states,
        final FailureNotices notices, final LinkRecords records, final BucketSets blocked) {
        this.schedule = schedule;
        this.coordinates = schedule.coordinates();
        this.phases = schedule.phases();
        this.linksPerPhase = schedule.linksPerPhase();
        this.firstNode = firstNode;
        this.numbers = numbers;
        this.states = states;
        this.notices = notices;
        this.records = records;
        this.blocked = blocked;
    }

    /** Queues a notice for the neighbours of consecutive phases, over every up link except one. */
    void tell(final int node, final int firstPhase, final int count, final int notice, final int butQueue) {
        for (int i = 0; i < count; i++) {
            final int phase = (firstPhase + i) % phases;
            for (int link = 0; link < linksPerPhase; link++) {
                final int queue = numbers.queue(phase, link, node);
                if (queue != butQueue && states.isUp(queue)
                    && peer(node, phase, link) != Route.bucketDestination(FailureNotices.bucket(notice))) {
                    notices.add(queue, notice);
                }
            }
        }
    }

    /** Passes a notice {j,0} that came over a link on to neighbours whose direct paths to j lead over the link. */
    void pass(final int node, final int queue, final int bucket, final boolean lost) {
        if ((bucket & Route.MAX_SPRAYS) == 0) {
            final int phase = numbers.phaseOf(queue);
            final int peer = peer(node, phase, numbers.linkOf(queue));
            final int failed = coordinates.lastDifference(peer, Route.bucketDestination(bucket), phase);
            tell(node, failed, phase - failed + (phase < failed ? phases : 0), FailureNotices.of(bucket, lost), queue);
        }
    }

    /** Tells a neighbour whose link has just come up everything it has missed. */
    void introduce(final int node, final int phase, final int queue) {
        for (int other = node; other < numbers.queues(); other += numbers.step()) {
            final int ofPhase = numbers.phaseOf(other);
            final int peer = peer(node, ofPhase, numbers.linkOf(other));
            if (states.state(other) == LinkStates.DOWN) {
                notices.add(queue, FailureNotices.of(Route.bucket(peer, 0), true));
            }
            for (final int bucket : records.of(other)) {
                if (reaches(peer, bucket, ofPhase, phase)) {
                    notices.add(queue, FailureNotices.of(bucket, true));
                }
            }
        }
        for (final int bucket : blocked.of(numbers.column((phase + 1) % phases, node))) {
            if (Route.bucketDestination(bucket) != peer(node, phase, numbers.linkOf(queue))) {
                notices.add(queue, FailureNotices.of(bucket, true));
            }
        }
    }

    /** Whether a record of a link of one phase concerns the neighbours of another phase. */
    private boolean reaches(final int peer, final int bucket, final int recordPhase, final int phase) {
        if ((bucket & Route.MAX_SPRAYS) > 0) {
            return false;
        }
        final int failed = coordinates.lastDifference(peer, Route.bucketDestination(bucket), recordPhase);
        return (phase - failed + phases) % phases < (recordPhase - failed + phases) % phases;
    }

    private int peer(final int node, final int phase, final int link) {
        return schedule.peerOf(firstNode + node, phase, link);
    }
}
