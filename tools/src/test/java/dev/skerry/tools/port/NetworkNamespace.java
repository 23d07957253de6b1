package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs a test in a network namespace that nothing else uses: a thread of its own leaves that of the process. Sockets
 * and devices of this thread, and the programs it starts, are in the new one, which ends with the thread.
 */
final class NetworkNamespace {
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final MethodHandle UNSHARE = Libc.ints("unshare", JAVA_INT);

    private NetworkNamespace() {
    }

    /** Runs a test, or skips it with the reason why this machine does not allow it. */
    static void run(final Body test) throws InterruptedException {
        assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "skipped: /dev/net/tun may not be opened here");
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final AtomicReference<String> refused = new AtomicReference<>("");
        final Thread thread = new Thread(() -> {
            final long result = Libc.call(UNSHARE, CLONE_NEWNET);
            if (result < 0) {
                refused.set("skipped: no network namespace may be made here: errno=" + -result);
                return;
            }
            try {
                test.run();
            } catch (final Throwable e) {
                failure.set(e);
            }
        }, "namespace");
        thread.start();
        try {
            thread.join();
        } catch (final InterruptedException timeout) {
            // The test's time limit: the body sees it too.
            thread.interrupt();
            thread.join();
        }
        assumeTrue(refused.get().isEmpty(), refused.get());
        switch (failure.get()) {
            case null -> { }
            case final Error error -> throw error;
            case final RuntimeException error -> throw error;
            case final InterruptedException error -> throw error;
            default -> throw new IllegalStateException(failure.get());
        }
    }

    /** Runs {@code ip} with arguments. */
    static void ip(final String arguments) throws Exception {
        final Process process = new ProcessBuilder(("ip " + arguments).split(" ")).redirectErrorStream(true).start();
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), "ip " + arguments + ": " + said);
    }

    /** A test. */
    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }
}
