package dev.skerry.bench.port;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.MemifAddress;
import dev.skerry.tools.port.MemifPort;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorSettings;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Our side of a duel: a thread that polls a memif port, pinned to a processor if {@code taskset} is available. */
final class OurPeer implements AutoCloseable {
    private static final int BURST = 32;
    private static final int MAX_BYTES = 2048;
    private static final int ROUNDS_A_LOOK = 64;
    private static final com.sun.management.ThreadMXBean THREADS =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Duel duel;
    private final int processor;
    private final MemifPort port;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::run, "peer");

    /** Opens the port and starts the thread. A server listens when this returns. */
    OurPeer(final Duel duel, final Path socket, final int processor) {
        this.duel = duel;
        this.processor = processor;
        this.port = MemifPort.open(MemifAddress.parse("memif:" + socket + "," + duel.role()));
        thread.start();
    }

    /** Bytes that the thread has allocated so far; allocation per packet would show here. */
    long allocatedBytes() {
        return THREADS.getThreadAllocatedBytes(thread.threadId());
    }

    private void run() {
        pin();
        try (Arena arena = Arena.ofConfined()) {
            final PacketBurst burst = new PacketBurst(arena, BURST, MAX_BYTES);
            switch (duel) {
                case RECEIVE -> receive(burst);
                case ECHO -> echo(burst);
                case GENERATE -> generate("gen:64B,max,same");
                default -> generate("gen:64B,max");
            }
        } catch (final RuntimeException | Error e) {
            failure.set(e);
        }
    }

    private void receive(final PacketBurst burst) {
        while (!over.getAcquire()) {
            port.poll(System.nanoTime());
            for (int round = 0; round < ROUNDS_A_LOOK; round++) {
                burst.clear();
                port.rxBurst(burst);
            }
        }
    }

    /** Packets that find no room stay in the burst and are offered again. */
    private void echo(final PacketBurst burst) {
        int done = 0;
        while (!over.getAcquire()) {
            port.poll(System.nanoTime());
            for (int round = 0; round < ROUNDS_A_LOOK; round++) {
                if (done == burst.size()) {
                    burst.clear();
                    done = 0;
                    port.rxBurst(burst);
                }
                done += port.txBurst(burst, done);
            }
        }
    }

    /** Writes the packets directly into the ring, without a copy. */
    private void generate(final String what) {
        try (GeneratorPort generator = GeneratorPort.open(GeneratorSettings.parse(what, 0))) {
            while (!over.getAcquire()) {
                port.poll(System.nanoTime());
                for (int round = 0; round < ROUNDS_A_LOOK; round++) {
                    final PacketBurst lent = port.txLend(BURST);
                    if (lent != null && generator.rxBurst(lent) > 0) {
                        port.txBurst(lent, 0);
                    }
                }
            }
        }
    }

    /** Pins the thread with {@code taskset}. If that fails, the system places the thread and the rate may be lower. */
    private void pin() {
        try {
            final String task = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            new ProcessBuilder("taskset", "-pc", Integer.toString(processor), task)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD)
                .start().waitFor();
        } catch (final IOException e) {
            return;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends the thread and closes the port.
     *
     * @throws IllegalStateException if the port failed or the peer broke the protocol.
     */
    @Override
    public void close() {
        over.setRelease(true);
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        final long downs = port.counts().get(PortCounter.LINKS_DOWN);
        final String reason = port.lastReason();
        port.close();
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
        // The peer's disconnect at the end counts once.
        if (downs > 1) {
            throw new IllegalStateException("the port went down: links_down=" + downs + " " + reason);
        }
    }
}
