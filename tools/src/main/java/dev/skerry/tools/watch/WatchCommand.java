package dev.skerry.tools.watch;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.StopSignal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code skerry watch}: serves a live page of running fabrics until Ctrl-C. */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Serves a live page of every fabric of this user that is running: throughput, queues, latency, drops",
        "by reason, slots a second, and who meets whom, slot by slot. It shows ./skerry live, and ./skerry run",
        "and sweep with --publish. It reads their counters from files, so watching disturbs nothing.",
        "",
        "The page is at the local host alone, and only whoever has its address, with a token in it, can read it.",
        ""
    },
    footer = {
        "",
        "Example, beside ./skerry run --nodes 64 --slots 20000000 --publish:",
        "  ./skerry watch"
    })
public final class WatchCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final long PAUSE_NS = 50_000_000;

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "0",
        description = "Listen at this port of the local host; 0: any free one (default: ${DEFAULT-VALUE}).")
    int port;

    @Option(names = "--dir", paramLabel = "DIR",
        description = "Where the counters are (default: where ./skerry stat looks).")
    Path folder;

    @Spec
    CommandSpec spec;

    /** Creates the command for picocli, which then sets its options. */
    public WatchCommand() {
    }

    @Override
    public Integer call() {
        Choices.inRange("--port", port, 0, MAX_PORT);
        final Path where = Choices.userFolder("--dir", folder);
        final PrintWriter out = spec.commandLine().getOut();
        try (StopSignal stop = StopSignal.listen(); WatchServer server = WatchServer.start(port, where)) {
            out.println(server.address());
            out.flush();
            while (!stop.requested()) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        return 0;
    }
}
