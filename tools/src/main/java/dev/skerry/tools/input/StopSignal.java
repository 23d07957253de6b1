package dev.skerry.tools.input;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl-C and the polite kill signal, taken as a wish to stop: the process waits until what it has is written, then ends
 * with the code of the signal (130 for Ctrl-C).
 */
public final class StopSignal implements AutoCloseable {
    private static final int OF_SIGNAL = -1;

    private final AtomicBoolean requested = new AtomicBoolean();
    private final AtomicInteger code = new AtomicInteger(OF_SIGNAL);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::onShutdown, "skerry-stop");

    private StopSignal() {
    }

    /** Listens until closed. */
    public static StopSignal listen() {
        final StopSignal signal = new StopSignal();
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    /** Whether the process has been asked to stop; any thread may call. */
    public boolean requested() {
        return requested.get();
    }

    /** A process that was asked to stop ends with this code instead of that of the signal. Before {@link #close}. */
    public void endWith(final int exitCode) {
        code.set(exitCode);
    }

    /** All is written: the process may end. */
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
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (code.get() != OF_SIGNAL) {
            Runtime.getRuntime().halt(code.get());
        }
    }
}
