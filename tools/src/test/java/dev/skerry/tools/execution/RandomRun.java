package dev.skerry.tools.execution;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.Scenario;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A run drawn from a seed: a fabric, any of its options, sparse flows, and perhaps a script of faults. The gaps between
 * flows are spread evenly over the orders of magnitude from one slot up to a limit, so that a fabric becomes idle in
 * every way it can.
 */
final class RandomRun {
    private static final int ATTEMPTS = 200;
    private static final int MOST_FLOWS = 12;
    private static final int[] PROPAGATION = {0, 0, 1, 2, 3, 5, 7, 16, 31, 89};

    private final SplittableRandom random;
    private final long mostGap;
    private final Path folder;
    private final List<String> words = new ArrayList<>();
    private final long[] starts;
    /** A slot by which most flows are done. */
    private long busyUntil;

    private RandomRun(final SplittableRandom random, final long mostGap, final Path folder) {
        this.random = random;
        this.mostGap = mostGap;
        this.folder = folder;
        this.starts = new long[1 + random.nextInt(MOST_FLOWS)];
    }

    /**
     * A run that Skerry accepts.
     *
     * @param line     its options, for a message.
     * @param flows    its traffic.
     * @param scenario what both mean.
     * @param random   for further choices about it.
     */
    record Drawn(String line, FlowSet flows, Scenario scenario, SplittableRandom random) {
        /** The same run with other options of the engine. */
        Scenario with(final String more) {
            return more.isEmpty() ? scenario : Scenario.of(RunOptions.of((line + ' ' + more).split(" ")),
                _ -> flows);
        }
    }

    /**
     * Draws options until they fit together.
     *
     * @param mostGap slots between the starts of two flows, at most.
     * @param folder  for scripts of faults.
     */
    static Drawn of(final long seed, final long mostGap, final Path folder) throws IOException {
        final SplittableRandom random = new SplittableRandom(seed);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final RandomRun run = new RandomRun(random.split(), mostGap, folder);
            final FlowSet[] flows = new FlowSet[1];
            try {
                run.draw(seed);
                final Scenario scenario = Scenario.of(RunOptions.of(run.words.toArray(String[]::new)), choice -> {
                    flows[0] = run.flows(choice.fabric().population().endpoints(), choice.format().payloadBytes());
                    return flows[0];
                });
                return new Drawn(String.join(" ", run.words), flows[0], scenario, random);
            } catch (final InputException | CommandLine.ParameterException refused) {
                // Options that do not go together: others are drawn.
                continue;
            }
        }
        throw new IllegalStateException("no options that fit together: seed=" + seed);
    }

    private void draw(final long seed) throws IOException {
        Arrays.setAll(starts, _ -> busyUntil += gap());
        busyUntil += 200;
        add("--seed " + seed + " --slots " + slots());
        switch (random.nextInt(6)) {
            case 0, 1 -> shale();
            case 2, 3 -> shoal();
            case 4 -> stardust();
            default -> fatTree();
        }
        if (random.nextInt(6) == 0) {
            add("--faults " + faults(seed));
        }
    }

    private void shale() {
        final int h = 1 + random.nextInt(4);
        final int radix = 2 + random.nextInt(h == 1 ? 40 : h == 2 ? 6 : h == 3 ? 3 : 2);
        final int full = (int) Math.pow(radix, h);
        final int nodes = Math.max(2, random.nextInt(3) == 0 ? full - random.nextInt(full / 4 + 1) : full);
        add("--nodes " + nodes);
        maybe(4, "--fill");
        add("--cc " + String.join("+", control()));
        if (random.nextInt(6) == 0 && h > 1) {
            add(random.nextBoolean() ? "--interleave " + h + ":1/2,1:1/2 --cutoff-bytes 1000"
                : "--interleave 4:1/4,2:1/4,1:1/2 --cutoff-bytes 500,3000");
        } else {
            add("--h " + h);
        }
        add("--propagation-slots " + propagation());
        maybe(3, "--tokens " + (1 + random.nextInt(3)) + " --first-hop-tokens " + (3 + random.nextInt(8)));
        maybe(4, "--spray-ties " + pick("lowest", "rotating", "drawn"));
        maybe(4, "--local-order " + pick("link", "node", "destination"));
        maybe(5, "--failed-nodes " + (1 + random.nextInt(Math.max(1, nodes / 8))));
        maybe(8, "--failed-ids 1 --exchange-coordinates");
        maybe(6, "--lanes " + (1 + random.nextInt(4)));
        maybe(8, "--pieo-entries " + (2 + random.nextInt(3)));
        maybe(8, "--token-fifo " + (1 + random.nextInt(3)));
        maybe(8, "--active-buckets " + (1 + random.nextInt(4)) + " --bucket-reserve " + random.nextInt(4));
        maybe(8, "--slot-clocks " + (6 + random.nextInt(14)));
    }

    private List<String> control() {
        final List<String> parts = new ArrayList<>();
        if (random.nextInt(4) > 0) {
            parts.add("hbh");
        }
        switch (random.nextInt(4)) {
            case 0, 1 -> parts.add("spray-short");
            case 2 -> parts.add("spray-bucket");
            default -> { }
        }
        if (random.nextInt(4) == 0) {
            parts.add("priority");
            maybe(2, "--priority-factor " + pick("0.5", "1", "3"));
            maybe(2, "--priority-of " + pick("size", "quantised", "log"));
            maybe(2, "--priority-order " + pick("bucket", "cell"));
        }
        if (random.nextInt(6) == 0) {
            parts.add("isd");
        }
        if (random.nextInt(4) == 0) {
            parts.add(pick("rd", "ndp", "ndp"));
            final int pull = 1 + random.nextInt(4);
            maybe(2, "--rd-cells-per-pull " + pull + " --rd-budget " + (pull + random.nextInt(20)));
            if (parts.getLast().equals("ndp")) {
                maybe(2, "--rd-max-queue " + (1 + random.nextInt(3)));
            }
        }
        if (parts.isEmpty()) {
            parts.add("none");
        }
        return parts;
    }

    private void shoal() {
        add("--fabric shoal");
        final int nodes = 2 + random.nextInt(random.nextInt(6) == 0 ? 70 : 16);
        add("--nodes " + nodes);
        add("--channels " + (random.nextBoolean() ? 1 : 1 + random.nextInt(4)));
        add("--propagation-slots " + propagation());
        maybe(2, "--shoal-rule " + pick("exact", "paper-literal", "paper-one-report", "exact-one-report", "basic",
            "authors-simulator"));
        maybe(3, "--shoal-schedule delay");
        maybe(3, "--shoal-age-rule " + pick("on", "off"));
        maybe(3, "--flow-order shortest");
        maybe(3, "--failed-nodes " + (1 + random.nextInt(Math.max(1, nodes / 2))));
        maybe(5, "--class-bytes 600,2000");
        maybe(8, "--lower-class-cells " + (1 + random.nextInt(nodes)));
        maybe(8, "--hold-slots " + (1 + random.nextInt(60)));
    }

    private void stardust() {
        add("--fabric stardust");
        add(pick("--nodes 8", "--nodes 16", "--nodes 8 --topology single", "--topology clos --radix 4 --tiers 2",
            "--topology clos --radix 4 --adapter-links 2 --tiers 1"));
        maybe(3, "--ports " + (1 + random.nextInt(3)));
        maybe(3, "--credit-bytes " + pick("2048", "4096", "8192"));
        maybe(4, "--packing " + pick("continuous", "simple", "none"));
        maybe(4, "--requests " + pick("state", "backlog", "ahead", "slow"));
        maybe(2, "--hosts " + pick("ideal", "paced", "tcp", "dctcp", "mptcp", "dcqcn"));
        maybe(5, "--voq-bytes " + pick("4000", "20000"));
        maybe(8, "--adapter-bytes 30000");
        maybe(6, "--class-bytes 600,2000");
        maybe(8, "--control links");
        maybe(8, "--reachability learnt");
        maybe(8, "--link-bytes 280");
        maybe(3, "--packet-bytes " + pick("64", "300", "1500"));
    }

    private void fatTree() {
        add("--fabric fattree --min-rto-us " + pick("5", "20") + " --propagation-slots " + (1 + propagation()));
        add(pick("--nodes 8", "--nodes 16", "--nodes 18", "--nodes 12 --leaves 3", "--nodes 8 --leaves 4"));
        maybe(4, "--oversubscription 2");
        maybe(4, "--uplink-gbps " + pick("25", "50"));
        maybe(2, "--hosts " + pick("tcp", "dctcp", "mptcp", "dcqcn"));
        maybe(2, "--packet-bytes " + pick("64", "300", "1500"));
        maybe(3, "--buffer-bytes " + pick("3000", "20000"));
        maybe(6, "--pause-bytes 4000");
        maybe(4, "--window 8 --initial-window 2");
        maybe(3, "--reroute-us " + pick("0", "3"));
    }

    private FlowSet flows(final int endpoints, final int payloadBytes) {
        final FlowSet flows = new FlowSet();
        final int firstUp = failedFirst();
        final boolean isIncast = random.nextInt(3) == 0;
        for (int flow = 0; flow < starts.length && endpoints - firstUp > 1; flow++) {
            final int to = firstUp + (isIncast ? 0 : random.nextInt(endpoints - firstUp));
            final int others = random.nextInt(endpoints - firstUp - 1);
            final int from = firstUp + (to - firstUp + 1 + others) % (endpoints - firstUp);
            final int cells = 1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 6);
            flows.add(flow, from, to, (long) cells * payloadBytes, cells, starts[flow]);
        }
        return flows;
    }

    /** Nodes from 0 on that never answer. */
    private int failedFirst() {
        final int at = words.indexOf("--failed-nodes");
        return at < 0 || !words.contains("shoal") ? 0 : Integer.parseInt(words.get(at + 1));
    }

    /** Most gaps are short, as are most orders of magnitude. */
    private long gap() {
        return random.nextInt(3) == 0 ? random.nextInt(3)
            : (long) Math.exp(random.nextDouble() * Math.log(mostGap));
    }

    /** A script of nodes and links that fail and come back, and of damage. */
    private Path faults(final long seed) throws IOException {
        final StringBuilder script = new StringBuilder();
        final int node = failedFirst() + random.nextInt(2);
        final long down = random.nextLong(busyUntil);
        script.append(down).append(" node ").append(node).append(" down\n");
        if (random.nextBoolean()) {
            script.append(down + 1 + random.nextLong(busyUntil)).append(" node ").append(node).append(" up\n");
        }
        if (random.nextBoolean()) {
            script.append(random.nextLong(busyUntil)).append(" corrupt ").append(pick("0.001", "0.05")).append('\n');
        }
        return Files.writeString(folder.resolve("faults-" + seed), script);
    }

    /** 0, before the last flow is done, or beyond it. */
    private long slots() {
        return switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> 1 + random.nextLong(busyUntil);
            default -> busyUntil + random.nextLong(busyUntil);
        };
    }

    private int propagation() {
        return PROPAGATION[random.nextInt(PROPAGATION.length)];
    }

    private String pick(final String... of) {
        return of[random.nextInt(of.length)];
    }

    private void maybe(final int one, final String option) {
        if (random.nextInt(one) == 0) {
            add(option);
        }
    }

    private void add(final String option) {
        words.addAll(List.of(option.split(" ")));
    }
}
