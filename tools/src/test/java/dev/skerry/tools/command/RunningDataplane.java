package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/** A dataplane that runs within the test's process and takes orders at a socket. */
final class RunningDataplane implements AutoCloseable {
    private final Path socket;
    private final CompletableFuture<Invocation> run = new CompletableFuture<>();
    private final Thread thread;

    /** Starts it; {@code DIR} in its options is the folder. */
    RunningDataplane(final Path folder, final String options) {
        this.socket = folder.resolve("s");
        this.thread = Thread.ofPlatform().start(() -> run.complete(Invocation.ofLine(
            ("live --json --warm-up 0 --dir DIR/counters --ctl DIR/s " + options).replace("DIR", folder.toString()))));
        while (!Files.exists(socket)) {
            assertFalse(run.isDone(), () -> run.join().err());
            Thread.yield();
        }
    }

    Invocation order(final String order) {
        return Invocation.ofLine("ctl --socket " + socket + " " + order);
    }

    /** The answer to an order that is carried out. */
    String ask(final String order) {
        return order(order).ok().out();
    }

    /** All that a tap sends until it ends; the client would write it to the standard output of the test's process. */
    byte[] capture(final String tap) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap((tap + "\n").getBytes(StandardCharsets.UTF_8)));
            return Channels.newInputStream(channel).readAllBytes();
        }
    }

    void refuses(final String line, final String why) {
        order(line).refused(why);
    }

    long count(final String node, final String counter) {
        return ask("counters " + node).lines().filter(line -> line.startsWith("port " + node + " " + counter + " "))
            .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    void await(final String node, final String counter, final long value) {
        while (count(node, counter) < value) {
            assertFalse(run.isDone(), () -> run.join().err());
            Thread.yield();
        }
    }

    /** Waits until {@code ports} has a line: a port that was added is up when its node has polled it. */
    void awaitPort(final String line) {
        while (!ask("ports").contains(line)) {
            assertFalse(run.isDone(), () -> run.join().err());
            Thread.yield();
        }
    }

    /** Waits until the counters that {@code stat} reads have a name, which may be later than orders see a port. */
    void awaitName(final String name) {
        while (!Invocation.ofLine("stat --json --dir " + socket.resolveSibling("counters")).out().contains(name)) {
            assertFalse(run.isDone(), () -> run.join().err());
            Thread.yield();
        }
    }

    /**
     * The report of a run that ends when its generators are removed, as ports that write captures bring no packets.
     * Nothing was lost without a name.
     */
    JsonNode end(final int... generators) throws Exception {
        for (final int node : generators) {
            ask("remove " + node);
        }
        final JsonNode report = run.get().ok().json();
        assertTrue(report.get("conserved").asBoolean());
        assertEquals(0, report.get("packetsHeld").asLong());
        return report;
    }

    /** A test that failed leaves none behind. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
