package dev.skerry.nic.edge;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Hands tasks of other threads to the thread of a bank, which carries them out between two slots, one after the other
 * in the order in which they were asked for. The bank's thread never waits for who asks.
 */
final class BankTasks {
    private static final long LOOK_MS = 20;

    private final AtomicReference<FutureTask<?>> asked = new AtomicReference<>();

    /** Carries out the task that waits, if one does. The bank's thread. */
    void carryOut() {
        if (asked.get() != null) {
            asked.getAndSet(null).run();
        }
    }

    /**
     * Waits until the bank's thread has carried out a task. Any other thread.
     *
     * @param work   throws what goes wrong.
     * @param isOver whether the bank's thread has ended.
     * @return false if the thread ended before; the task was not begun.
     */
    synchronized boolean ask(final Runnable work, final BooleanSupplier isOver) throws InterruptedException {
        final FutureTask<?> task = new FutureTask<>(work, null);
        asked.set(task);
        while (true) {
            try {
                task.get(LOOK_MS, TimeUnit.MILLISECONDS);
                return true;
            } catch (final TimeoutException waitsOn) {
                if (isOver.getAsBoolean() && asked.compareAndSet(task, null)) {
                    return false;
                }
            } catch (final InterruptedException e) {
                if (asked.compareAndSet(task, null)) {
                    throw e;
                }
                // It is being carried out; the interrupt must not leave it half known.
                Thread.currentThread().interrupt();
                return true;
            } catch (final ExecutionException e) {
                throw e.getCause() instanceof final RuntimeException thrown ? thrown
                    : new IllegalStateException(e.getCause());
            }
        }
    }
}
