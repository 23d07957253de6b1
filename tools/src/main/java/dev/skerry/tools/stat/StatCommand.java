package dev.skerry.tools.stat;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code skerry stat}: prints the counters of dataplanes in other processes. */
@Command(
    name = "stat",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
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
        if (prometheus != null && (json || watch != null || matrix)) {
            throw new InputException("--prometheus", prometheus.toString(), "--json, --watch or --matrix is given too",
                "leave out all but one");
        }
        if (matrix && json) {
            throw new InputException("--matrix", null, "--json is given too", "leave out one of them");
        }
        if (watch != null && !(watch > 0 && watch <= 1e6)) {
            throw new InputException("--watch", watch.toString(), "must be more than 0 s",
                "give seconds, for example 1");
        }
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
}
