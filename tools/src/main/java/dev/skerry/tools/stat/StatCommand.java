package dev.skerry.tools.stat;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.StopSignal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code skerry stat}: prints the counters of dataplanes in other processes. */
@Command(name = "stat", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Shows the counters of every fabric of this user that is running (skerry live and run --publish).",
        "Reading them costs the dataplane nothing. Files that killed processes left are named, not shown.",
        ""
    },
    footer = {
        "",
        "Example, every second until Ctrl-C:",
        "  ./skerry stat --watch",
        "",
        "For Prometheus, at http://localhost:9400/metrics:",
        "  ./skerry stat --prometheus 9400"
    })
public final class StatCommand implements Callable<Integer> {
    private static final String CLEAR = "\033[H\033[2J";
    private static final int MAX_PORT = 65_535;
    private static final long PAUSE_NS = 50_000_000;
    private static final double NS = 1e9;

    @Option(names = "--dir", paramLabel = "DIR",
        description = "Where the counters are (default: /dev/shm/skerry-USER, or skerry-USER in the folder for "
            + "temporary files).")
    Path folder;

    @Option(names = "--all", description = "Show counters that are 0, too.")
    boolean all;

    @Option(names = "--watch", paramLabel = "SECONDS", arity = "0..1", fallbackValue = "1",
        description = "One line a port, with rates, until Ctrl-C; every second, or as given. With --all every "
            + "counter.")
    Double watch;

    @Option(names = "--matrix",
        description = "Draw who meets whom in the slot that a fabric was last seen in, up to 156 nodes.")
    boolean matrix;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Option(names = "--prometheus", paramLabel = "PORT",
        description = "Serve them to Prometheus at this port of the local host until Ctrl-C; 0: any free one.")
    Integer prometheus;

    @Spec
    CommandSpec spec;

    /** Creates the command for picocli, which then sets its options. */
    public StatCommand() {
    }

    @Override
    public Integer call() throws IOException {
        final Path where = Choices.userFolder("--dir", folder);
        Choices.refuseIf(prometheus != null && (json || watch != null || matrix), "--prometheus", prometheus,
            "--json, --watch or --matrix is given too", "leave out all but one");
        Choices.refuseIf(matrix && json, "--matrix", null, "--json is given too", "leave out one of them");
        Choices.refuseIf(watch != null && !(watch > 0 && watch <= 1e6), "--watch", watch, "must be more than 0 s",
            "give seconds, for example 1");
        if (prometheus != null) {
            Choices.inRange("--prometheus", prometheus, 0, MAX_PORT);
            return serve(where);
        }
        final PrintWriter out = spec.commandLine().getOut();
        if (watch != null) {
            return watch(where, out);
        }
        final Snapshot snapshot = Snapshot.of(where);
        out.print(json ? snapshot.json() : snapshot.table(all, null) + meetings(where, snapshot));
        out.flush();
        return 0;
    }

    private Integer watch(final Path where, final PrintWriter out) throws IOException {
        Snapshot before = null;
        try (StopSignal stop = StopSignal.listen()) {
            while (!stop.requested() && !out.checkError()) {
                final Snapshot now = Snapshot.of(where);
                out.print(json ? now.json() : (System.console() == null ? "" : CLEAR)
                    + (all ? now.table(true, before) : now.ports(before)) + meetings(where, now));
                before = now;
                final long until = System.nanoTime() + (long) (watch * NS);
                while (!stop.requested() && System.nanoTime() - until < 0) {
                    LockSupport.parkNanos(Math.min(PAUSE_NS, Math.max(1, until - System.nanoTime())));
                }
            }
        }
        return 0;
    }

    /** The matrix of every process, or nothing where it is not asked for. */
    private String meetings(final Path where, final Snapshot now) throws IOException {
        final StringBuilder out = new StringBuilder();
        for (final Snapshot.Process process : matrix ? now.processes() : List.<Snapshot.Process>of()) {
            out.append("process ").append(process.pid()).append('\n').append(MeetingLines.of(where, process));
        }
        return out.toString();
    }

    private Integer serve(final Path where) {
        final PrintWriter err = spec.commandLine().getErr();
        try (StopSignal stop = StopSignal.listen();
            PrometheusServer server = PrometheusServer.start(prometheus, where)) {
            err.println("skerry: stat: http://localhost:" + server.port() + "/metrics");
            err.flush();
            while (!stop.requested()) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return 0;
    }

    /**
     * Who meets whom in a slot of a process, as dots of Braille: a row for each sender, a column for each receiver. The
     * schedule stands in a file beside the counters. Pure functions of files; any thread.
     */
    private static final class MeetingLines {
        /** What 80 columns hold. */
        private static final int MOST_NODES = 156;
        private static final int DOTS_ACROSS = 2;
        private static final int DOTS_DOWN = 4;
        private static final char NO_DOT = '\u2800';
        /** By row of a character, then by column: the bit of its dot. */
        private static final int[][] DOT = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

        private MeetingLines() {
        }

        /** The lines of a process at the slot that it was last seen in; one line where they can't be drawn. */
        static String of(final Path folder, final Snapshot.Process process) throws IOException {
            final Path file = folder.resolve(process.pid() + ".schedule");
            if (!Files.isRegularFile(file)) {
                return "  no schedule to draw\n";
            }
            final List<String> lines = Files.readAllLines(file);
            final int[] head = numbers(lines.getFirst());
            final int nodes = head[0];
            final int channels = head[1];
            if (nodes > MOST_NODES) {
                return "  a matrix of " + nodes + " nodes is too wide, " + MOST_NODES + " at most\n";
            }
            final long slot = slot(process.values());
            final int at = (int) (slot % head[2]);
            final char[][] dots = new char[Math.ceilDiv(nodes, DOTS_DOWN)][Math.ceilDiv(nodes, DOTS_ACROSS)];
            for (final char[] row : dots) {
                Arrays.fill(row, NO_DOT);
            }
            for (int channel = 0; channel < channels; channel++) {
                final int[] receivers = numbers(lines.get(1 + at * channels + channel));
                for (int sender = 0; sender < nodes; sender++) {
                    final int receiver = receivers[sender];
                    if (receiver >= 0) {
                        dots[sender / DOTS_DOWN][receiver / DOTS_ACROSS] |=
                            (char) DOT[sender % DOTS_DOWN][receiver % DOTS_ACROSS];
                    }
                }
            }
            final StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "  slot %,d, %d of an epoch of %d: "
                + "a row for each of %d senders, a column for each receiver%n", slot, at, head[2], nodes));
            for (final char[] row : dots) {
                out.append("  ").append(row).append('\n');
            }
            return out.toString();
        }

        private static long slot(final Map<String, Long> values) {
            return values.entrySet().stream().filter(value -> value.getKey().matches("(run_)?slots(\\{.*)?"))
                .mapToLong(Map.Entry::getValue).max().orElse(0);
        }

        private static int[] numbers(final String line) {
            return Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
        }
    }
}
