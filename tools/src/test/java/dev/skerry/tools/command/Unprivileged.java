package dev.skerry.tools.command;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The thread that opens it reaches files as a user who owns none of them until it is closed, even the superuser's. */
final class Unprivileged implements AutoCloseable {
    private static final int NOBODY = 65_534;
    private static final MethodHandle SET = handle();

    private final int before = set(NOBODY);

    @SuppressWarnings("restricted")
    private static MethodHandle handle() {
        final Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow("setfsuid"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    /** Gives the user before; who may not change it stays who he is. */
    private static int set(final int user) {
        try {
            return (int) SET.invokeExact(user);
        } catch (final Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        set(before);
    }
}
