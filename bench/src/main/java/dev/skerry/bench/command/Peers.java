package dev.skerry.bench.command;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.OutFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * {@code skerry bench peers}: runs the simulators that the papers' authors published and Skerry in turn on the same
 * flows. Both start as processes, so that the time of ours includes the start of the JVM.
 */
@Command(
    name = "peers",
    description = {
        "Runs the Shale and Shoal authors' simulators and Skerry on the same flows, alternating, and compares them.",
        "",
        "Dense: an endless flow from each node to the next. Sparse: flows of 64 cells at random times, 0.6 cells "
            + "per node in 100 slots. Each value is the median of the pairs, with minimum and maximum; times include "
            + "the start of the program.",
        ""
    }, footer = {
        "",
        "Build the programs yourself with -O3, as described in their READMEs (see bench/README.md). For example:",
        "  ./skerry bench peers ~/shale-simulator/sim ~/Shoal/simulator/bin/driver"
    })
final class Peers extends ToolCommand {
    @Parameters(paramLabel = "PATH", arity = "1..*", description = "Simulators of the authors.")
    private List<Path> paths = new ArrayList<>();

    @Option(names = "--pairs", paramLabel = "N", defaultValue = "5",
        description = "Number of pairs of runs (default: ${DEFAULT-VALUE}).")
    private int pairs;

    @Option(names = "--dense-slots", paramLabel = "T", defaultValue = "10000",
        description = "Slots of the dense run (default: ${DEFAULT-VALUE}).")
    private int denseSlots;

    @Option(names = "--sparse-slots", paramLabel = "T", defaultValue = "60000",
        description = "Slots of the sparse run (default: ${DEFAULT-VALUE}).")
    private int sparseSlots;

    @Option(names = "--shoal-nodes", paramLabel = "N", defaultValue = "512",
        description = "Nodes that Shoal's program was built for (default: ${DEFAULT-VALUE}).")
    private int shoalNodes;

    private Path work;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Choices.inRange("--pairs", pairs, 1, 100);
        Choices.inRange("--shoal-nodes", shoalNodes, 4, 1024);
        Choices.inRange("--dense-slots", denseSlots, 1024, 8_000_000);
        Choices.inRange("--sparse-slots", sparseSlots, 1024, 8_000_000);
        work = Files.createTempDirectory("skerry-peers");
        try {
            final Map<Path, PeerSimulator> peers = new LinkedHashMap<>();
            for (final Path path : paths) {
                peers.put(path.toAbsolutePath(), recognised(path));
            }
            for (final Map.Entry<Path, PeerSimulator> peer : peers.entrySet()) {
                compare(peer.getKey(), peer.getValue(), false, denseSlots);
                compare(peer.getKey(), peer.getValue(), true, sparseSlots);
            }
        } finally {
            OutFolder.deleteAll(work);
        }
        return 0;
    }

    private PeerSimulator recognised(final Path path) throws InterruptedException {
        Choices.refuseIf(!Files.isRegularFile(path) || !Files.isExecutable(path), "bench peers", path,
            "there is no such program", "give the path of a simulator that you have built");
        // Shoal's simulator ends without a trace; both print the options that they accept.
        final String help = TimedProcess.run(work, List.of(path.toAbsolutePath().toString(), "--help")).output();
        return Arrays.stream(PeerSimulator.values()).filter(peer -> peer.introduces(help)).findFirst()
            .orElseThrow(() -> new InputException("bench peers", path.toString(),
                "it is the simulator neither of Shale's nor of Shoal's authors",
                "give one of these, as bench/README.md says"));
    }

    private void compare(final Path path, final PeerSimulator peer, final boolean sparse, final int slots)
        throws IOException, InterruptedException {
        final int nodes = peer == PeerSimulator.SHOAL ? shoalNodes : peer.usualNodes();
        final String theirTrace = work.resolve("theirs.csv").toString();
        final String ourTrace = work.resolve("ours.csv").toString();
        for (final boolean own : new boolean[] {true, false}) {
            Files.writeString(Path.of(own ? theirTrace : ourTrace),
                sparse ? peer.sparse(own, nodes, slots) : peer.dense(own, nodes, slots));
        }
        final List<String> theirLine = peer.theirs(path.toString(), theirTrace, nodes, slots);
        final List<String> ourLine = new ArrayList<>(List.of(
            Path.of(System.getProperty("skerry.home", "."), "skerry").toAbsolutePath().toString()));
        ourLine.addAll(peer.ours(ourTrace, nodes, slots));
        final List<TimedProcess> theirs = new ArrayList<>();
        final List<TimedProcess> ours = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            final TimedProcess their = TimedProcess.run(work, theirLine);
            if (their.code() != 0 || !peer.isDone(their.output())) {
                throw failed(theirLine, their);
            }
            theirs.add(their);
            final TimedProcess our = TimedProcess.run(work, ourLine);
            if (our.code() != 0) {
                throw failed(ourLine, our);
            }
            ours.add(our);
        }
        print(peer, sparse, nodes, slots, theirs, ours);
    }

    private static InputException failed(final List<String> command, final TimedProcess run) {
        return new InputException("bench peers", command.getFirst(), "it ended with " + run.code() + ": "
            + run.output().strip().lines().reduce((first, last) -> last).orElse("no output"),
            "try the same: " + String.join(" ", command));
    }

    private void print(final PeerSimulator peer, final boolean sparse, final int nodes, final int slots,
        final List<TimedProcess> theirs, final List<TimedProcess> ours) {
        final PrintWriter out = out();
        final double[] theirClock = sorted(theirs, true);
        final double[] theirProcessor = sorted(theirs, false);
        final double[] ourClock = sorted(ours, true);
        final double[] ourProcessor = sorted(ours, false);
        out.printf(Locale.ROOT, "%s, %d nodes, %,d slots, %s, median of %d pairs%n", peer.name().charAt(0)
            + peer.name().substring(1).toLowerCase(Locale.ROOT), nodes, slots, sparse ? "sparse" : "dense", pairs);
        out.printf(Locale.ROOT, "  theirs  clock %s   processor %s%n", text(theirClock), text(theirProcessor));
        out.printf(Locale.ROOT, "  ours    clock %s   processor %s%n", text(ourClock), text(ourProcessor));
        out.printf(Locale.ROOT, "  ratio   clock %.2f   processor %.2f%n", median(theirClock) / median(ourClock),
            median(theirProcessor) / median(ourProcessor));
        out.flush();
    }

    private static double[] sorted(final List<TimedProcess> runs, final boolean clock) {
        return runs.stream().mapToDouble(clock ? TimedProcess::clock : TimedProcess::processor).sorted().toArray();
    }

    private static double median(final double[] sorted) {
        return sorted[sorted.length / 2];
    }

    private static String text(final double[] sorted) {
        return String.format(Locale.ROOT, "%7.2f s (%.2f to %.2f)", median(sorted), sorted[0],
            sorted[sorted.length - 1]);
    }

    /**
     * A simulator of the authors whose fabric Skerry also runs: how it is recognised and started, and its format of the
     * flows.
     */
    enum PeerSimulator {
        /** Shale's simulator. Sizes are in bytes, times in seconds, as in our traces. */
        SHALE(256, 244, "--num-phases", "Simulation complete") {
            @Override
            List<String> theirs(final String path, final String trace, final int nodes, final int slots) {
                return List.of(path, "-i", trace, "-p", "244", "-s", "5.632e-9", "-d", "500e-9", "-l", "2",
                    "-n", Integer.toString(nodes), "-t", Integer.toString(slots), "-H", "-S", "-T", "8");
            }

            @Override
            List<String> ours(final String trace, final int nodes, final int slots) {
                return List.of("run", "--fabric", "shale", "--nodes", Integer.toString(nodes), "--h", "2", "--flows",
                    trace,
                    "--slots", Integer.toString(slots), "--first-hop-tokens", "8", "--slot-ns", "5.632",
                    "--propagation-ns", "500", "--cell-bytes", "256", "--header-bytes", "12");
            }
        },
        /**
         * Shoal's simulator. Sizes are in cells, times in slots; it adds a tenth to the given slot, and stops after
         * whole rounds.
         */
        SHOAL(512, 56, "-f <filename>", "System tput") {
            @Override
            List<String> theirs(final String path, final String trace, final int nodes, final int slots) {
                return List.of(path, "-f", trace, "-t", "5.12", "-c", "64", "-h", "8",
                    "-e", Integer.toString(slots / (nodes - 1)));
            }

            @Override
            List<String> ours(final String trace, final int nodes, final int slots) {
                return List.of("run", "--fabric", "shoal", "--nodes", Integer.toString(nodes), "--channels", "1",
                    "--flows", trace, "--slots", Integer.toString(slots / (nodes - 1) * (nodes - 1)), "--slot-ns",
                    "5.632",
                    "--propagation-slots", "0", "--cell-bytes", "64", "--header-bytes", "8",
                    "--shoal-rule", "authors-simulator");
            }
        };

        private static final double SLOT_SECONDS = 5.632e-9;
        private static final int SEED = 1;

        private final int nodes;
        private final int payloadBytes;
        private final String introduction;
        private final String end;

        PeerSimulator(final int nodes, final int payloadBytes, final String introduction, final String end) {
            this.nodes = nodes;
            this.payloadBytes = payloadBytes;
            this.introduction = introduction;
            this.end = end;
        }

        /** Returns the command line of the authors' program for a trace in its own units. */
        abstract List<String> theirs(String path, String trace, int nodes, int slots);

        /** Returns our command line, from the command on, for the same trace. */
        abstract List<String> ours(String trace, int nodes, int slots);

        /** Returns the number of nodes, unless the user states another. */
        int usualNodes() {
            return nodes;
        }

        /** Tells whether the help of a program is that of this simulator. */
        boolean introduces(final String help) {
            return help.contains(introduction);
        }

        /** Tells whether the output shows that this program ran to its end. */
        boolean isDone(final String output) {
            return output.contains(end);
        }

        /**
         * Returns one endless flow from each node to its neighbour.
         *
         * @param own whether the units are those of the authors' program.
         */
        String dense(final boolean own, final int count, final int slots) {
            final StringBuilder text = new StringBuilder();
            for (int node = 0; node < count; node++) {
                append(text, own, node, node, (node + 1) % count, slots, 0);
            }
            return text.toString();
        }

        /**
         * Returns flows of 64 cells at random times, 0.6 cells per node in 100 slots; the same flows for both programs.
         */
        String sparse(final boolean own, final int count, final int slots) {
            final SplittableRandom random = new SplittableRandom(SEED);
            final long flows = Math.max(1, Math.round(0.006 * count * slots / 64));
            final StringBuilder text = new StringBuilder();
            for (int flow = 0; flow < flows; flow++) {
                // Spread over the run and in order of time, in which both programs read them.
                final int start = (int) (((double) flow + random.nextDouble()) / flows * slots);
                final int source = random.nextInt(count);
                append(text, own, flow, source, (source + 1 + random.nextInt(count - 1)) % count,
                    1 + random.nextInt(127), start);
            }
            return text.toString();
        }

        private void append(final StringBuilder text, final boolean own, final int flow, final int source,
            final int destination, final int cells, final int start) {
            text.append(flow).append(',').append(source).append(',').append(destination).append(',');
            if (own && this == SHOAL) {
                text.append(cells).append(',').append(start);
            } else {
                text.append((long) cells * payloadBytes).append(',')
                    .append(String.format(Locale.ROOT, "%.12e", (start + 0.5) * SLOT_SECONDS));
            }
            text.append('\n');
        }
    }

    /**
     * A program that has ended.
     *
     * @param code exit code.
     * @param clock wall time, s.
     * @param processor CPU time of all its threads and children, s.
     * @param output standard output and standard error.
     */
    record TimedProcess(int code, double clock, double processor, String output) {
        private static final String TIMED = "TIMEFORMAT='%R %U %S'; time \"$0\" \"$@\" >output 2>&1 </dev/null";

        /**
         * Runs a program in a folder of ours.
         *
         * @throws InputException if there is no bash, which measures the time.
         */
        static TimedProcess run(final Path folder, final List<String> command) throws InterruptedException {
            final List<String> line = new ArrayList<>(List.of("bash", "-c", TIMED));
            line.addAll(command);
            try {
                final Path times = folder.resolve("times");
                final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile())
                    .redirectError(times.toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD);
                builder.environment().put("LC_ALL", "C");
                final int code = builder.start().waitFor();
                final List<String> said = Files.readAllLines(times, StandardCharsets.ISO_8859_1);
                final String[] time = said.getLast().split(" ");
                return new TimedProcess(code, Double.parseDouble(time[0]),
                    Double.parseDouble(time[1]) + Double.parseDouble(time[2]),
                    Files.readString(folder.resolve("output"), StandardCharsets.ISO_8859_1));
            } catch (final IOException e) {
                throw new InputException("bench peers", command.getFirst(), "it cannot be run: " + e,
                    "see that bash is installed and the temporary folder can be written");
            }
        }
    }
}
