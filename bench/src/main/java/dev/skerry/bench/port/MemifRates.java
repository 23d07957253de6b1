package dev.skerry.bench.port;

import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code skerry bench memif-rates}: packets of 64 bytes per second, testpmd and our peer in turn, on two processors.
 */
@Command(
    name = "memif-rates",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Packets of 64 bytes a second over memif: dpdk-testpmd and ours in turn, opposite the same dpdk-testpmd.",
        "",
        "  receive    txonly to rxonly, beside ours that takes each packet with a copy and drops it",
        "  echo       flowgen to io and back, beside our echo",
        "  generate   txonly to rxonly, beside our generator, packets all alike",
        "  probe      the same, but ours have number, time and check sums",
        "  live       across the eight nodes of Shoal: generators at both ends, testpmd at one end, at both ends",
        "",
        "Needs two idle processors. Each run is printed; the table has the median and the best.",
        ""
    })
public final class MemifRates implements Callable<Integer> {
    private static final double NS = 1e9;
    private static final int PEER_PROCESSOR = 1;
    private static final int OWN_PROCESSOR = 0;
    private static final String LIVE = "live";
    private static final long START_MS = 1_500;

    @Parameters(paramLabel = "PAIR", arity = "0..*", description = "What to measure (default: all).")
    private List<String> pairs = new ArrayList<>();

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "5",
        description = "How long a run is measured (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "3",
        description = "How long it has run before (default: ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--runs", paramLabel = "N", defaultValue = "3",
        description = "Runs of each side (default: ${DEFAULT-VALUE}).")
    private int runs;

    @Spec
    private CommandSpec spec;

    private PrintWriter out;
    private Path work;
    private int started;

    public MemifRates() {
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        final List<Duel> duels = new ArrayList<>();
        final boolean live = check(duels);
        out = spec.commandLine().getOut();
        work = Files.createTempDirectory("skerry-rates");
        try {
            for (final Duel duel : duels) {
                duel(duel);
            }
            if (live) {
                across();
            }
        } finally {
            remove();
        }
        return 0;
    }

    private void across() throws IOException, InterruptedException {
        final String generators = "--map 0:5,5:0 --port 0=gen:64B,max,to=5 --port 5=gen:64B,max,to=0";
        final String lockStep = "--mode lockstep ";
        across("generators at both ends, lock step, 1 thread", 0, lockStep + generators);
        across("generators at both ends, lock step, 2 threads", 0, lockStep + "--threads 2 " + generators);
        across("generators at both ends, 2 threads", 0, "--threads 2 " + generators);
        across("testpmd txonly to a generator port, lock step, 1 thread", 1, lockStep + "--map 0:5,5:0 "
            + "--port 0=memif:SOCKET0,server --port 5=gen:64B,1pps,to=0");
        across("testpmd txonly to testpmd rxonly, lock step, 1 thread", 2, lockStep + "--map 0:5,5:0 "
            + "--port 0=memif:SOCKET0,server --port 5=memif:SOCKET1,server");
    }

    private boolean check(final List<Duel> duels) {
        inRange("--seconds", seconds, 600);
        inRange("--warm-up", warmUp, 600);
        inRange("--runs", runs, 100);
        for (final String pair : pairs) {
            if (!pair.equals(LIVE)) {
                duels.add(Stream.of(Duel.values()).filter(duel -> name(duel).equals(pair)).findAny()
                    .orElseThrow(() -> new InputException("memif-rates", pair, "there is no such pair",
                        "give some of receive, echo, generate, probe, live")));
            }
        }
        if (pairs.isEmpty()) {
            duels.addAll(List.of(Duel.values()));
        }
        if (Runtime.getRuntime().availableProcessors() < 2) {
            throw new InputException("memif-rates", "processors", "there is only one", "use a machine with two");
        }
        if (!TestpmdProcess.isInstalled()) {
            throw new InputException("memif-rates", "dpdk-testpmd", "it or its memif driver is not installed",
                "install it, on Debian 12 the packages dpdk-dev, librte-net-memif23 and librte-mempool-ring23");
        }
        return pairs.isEmpty() || pairs.contains(LIVE);
    }

    private static void inRange(final String option, final int value, final int most) {
        if (value < 1 || value > most) {
            throw new InputException(option, Integer.toString(value), "must be 1 to " + most,
                "give a number in this range");
        }
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
        out.printf(Locale.ROOT, "%-9s testpmd %-6s %s%n", name(duel), duel.baseline(), Spread.of(theirs));
        out.printf(Locale.ROOT, "%-9s ours           %s, %.2f x by the median, %.2f x by the best%n", name(duel),
            Spread.of(ours), Spread.of(ours).median() / Spread.of(theirs).median(),
            Spread.of(ours).best() / Spread.of(theirs).best());
        out.flush();
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
                other.say("set fwd " + duel.baseline(), "start");
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
        peer.say("set fwd " + duel.peer(), "start");
        TimeUnit.SECONDS.sleep(warmUp);
        final long before = us == null ? 0 : us.allocatedBytes();
        peer.say("clear port stats 0");
        final long start = System.nanoTime();
        TimeUnit.SECONDS.sleep(seconds);
        peer.say("show port stats 0");
        final double time = (System.nanoTime() - start) / NS;
        final long allocated = us == null ? 0 : us.allocatedBytes() - before;
        final double rate = peer.quit(duel.counter()) / time;
        say("%s %s: %,.0f packets/s%s", name(duel), us == null ? "testpmd" : "ours", rate,
            us == null ? "" : ", " + allocated + " bytes allocated");
        if (!(rate > 0)) {
            throw new IOException(name(duel) + ": nothing was moved");
        }
        return rate;
    }

    /** Measures packets per second out of a fabric, by the fabric's own counters. */
    private void across(final String what, final int testpmds, final String line)
        throws IOException, InterruptedException {
        final double[] rates = new double[runs];
        for (int run = 0; run < runs; run++) {
            rates[run] = across(testpmds, line);
            say("live, %s: %,.0f packets/s", what, rates[run]);
        }
        out.printf(Locale.ROOT, "%-9s %s: %s%n", LIVE, what, Spread.of(rates));
        out.flush();
    }

    private double across(final int testpmds, final String line) throws IOException, InterruptedException {
        final Path folder = next();
        final List<TestpmdProcess> ends = new ArrayList<>();
        final String options = line.replace("SOCKET", folder.resolve("m.sock").toString());
        try (LiveRate live = new LiveRate(folder.resolve("live"), List.of(options.split(" ")))) {
            for (int end = 0; end < testpmds; end++) {
                final Path socket = folder.resolve("m.sock" + end);
                await(socket);
                ends.add(new TestpmdProcess(folder.resolve("t" + end), "client", socket,
                    end == 0 ? PEER_PROCESSOR : OWN_PROCESSOR));
                TimeUnit.MILLISECONDS.sleep(START_MS);
                ends.get(end).say(end == 0 ? "set fwd txonly" : "set fwd rxonly", "start");
            }
            TimeUnit.SECONDS.sleep(warmUp);
            final long before = live.packets();
            final long start = System.nanoTime();
            TimeUnit.SECONDS.sleep(seconds);
            final long packets = live.packets() - before;
            final double time = (System.nanoTime() - start) / NS;
            live.end();
            return packets / time;
        } finally {
            ends.forEach(TestpmdProcess::close);
        }
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
        spec.commandLine().getErr().printf(Locale.ROOT, format + "%n", values);
        spec.commandLine().getErr().flush();
    }

    private void remove() throws IOException {
        try (Stream<Path> all = Files.walk(work)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
