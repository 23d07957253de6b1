package dev.skerry;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.live.LiveCommand;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A running fabric that carries packets, as {@code skerry live} does, between {@link QueuePort}s of this process and
 * any other ports that its settings name ({@code set("port", "3=memif:/run/skerry.sock,server")}). Build it with
 * {@link FabricBuilder#live}. It runs on threads of its own from the moment that it exists until {@link #stop}, or
 * until all ports have ended. Any thread may call.
 *
 * <p>{@code skerry stat} shows the fabric if a folder for the counters is set ({@code set("dir", folder)}). This needs
 * {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}; all else needs no flag of the JVM, and with
 * {@code --enable-native-access=ALL-UNNAMED} nothing is printed.
 */
public final class Live implements AutoCloseable {
    private final StopSignal stop = StopSignal.ofProgram();
    private final StringWriter report = new StringWriter();
    private final StringWriter notices = new StringWriter();
    private final Thread thread;
    private RuntimeException failure;
    private int code;

    Live(final List<String> options, final QueuePort... ports) {
        final List<String> words = new ArrayList<>(options);
        Arrays.stream(ports).forEach(port -> words.add("--port=" + port.node() + "=" + LiveCommand.IN_PROCESS));
        final CountDownLatch running = new CountDownLatch(ports.length);
        final LiveCommand command = new LiveCommand(stop, Arrays.stream(ports).map(port -> port.fabricEnd(running))
            .toList());
        final CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        line.setOut(new PrintWriter(report));
        line.setErr(new PrintWriter(notices));
        try {
            line.parseArgs(words.toArray(String[]::new));
        } catch (final ParameterException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        this.thread = new Thread(() -> run(command, running), "skerry-live");
        thread.setDaemon(true);
        thread.start();
        try {
            running.await();
        } catch (final InterruptedException e) {
            stop();
            Thread.currentThread().interrupt();
        }
        throwFailure();
    }

    private void run(final LiveCommand command, final CountDownLatch running) {
        try {
            code = command.call();
        } catch (final InputException e) {
            failure = new IllegalArgumentException(e.getMessage(), e);
        } catch (final Exception | LinkageError | OutOfMemoryError e) {
            failure = new IllegalStateException("the fabric has failed: " + e, e);
        } finally {
            while (running.getCount() > 0) {
                running.countDown();
            }
        }
    }

    /** Whether the fabric still runs. */
    public boolean isRunning() {
        return thread.isAlive();
    }

    /**
     * Ends the intake, waits until the packets in flight are delivered, and returns the report of
     * {@code skerry live}. If the fabric has ended already, returns its report.
     *
     * @throws IllegalStateException if the fabric has failed, or packets were lost that should not be; the message
     *                               holds the report.
     */
    public String stop() {
        stop.request();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        throwFailure();
        if (code != 0) {
            throw new IllegalStateException("exit code " + code + ": " + notices + report);
        }
        return report.toString();
    }

    /** Notices so far, a line each: for example losses, and peers that came. */
    public String notices() {
        return notices.toString();
    }

    private void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Stops the fabric, as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }
}
