package dev.skerry.tools.input;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Ctrl-C and SIGTERM as a request to stop: the process waits until its results are written and the command has printed
 * its last line, then ends with the code of the signal (130 for Ctrl-C) or that of {@link #endWith}.
 */
public final class StopSignal implements AutoCloseable {
    private static final int OF_SIGNAL = -1;

    /** Released after a command of this process has ended; commands run one at a time. */
    private static final AtomicReference<CountDownLatch> SAID = new AtomicReference<>(new CountDownLatch(0));

    private static final AtomicInteger SAID_CODE = new AtomicInteger();

    private final AtomicBoolean requested = new AtomicBoolean();
    private final AtomicInteger code = new AtomicInteger(OF_SIGNAL);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onShutdown, "skerry-stop");

    private StopSignal() {
    }

    /** Listens until it is closed. */
    public static StopSignal listen() {
        final StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    /** Returns a signal that only {@link #request} raises, for runs in a program that handles signals itself. */
    public static StopSignal ofProgram() {
        return new StopSignal();
    }

    /** Requests the end; any thread may call. */
    public void request() {
        requested.set(true);
    }

    /** Begins a command: signals to which it listens end the process after {@link #said}. */
    public static void command() {
        SAID.set(new CountDownLatch(1));
    }

    /**
     * Records that the command has written its last line; with a code above 0, a process that was requested to stop
     * ends with it.
     */
    public static void said(final int exitCode) {
        SAID_CODE.set(exitCode);
        SAID.get().countDown();
    }

    /** Tells whether the process has been requested to stop; any thread may call. */
    public boolean requested() {
        return requested.get();
    }

    /**
     * Sets the code with which a process that was requested to stop ends, instead of that of the signal. Called before
     * {@link #close}.
     */
    public void endWith(final int exitCode) {
        code.set(exitCode);
    }

    /** Records that everything is written, so that the process may end. */
    @Override
    public void close() {
        done.countDown();
        if (!requested.get()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (final IllegalStateException alreadyEnding) {
                requested.set(true);
            }
        }
    }

    private void onShutdown() {
        requested.set(true);
        try {
            done.await();
            SAID.get().await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (SAID_CODE.get() > 0) {
            Runtime.getRuntime().halt(SAID_CODE.get());
        }
        if (code.get() != OF_SIGNAL) {
            Runtime.getRuntime().halt(code.get());
        }
    }
}
