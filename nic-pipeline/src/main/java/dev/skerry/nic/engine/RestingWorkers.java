package dev.skerry.nic.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Where workers rest while the first one goes on alone. It calls them to a stride; every call is answered by every
 * other worker, once, before the meeting at the end of that stride, so there is never more than one open call.
 *
 * <p>What the first worker did before {@link #call} happens-before what another does after {@link #rest} has returned
 * true (R1, A1). Blocking: a resting worker is parked.
 */
public final class RestingWorkers {
    private static final VarHandle CALLS;
    private static final long OVER = Long.MAX_VALUE;

    static {
        try {
            CALLS = MethodHandles.lookup().findVarHandle(RestingWorkers.class, "calls", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Thread[] threads;
    /** By worker, calls it has answered; only its own thread uses them. */
    private final long[] answered;
    /** Calls made, or {@link #OVER}. */
    private long calls;

    /**
     * Nobody rests.
     *
     * @param threads by worker; the first one's is not used. All are set before a call.
     */
    public RestingWorkers(final Thread[] threads) {
        this.threads = threads;
        this.answered = new long[threads.length];
    }

    /** Calls all others. The first worker's thread. */
    public void call() {
        wake(calls + 1);
    }

    /** The run is over: whoever rests, or comes to, goes home. The first worker's thread, or the owner's after it. */
    public void dismiss() {
        wake(OVER);
    }

    /**
     * Rests until the next call; at once if that has been made already.
     *
     * @param worker not the first.
     * @return false if the run is over.
     */
    public boolean rest(final int worker) {
        long made = (long) CALLS.getAcquire(this); // A1: pairs with R1
        while (made <= answered[worker]) {
            LockSupport.park(this);
            // An interrupt would end every park at once; nobody else knows of these threads.
            Thread.interrupted();
            made = (long) CALLS.getAcquire(this); // A1
        }
        answered[worker]++;
        return made != OVER;
    }

    private void wake(final long made) {
        CALLS.setRelease(this, made); // R1: all that was done before the call; pairs with A1
        for (int worker = 1; worker < threads.length; worker++) {
            LockSupport.unpark(threads[worker]);
        }
    }
}
