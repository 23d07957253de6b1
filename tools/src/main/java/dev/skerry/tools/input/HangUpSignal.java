package dev.skerry.tools.input;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The signal HUP as a request to read settings again. The interface of the JVM is accessed by reflection, as a compiler
 * warns of any other use.
 */
public final class HangUpSignal implements AutoCloseable {
    private final Runnable before;

    private HangUpSignal(final Runnable before) {
        this.before = before;
    }

    /**
     * Calls an action for each signal until it is closed, on a thread of the JVM; never in a JVM without the signal.
     */
    public static HangUpSignal listen(final Runnable action) {
        try {
            final Class<?> signal = Class.forName("sun.misc.Signal");
            final Class<?> handler = Class.forName("sun.misc.SignalHandler");
            final Object called = Proxy.newProxyInstance(HangUpSignal.class.getClassLoader(), new Class<?>[] {handler},
                (proxy, method, arguments) -> {
                    action.run();
                    return null;
                });
            final Object hangUp = signal.getConstructor(String.class).newInstance("HUP");
            final Method handle = signal.getMethod("handle", signal, handler);
            final Object old = handle.invoke(null, hangUp, called);
            return new HangUpSignal(() -> restore(handle, hangUp, old));
        } catch (final ReflectiveOperationException e) {
            return new HangUpSignal(() -> { });
        }
    }

    private static void restore(final Method handle, final Object hangUp, final Object old) {
        try {
            handle.invoke(null, hangUp, old);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("a signal cannot be given back", e);
        }
    }

    /** Restores the previous handling of the signal. */
    @Override
    public void close() {
        before.run();
    }
}
