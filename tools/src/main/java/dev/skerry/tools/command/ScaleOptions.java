package dev.skerry.tools.command;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.resources.ResourceTable;
import dev.skerry.tools.resources.ScaleFit;
import dev.skerry.tools.resources.ScaleRun;
import dev.skerry.tools.resources.ScaleTables;
import dev.skerry.tools.sweep.SweptFigures;
import picocli.CommandLine.Option;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The options of {@code skerry resources scale}. */
final class ScaleOptions {
    private static final String RUNS = "--runs";
    /** Runs of one day on one machine: bench/results says which. */
    private static final String USUAL = "scale-runs.csv";
    private static final String SECONDS = "events.processorSeconds";
    private static final double NS = 1e9;

    @Option(names = "--scale-nodes", paramLabel = "N", split = ",", defaultValue = "100000,1000000,10000000",
        description = "For scale: numbers of nodes (default: ${DEFAULT-VALUE}).")
    long[] nodes;

    @Option(names = "--scale-h", paramLabel = "H", split = ",", defaultValue = "2,4",
        description = "For scale: phases of Shale (default: ${DEFAULT-VALUE}).")
    int[] phases;

    @Option(names = "--scale-load", paramLabel = "L",
        description = "For scale: offered load, as a share of a node's line rate (default: 0.96 of 1/(2h)).")
    double load = Double.NaN;

    @Option(names = "--scale-flows", paramLabel = "F", defaultValue = "100",
        description = "For scale: flows of a node that start (default: ${DEFAULT-VALUE}).")
    double flows;

    @Option(names = "--machine", paramLabel = "GIB:THREADS", defaultValue = "256:32",
        description = "For scale: memory and threads of a machine (default: ${DEFAULT-VALUE}).")
    String machine;

    @Option(names = RUNS, paramLabel = "DIR",
        description = "For scale: fit to the runs of this sweep, of your machine, instead of those that came with the "
            + "program: runs of Shale with one thread, of several sizes and loads.")
    Path runs;

    /** Whether runs are named. */
    Path runs() {
        return runs;
    }

    /** The tables. */
    List<ResourceTable> tables() {
        for (final long count : nodes) {
            if (count < 16 || count > 1_000_000_000L) {
                throw new InputException("--scale-nodes", Long.toString(count), "must be 16 to 1000000000",
                    "give a number in this range");
            }
        }
        for (final int h : phases) {
            if (h < 1 || h > 8) {
                throw new InputException("--scale-h", Integer.toString(h), "must be 1 to 8",
                    "give a number in this range");
            }
        }
        if (!Double.isNaN(load) && !(load > 0 && load <= 1)) {
            throw new InputException("--scale-load", Double.toString(load), "must be above 0 and up to 1",
                "give a number in this range");
        }
        if (!(flows >= 0 && flows < 1e9)) {
            throw new InputException("--scale-flows", Double.toString(flows), "must be 0 to 1e9",
                "give a number in this range");
        }
        final String[] parts = machine.split(":", -1);
        try {
            final double gib = Double.parseDouble(parts[0]);
            final int threads = Integer.parseInt(parts[1]);
            if (parts.length == 2 && gib > 0 && gib < 1e6 && threads > 0) {
                return ScaleTables.of(fit(), new ScaleTables.Question(nodes, phases, load, flows, gib, threads));
            }
        } catch (final NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw wrongMachine();
        }
        throw wrongMachine();
    }

    private InputException wrongMachine() {
        return new InputException("--machine", machine, "it is no GIB:THREADS", "give for example 256:32");
    }

    private ScaleFit fit() {
        try {
            return ScaleFit.of(runs == null ? usual() : swept());
        } catch (final IllegalArgumentException e) {
            throw new InputException(RUNS, String.valueOf(runs), e.getMessage(),
                "sweep nodes, h and load of run --fabric shale");
        }
    }

    private List<ScaleRun> swept() {
        final List<ScaleRun> found = new ArrayList<>();
        for (final Map<String, String> run : SweptFigures.of(runs)) {
            if ("shale".equals(run.get("fabric")) && run.containsKey(SECONDS)) {
                final long count = Long.parseLong(run.get("nodes"));
                found.add(new ScaleRun(count, Integer.parseInt(run.get("h")),
                    Double.parseDouble(run.get("wholeRunThroughput")),
                    Double.parseDouble(run.get("flowsStarted")) / count,
                    Double.parseDouble(run.get("events.memoryBytesPerNode")), Double.parseDouble(run.get(SECONDS)) * NS
                        / count / Long.parseLong(run.get("slots"))));
            }
        }
        return found;
    }

    private static List<ScaleRun> usual() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
            ScaleOptions.class.getResourceAsStream(USUAL), StandardCharsets.US_ASCII))) {
            return in.lines().filter(line -> !line.startsWith("#")).map(line -> {
                final String[] parts = line.split(",");
                return new ScaleRun(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), Double.parseDouble(parts[2]),
                    Double.parseDouble(parts[3]), Double.parseDouble(parts[4]), Double.parseDouble(parts[5]));
            }).toList();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
