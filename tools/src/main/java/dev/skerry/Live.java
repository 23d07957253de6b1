package dev.skerry;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.live.LiveCommand;
import dev.skerry.tools.port.LivePort;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A running fabric that carries packets between {@link QueuePort}s of this process, like {@code skerry live}. The
 * option {@code port} adds ports of other types. Start the fabric with {@link FabricBuilder#live}. It runs on its own
 * threads until you call {@link #stop}, or until all ports have ended.
 *
 * <pre>{@code
 * Shoal builder = Shoal.nodes(8).set("warm-up", 0).set("map", "0:3,3:0,4:5,5:4")
 *     .set("port", List.of("3=loop", "4=gen:64B,max,to=5,count=100", "5=gen:64B,max,to=4,count=100"));
 * try (QueuePort port = new QueuePort(0); Live live = builder.live(port)) {
 *     port.offer(new byte[64], 0, 64);
 *     while (port.poll(new byte[1_536]) == 0) {
 *         Thread.onSpinWait();                       // node 3 sends the packet back
 *     }
 *     System.out.println(live.stop());
 * }
 * }</pre>
 *
 * <p>Thread-safe. Close the fabric before its ports.
 *
 * <p>To show the fabric in {@code skerry stat}, set a folder for its counters ({@code set("dir", folder)}) and start
 * the JVM with {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}. Nothing else needs a JVM flag;
 * {@code --enable-native-access=ALL-UNNAMED} suppresses a warning of the JVM.
 */
public final class Live implements AutoCloseable {
    private final StopSignal stop = StopSignal.ofProgram();
    private final StringWriter report = new StringWriter();
    private final StringWriter notices = new StringWriter();
    private final List<QueuePort> ports;
    private final Thread thread;
    private RuntimeException failure;
    private int code;

    Live(final List<String> options, final QueuePort... ports) {
        this.ports = List.of(ports);
        // Ports of this process come first: the position of a port selects its end in the list given to the command.
        final List<String> words = new ArrayList<>();
        this.ports.forEach(port -> words.add("--port=" + port.node() + "=" + LiveCommand.IN_PROCESS));
        words.addAll(options);
        final CountDownLatch running = new CountDownLatch(ports.length);
        final List<LivePort> ends = new ArrayList<>();
        final LiveCommand command;
        try {
            this.ports.forEach(port -> ends.add(port.fabricEnd(running)));
            command = new LiveCommand(stop, ends);
            final CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
            line.setOut(new PrintWriter(report));
            line.setErr(new PrintWriter(notices));
            line.parseArgs(words.toArray(String[]::new));
        } catch (final ParameterException e) {
            release(ends.size());
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (final IllegalStateException e) {
            release(ends.size());
            throw e;
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
            release(ports.size());
            while (running.getCount() > 0) {
                running.countDown();
            }
        }
    }

    /** Releases the first {@code count} ports, so that other fabrics can use them. */
    private void release(final int count) {
        ports.subList(0, count).forEach(QueuePort::release);
    }

    /** Whether the fabric is running. */
    public boolean isRunning() {
        return thread.isAlive();
    }

    /**
     * Stops accepting packets, waits until the packets in flight are delivered, and returns the report of
     * {@code skerry live}. Returns the report immediately if the fabric has already ended.
     *
     * @throws IllegalStateException if the fabric has failed, or has lost packets without a permitted cause; the
     *                               message contains the report.
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

    /** Notices so far, one per line, for example about lost packets and connected peers. */
    public String notices() {
        return notices.toString();
    }

    private void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Stops the fabric, as {@link #stop}. Closing it again has no effect. */
    @Override
    public void close() {
        stop();
    }
}
