package dev.skerry.dataplane.worker;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Moves workers in lock step off each other's processors. Beside another program, Linux may leave two workers on one
 * processor although another is idle; they then wait for each other in every slot. A worker that has waited a long time
 * publishes its processor. If two have published the same one lately, the worker with the higher number leaves it: for
 * a moment it is restricted to processors that no worker has published.
 *
 * <p>The scheduler may have moved a worker since it published; a wrong move costs some microseconds. No worker is moved
 * in the first second, when the compilers need the processors; on systems other than Linux; if the module has no native
 * access; or after the kernel has refused. Each worker calls with its own number from its own thread.
 */
public final class ProcessorSeparation {
    /** Time after the creation in which no worker is moved. */
    static final long START_NS = 1_000_000_000;
    /** Age up to which a published place is used. */
    static final long RECENT_NS = 10_000_000;

    private final Affinity threads;
    private final long createdNs;
    /** What each worker published last. */
    private final AtomicReferenceArray<Place> places;
    /** Whether the kernel refused. Not volatile: another worker then finds out by itself. */
    private boolean isRefused;

    /** Where a worker was, and when. */
    private record Place(int processor, long timeNs) {
    }

    /** Creates a separation that has moved none of its workers. */
    public ProcessorSeparation(final int workers) {
        this(workers, new Affinity());
    }

    ProcessorSeparation(final int workers, final Affinity threads) {
        this.threads = threads;
        this.createdNs = threads.nowNs();
        this.places = new AtomicReferenceArray<>(workers);
        this.isRefused = !threads.isKnown();
    }

    /** Called when a worker has waited for the others longer than usual. */
    public void onLongWait(final int worker) {
        final long nowNs = threads.nowNs();
        if (isRefused || nowNs - createdNs < START_NS) {
            return;
        }
        try {
            final int processor = threads.current();
            places.set(worker, new Place(processor, nowNs));
            if (published(worker, nowNs).get(processor)) {
                leave(published(places.length(), nowNs));
            }
        } catch (final IllegalStateException e) {
            // A sandbox, for example. The workers proceed as on other systems.
            isRefused = true;
        }
    }

    /** Processors that the first {@code workers} workers have published lately. */
    private BitSet published(final int workers, final long nowNs) {
        final BitSet processors = new BitSet();
        for (int worker = 0; worker < workers; worker++) {
            final Place place = places.get(worker);
            if (place != null && nowNs - place.timeNs < RECENT_NS) {
                processors.set(place.processor);
            }
        }
        return processors;
    }

    /** Lets Linux choose among the processors that are not taken, then allows the caller all that it was allowed. */
    private void leave(final BitSet taken) {
        final BitSet allowed = threads.allowed();
        final BitSet free = (BitSet) allowed.clone();
        free.andNot(taken);
        if (!free.isEmpty()) {
            threads.allow(free);
            threads.allow(allowed);
        }
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
