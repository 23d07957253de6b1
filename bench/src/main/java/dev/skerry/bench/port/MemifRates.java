package dev.skerry.bench.port;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.MemifPort;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.report.OutFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.Writer;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code skerry bench memif-rates}: packets of 64 bytes per second, with testpmd and our peer in turn, on two
 * processors.
 */
@Command(
    name = "memif-rates",
    description = {
        "Measures 64-byte packets per second over memif: dpdk-testpmd and Skerry, alternating, with the same peer.",
        "",
        "  receive    testpmd txonly sends; testpmd rxonly, or Skerry with a copy of each packet, receives",
        "  echo       testpmd flowgen sends; testpmd io, or Skerry, sends back",
        "  generate   testpmd txonly, or Skerry's generator with identical packets; testpmd rxonly receives",
        "  probe      the same, but Skerry's packets have a number, a time and checksums",
        "",
        "It needs two idle processors. Each run is printed; the table has the median and the best.",
        ""
    })
public final class MemifRates extends ToolCommand {
    private static final double NS = 1e9;
    private static final int PEER_PROCESSOR = 1;
    private static final int OWN_PROCESSOR = 0;
    private static final long START_MS = 1_500;

    @Parameters(paramLabel = "PAIR", arity = "0..*", description = "What to measure (default: all).")
    private List<String> pairs = new ArrayList<>();

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "5",
        description = "Seconds for which a run is measured (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "3",
        description = "Seconds of warm-up before that (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--runs", paramLabel = "N", defaultValue = "3",
        description = "Number of runs of each side (default: ${DEFAULT-VALUE}).")
    private int runs;

    private Path work;
    private int started;

    @Override
    public Integer call() throws IOException, InterruptedException {
        final List<Duel> duels = new ArrayList<>();
        check(duels);
        work = Files.createTempDirectory("skerry-rates");
        try {
            for (final Duel duel : duels) {
                duel(duel);
            }
        } finally {
            OutFolder.deleteAll(work);
        }
        return 0;
    }

    private void check(final List<Duel> duels) {
        Choices.inRange("--seconds", seconds, 1, 600);
        Choices.inRange("--warm-up", warmUp, 1, 600);
        Choices.inRange("--runs", runs, 1, 100);
        for (final String pair : pairs) {
            duels.add(Stream.of(Duel.values()).filter(duel -> name(duel).equals(pair)).findAny()
                .orElseThrow(() -> new InputException("memif-rates", pair, "there is no such pair",
                    "give some of receive, echo, generate, probe")));
        }
        if (pairs.isEmpty()) {
            duels.addAll(List.of(Duel.values()));
        }
        Choices.refuseIf(Runtime.getRuntime().availableProcessors() < 2, "memif-rates", "processors",
            "there is only one", "use a machine with two");
        Choices.refuseIf(!TestpmdProcess.isInstalled(), "memif-rates", "dpdk-testpmd",
            "it or its memif driver is not installed",
            "install it, on Debian 12 the packages dpdk-dev, librte-net-memif23 and librte-mempool-ring23");
    }

    private static String name(final Duel duel) {
        return duel.name().toLowerCase(Locale.ROOT);
    }

    private void duel(final Duel duel) throws IOException, InterruptedException {
        final double[] theirs = new double[runs];
        final double[] ours = new double[runs];
        for (int run = 0; run < runs; run++) {
            theirs[run] = withTestpmd(duel);
            ours[run] = withUs(duel);
        }
        out().printf(Locale.ROOT, "%-9s testpmd %-6s %s%n", name(duel), duel.baseline, Spread.of(theirs));
        out().printf(Locale.ROOT, "%-9s ours           %s, %.2f x by the median, %.2f x by the best%n", name(duel),
            Spread.of(ours), Spread.of(ours).median() / Spread.of(theirs).median(),
            Spread.of(ours).best() / Spread.of(theirs).best());
        out().flush();
    }

    /** Starts the server before the client, because testpmd tries to connect only once. */
    private double withTestpmd(final Duel duel) throws IOException, InterruptedException {
        final Path socket = next().resolve("m.sock");
        final boolean isPeerFirst = duel.peerRole().equals("server");
        final String first = isPeerFirst ? "server" : duel.role();
        try (TestpmdProcess server = new TestpmdProcess(socket.resolveSibling("s"), first, socket,
            isPeerFirst ? PEER_PROCESSOR : OWN_PROCESSOR)) {
            await(socket);
            try (TestpmdProcess client = new TestpmdProcess(socket.resolveSibling("c"), "client", socket,
                isPeerFirst ? OWN_PROCESSOR : PEER_PROCESSOR)) {
                final TestpmdProcess other = isPeerFirst ? client : server;
                TimeUnit.MILLISECONDS.sleep(START_MS);
                other.say("set fwd " + duel.baseline, "start");
                return measured(duel, isPeerFirst ? server : client, null);
            }
        }
    }

    private double withUs(final Duel duel) throws IOException, InterruptedException {
        final Path socket = next().resolve("m.sock");
        if (duel.peerRole().equals("server")) {
            try (TestpmdProcess peer = new TestpmdProcess(socket.resolveSibling("s"), "server", socket,
                PEER_PROCESSOR)) {
                await(socket);
                try (OurPeer us = new OurPeer(duel, socket, OWN_PROCESSOR)) {
                    TimeUnit.MILLISECONDS.sleep(START_MS);
                    return measured(duel, peer, us);
                }
            }
        }
        try (OurPeer us = new OurPeer(duel, socket, OWN_PROCESSOR);
            TestpmdProcess peer = new TestpmdProcess(socket.resolveSibling("c"), "client", socket, PEER_PROCESSOR)) {
            TimeUnit.MILLISECONDS.sleep(START_MS);
            return measured(duel, peer, us);
        }
    }

    private double measured(final Duel duel, final TestpmdProcess peer, final OurPeer us)
        throws IOException, InterruptedException {
        peer.say("set fwd " + duel.peer, "start");
        TimeUnit.SECONDS.sleep(warmUp);
        final long before = us == null ? 0 : us.allocatedBytes();
        peer.say("clear port stats 0");
        final long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        peer.say("show port stats 0");
        final double time = (System.nanoTime() - start) / NS;
        final long allocated = us == null ? 0 : us.allocatedBytes() - before;
        final double rate = peer.quit(duel.counter) / time;
        say("%s %s: %,.0f packets/s%s", name(duel), us == null ? "testpmd" : "ours", rate,
            us == null ? "" : ", " + allocated + " bytes allocated");
        if (!(rate > 0)) {
            throw new IOException(name(duel) + ": nothing was moved");
        }
        return rate;
    }

    private Path next() throws IOException {
        return Files.createDirectories(work.resolve(Integer.toString(started++)));
    }

    private static void await(final Path socket) throws IOException, InterruptedException {
        for (int i = 0; !Files.exists(socket); i++) {
            if (i == 1_000) {
                throw new IOException("nobody listens at " + socket);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void say(final String format, final Object... values) {
        err().printf(Locale.ROOT, format + "%n", values);
        err().flush();
    }

    /** One kind of work at a memif port. First testpmd does it, then our peer, connected to the same testpmd. */
    enum Duel {
        /** Receives packets, copies them out of the ring and drops them. */
        RECEIVE("txonly", "TX-packets", "rxonly"),
        /** Sends back every packet to a peer that sends and receives at the same time. */
        ECHO("flowgen", "RX-packets", "io"),
        /** Sends identical packets. */
        GENERATE("rxonly", "RX-packets", "txonly"),
        /** Sends packets like {@link #GENERATE}; ours also carry a number, a time and checksums. */
        PROBE("rxonly", "RX-packets", "txonly");

        /** Forwarding mode of the testpmd at the other end, whose counter is measured. */
        private final String peer;
        /** Measured counter of that testpmd. */
        private final String counter;
        /** Forwarding mode of the testpmd that does our work as the baseline. */
        private final String baseline;

        Duel(final String peer, final String counter, final String baseline) {
            this.peer = peer;
            this.counter = counter;
            this.baseline = baseline;
        }

        private boolean generates() {
            return this == GENERATE || this == PROBE;
        }

        /** Returns our role. The generator is the client, as in testpmd's own pair; the receiver is the server. */
        String role() {
            return generates() ? "client" : "server";
        }

        /** Returns the role of the testpmd at the other end. */
        String peerRole() {
            return generates() ? "server" : "client";
        }
    }

    /**
     * Rates of several runs.
     *
     * @param least  slowest run.
     * @param median middle run, the lower one of two.
     * @param best   fastest run.
     */
    private record Spread(double least, double median, double best) {
        static Spread of(final double[] rates) {
            final double[] sorted = rates.clone();
            Arrays.sort(sorted);
            return new Spread(sorted[0], sorted[(sorted.length - 1) / 2], sorted[sorted.length - 1]);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,.0f packets/s (%,.0f to %,.0f)", median, least, best);
        }
    }

    /** Our side of a duel: a thread that polls a memif port, pinned to a processor if {@code taskset} is available. */
    private static final class OurPeer implements AutoCloseable {
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

        /** Returns the bytes that the thread has allocated so far, which would show an allocation per packet. */
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

        /** Packets for which there is no room stay in the burst and are offered again. */
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

        /**
         * Pins the thread with {@code taskset}. If that fails, the system places the thread and the rate may be lower.
         */
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

    /**
     * A testpmd process with one memif port. Its forwarding thread has a processor of its own; commands go to its
     * standard input (docs/spec/memif.md §11). Its output is complete only after it has ended.
     */
    private static final class TestpmdProcess implements AutoCloseable {
        private static final String PROGRAM = "dpdk-testpmd";
        private static final Pattern STATISTICS = Pattern.compile("NIC statistics for port 0 +#.*?Throughput",
            Pattern.DOTALL);

        private final Path output;
        private final Process process;
        private final Writer input;

        /**
         * Starts the process, without forwarding.
         *
         * @param folder    created for its files.
         * @param role      its role: server or client.
         * @param socket    socket of the port.
         * @param processor processor of its threads; the command thread sleeps.
         */
        TestpmdProcess(final Path folder, final String role, final Path socket, final int processor)
            throws IOException {
            Files.createDirectories(folder);
            output = folder.resolve("testpmd.log");
            final ProcessBuilder builder = new ProcessBuilder(PROGRAM,
                "--no-huge", "-m", "128", "--no-pci", "--no-telemetry", "--lcores", "0@" + processor + ",1@"
                + processor,
                "--file-prefix", "skerry" + ProcessHandle.current().pid() + folder.getFileName(),
                "--vdev=net_memif0,role=" + role + ",id=0,socket=" + socket
                    + ",socket-abstract=no,bsize=2048,rsize=10,zero-copy=no",
                "--", "-i", "--total-num-mbufs=8192", "--no-mlockall", "--no-flush-rx", "--burst=32", "--txpkts=64");
            builder.environment().put("RUNTIME_DIRECTORY", folder.toString());
            builder.environment().put("XDG_RUNTIME_DIR", folder.toString());
            process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
            input = process.outputWriter(StandardCharsets.US_ASCII);
        }

        /** Tells whether testpmd and its memif driver are installed. */
        static boolean isInstalled() {
            final boolean program = Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
            if (!program) {
                return false;
            }
            try (Stream<Path> files = Files.find(Path.of("/usr/lib"), 5,
                (path, attributes) -> path.endsWith("librte_net_memif.so"))) {
                return files.findAny().isPresent();
            } catch (final IOException | java.io.UncheckedIOException e) {
                return false;
            }
        }

        void say(final String... commands) throws IOException {
            for (final String command : commands) {
                input.write(command + "\n");
            }
            input.flush();
        }

        /** Ends the process; returns the last value of a counter that {@code show port stats 0} printed. */
        long quit(final String counter) throws IOException, InterruptedException {
            say("stop", "quit");
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IOException("testpmd does not end");
            }
            final List<String> shown = STATISTICS.matcher(Files.readString(output)).results()
                .map(java.util.regex.MatchResult::group).toList();
            final Matcher value = Pattern.compile(counter + ": *(\\d+)").matcher(shown.isEmpty() ? ""
                : shown.getLast());
            if (!value.find()) {
                throw new IOException("testpmd shows no " + counter + ": " + tail());
            }
            return Long.parseLong(value.group(1));
        }

        private String tail() throws IOException {
            final List<String> lines = Files.readAllLines(output);
            return String.join(" / ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
