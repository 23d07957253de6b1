package dev.skerry.bench.command;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** A simulator of authors whose fabric Skerry runs too: how it is recognised, started, and given the same flows. */
enum PeerSimulator {
    /** Shale's. Sizes are bytes, times seconds, as in our traces. */
    SHALE(256, 244, "--num-phases", "Simulation complete") {
        @Override
        List<String> theirs(final String path, final String trace, final int nodes, final int slots) {
            return List.of(path, "-i", trace, "-p", "244", "-s", "5.632e-9", "-d", "500e-9", "-l", "2",
                "-n", Integer.toString(nodes), "-t", Integer.toString(slots), "-H", "-S", "-T", "8");
        }

        @Override
        List<String> ours(final String trace, final int nodes, final int slots) {
            return List.of("run", "--fabric", "shale", "--nodes", Integer.toString(nodes), "--h", "2", "--flows", trace,
                "--slots", Integer.toString(slots), "--first-hop-tokens", "8", "--slot-ns", "5.632",
                "--propagation-ns", "500", "--cell-bytes", "256", "--header-bytes", "12");
        }
    },
    /** Shoal's. Sizes are cells, times slots; it adds a tenth to the slot it is given, and stops after whole rounds. */
    SHOAL(512, 56, "-f <filename>", "System tput") {
        @Override
        List<String> theirs(final String path, final String trace, final int nodes, final int slots) {
            return List.of(path, "-f", trace, "-t", "5.12", "-c", "64", "-h", "8",
                "-e", Integer.toString(slots / (nodes - 1)));
        }

        @Override
        List<String> ours(final String trace, final int nodes, final int slots) {
            return List.of("run", "--fabric", "shoal", "--nodes", Integer.toString(nodes), "--channels", "1",
                "--flows", trace, "--slots", Integer.toString(slots / (nodes - 1) * (nodes - 1)), "--slot-ns", "5.632",
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

    /** Command line of the authors' program for a trace in its own units. */
    abstract List<String> theirs(String path, String trace, int nodes, int slots);

    /** Command line of ours, from the command on, for the same trace. */
    abstract List<String> ours(String trace, int nodes, int slots);

    /** Nodes unless the user says otherwise. */
    int usualNodes() {
        return nodes;
    }

    /** Whether a program that was asked for help has said what this one says. */
    boolean introduces(final String help) {
        return help.contains(introduction);
    }

    /** Whether this program has come to its end by what it has said. */
    boolean isDone(final String output) {
        return output.contains(end);
    }

    /**
     * One flow from each node to its neighbour that never ends.
     *
     * @param own whether in the units of the authors' program.
     */
    String dense(final boolean own, final int count, final int slots) {
        final StringBuilder text = new StringBuilder();
        for (int node = 0; node < count; node++) {
            append(text, own, node, node, (node + 1) % count, slots, 0);
        }
        return text.toString();
    }

    /** Flows of 64 cells at random times, 0.6 cells a node in 100 slots; the same for both programs. */
    String sparse(final boolean own, final int count, final int slots) {
        final SplittableRandom random = new SplittableRandom(SEED);
        final long flows = Math.max(1, Math.round(0.006 * count * slots / 64));
        final StringBuilder text = new StringBuilder();
        for (int flow = 0; flow < flows; flow++) {
            // Spread over the run and in order, as both read them.
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
