package dev.skerry.dataplane.worker;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Keeps workers in lock step off each other's processors. Beside another program, Linux may leave two workers on one
 * processor although another is idle; in every slot each then waits for the other. A worker that has waited for long
 * publishes its processor. Once two have published the same, the one with the higher number is pinned to a processor
 * that no worker has published, and every other one, at its next long wait, to its own, until they are
 * {@linkplain #release released}.
 *
 * <p>The scheduler may have moved a worker since it published; a wrong move is corrected at the next long wait. Nothing
 * happens in the first second, when the compilers need the processors; on systems other than Linux; if the module has
 * no native access; and after the kernel has refused. Each worker calls with its own number from its own thread.
 */
public final class ProcessorSeparation {
    /** Time after the creation in which nothing happens. */
    static final long START_NS = 1_000_000_000;
    /** Age up to which a published place is used. */
    static final long RECENT_NS = 10_000_000;
    private static final int NONE = -1;

    private final Affinity threads;
    private final long createdNs;
    /** Whether the kernel refused. Plain: another worker may find out by itself. */
    private boolean isRefused;
    /** Whether two workers have shared a processor since the last release. */
    private volatile boolean isShared;
    /** What each worker published last; null after a release. */
    private final AtomicReferenceArray<Place> places;
    /** Processors allowed to each worker before it was pinned; null if it is not pinned. Used by its own thread. */
    private final BitSet[] before;

    /** Where a worker was, or to which processor it was moved, and when. */
    private record Place(int processor, long timeNs) {
    }

    /** Creates a separation in which no worker is pinned. */
    public ProcessorSeparation(final int workers) {
        this(workers, new Affinity());
    }

    ProcessorSeparation(final int workers, final Affinity threads) {
        this.threads = threads;
        this.createdNs = threads.nowNs();
        this.isRefused = !threads.isKnown();
        this.places = new AtomicReferenceArray<>(workers);
        this.before = new BitSet[workers];
    }

    /** Called when a worker has waited for the others longer than usual. */
    public void onLongWait(final int worker) {
        final long nowNs = threads.nowNs();
        if (isRefused || nowNs - createdNs < START_NS) {
            return;
        }
        try {
            final Place place = new Place(threads.current(), nowNs);
            places.set(worker, place);
            final int other = another(worker, place.processor, nowNs);
            if (other != NONE) {
                isShared = true;
            }
            if (other != NONE && other < worker) {
                move(worker, place);
            } else if (isShared && before[worker] == null) {
                pin(worker, place.processor);
            }
        } catch (final IllegalStateException e) {
            // A sandbox, for example. The workers proceed as on other systems.
            isRefused = true;
        }
    }

    /** Lets a worker run again on all processors that were allowed before it was pinned. */
    public void release(final int worker) {
        places.set(worker, null);
        isShared = false;
        final BitSet allowed = before[worker];
        before[worker] = null;
        if (allowed == null) {
            return;
        }
        try {
            threads.allow(allowed);
        } catch (final IllegalStateException e) {
            // None of them is left, so the worker stays where it is.
            isRefused = true;
        }
    }

    /** The lowest other worker that has published a processor lately; {@link #NONE} if there is none. */
    private int another(final int worker, final int processor, final long nowNs) {
        for (int other = 0; other < before.length; other++) {
            final Place place = other == worker ? null : places.get(other);
            if (place != null && place.processor == processor && nowNs - place.timeNs < RECENT_NS) {
                return other;
            }
        }
        return NONE;
    }

    private void move(final int worker, final Place from) {
        final BitSet allowed = before[worker] == null ? threads.allowed() : before[worker];
        int to = allowed.nextSetBit(0);
        while (to >= 0 && (to == from.processor || another(worker, to, from.timeNs) != NONE)) {
            to = allowed.nextSetBit(to + 1);
        }
        if (to >= 0) {
            places.set(worker, new Place(to, from.timeNs));
            pin(worker, to);
        }
    }

    private void pin(final int worker, final int processor) {
        final BitSet allowed = before[worker] == null ? threads.allowed() : before[worker];
        final BitSet one = new BitSet();
        one.set(processor);
        threads.allow(one);
        before[worker] = allowed;
    }

    /** Processors of the calling thread, and the time. */
    static class Affinity {
        /** Whether they can be read and set on this system. */
        boolean isKnown() {
            return System.getProperty("os.name").equals("Linux")
                && ProcessorSeparation.class.getModule().isNativeAccessEnabled();
        }

        int current() {
            return Scheduling.current();
        }

        BitSet allowed() {
            return Scheduling.allowed();
        }

        void allow(final BitSet processors) {
            Scheduling.allow(processors);
        }

        long nowNs() {
            return System.nanoTime();
        }
    }
}
