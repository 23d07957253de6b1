package dev.skerry.tools.execution;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.run.ScheduleFile;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Publishes counters of a run in a file that other processes read. They are written a few times per second, between
 * slots, and have no effect on the run. Used by the thread that owns the engine.
 */
public final class RunGauges implements AutoCloseable {
    private static final long INTERVAL_NS = 100_000_000;
    private static final int MOST = 64;
    private static final double[] QUANTILES = {0.5, 0.99, 1};
    private static final double NS = 1e9;
    private static final double MILLION = 1e6;

    private final CounterFile file;
    /** Null if the schedule cannot be drawn. */
    private final ScheduleFile schedule;
    /** Null if the contents of nodes are not logged. */
    private final RunLog log;
    private final int endpoints;
    private final int listed;
    private final int channels;
    private final Map<String, Integer> counters = new HashMap<>();
    private long nextNs = System.nanoTime();
    private long lastNs = nextNs;
    private long lastSlot;
    private long lastDelivered;

    private RunGauges(final CounterFile file, final ScheduleFile schedule, final Scenario scenario, final RunLog log) {
        this.file = file;
        this.schedule = schedule;
        this.log = log;
        this.endpoints = scenario.fabric().population().endpoints();
        this.listed = scenario.fabric().population().listed();
        this.channels = scenario.fabric().channels();
        Stream.of("run_slots", "run_cells_delivered", "run_flows_completed", "run_cells_in_fabric",
            "run_slots_per_second", "run_throughput_ppm").forEach(name -> set(name, 0));
        set("run_slot_limit", scenario.slotLimit());
        set("run_flows", scenario.flows().size());
        set("run_endpoints", endpoints);
        if (log != null) {
            Arrays.stream(QUANTILES).forEach(share -> set(latency(share), 0));
            set("run_queued_cells{of=\"most\"}", 0);
            set("run_queued_cells_ppm{of=\"mean\"}", 0);
        }
        NicCounter.DROPS.forEach(counter -> set(drop(counter), 0));
    }

    private static String latency(final double share) {
        return "run_latency_slots{quantile=\"" + share + "\"}";
    }

    private static String drop(final NicCounter counter) {
        return "fabric_" + counter.name().toLowerCase(Locale.ROOT);
    }

    private void set(final String name, final long value) {
        file.set(counters.computeIfAbsent(name, file::add), value);
    }

    static RunGauges create(final Path folder, final String name, final Scenario scenario, final RunLog log)
        throws IOException {
        final CounterFile file = CounterFile.create(folder, name, MOST + NicCounter.DROPS.size());
        try {
            return new RunGauges(file, ScheduleFile.beside(file.path(), scenario.fabric()), scenario, log);
        } catch (final IOException e) {
            file.close();
            throw e;
        }
    }

    /** Writes the counters when they are due; does nothing if {@code shown} is null. */
    static void tick(final RunGauges shown, final Engine engine, final long slot, final long cells, final long flows) {
        if (shown != null) {
            shown.write(engine, slot, cells, flows);
        }
    }

    private void write(final Engine engine, final long slot, final long cells, final long flows) {
        final long now = System.nanoTime();
        if (now - nextNs < 0) {
            return;
        }
        nextNs = now + INTERVAL_NS;
        set("run_slots", slot);
        set("run_cells_delivered", cells);
        set("run_flows_completed", flows);
        set("run_cells_in_fabric", engine.carried());
        NicCounter.DROPS.forEach(counter -> set(drop(counter), engine.count(counter)));
        if (slot > lastSlot && now > lastNs) {
            set("run_slots_per_second", (long) ((slot - lastSlot) * NS / (now - lastNs)));
            set("run_throughput_ppm", (long) ((cells - lastDelivered) * MILLION
                / ((double) (slot - lastSlot) * endpoints * channels)));
            lastSlot = slot;
            lastNs = now;
            lastDelivered = cells;
        }
        if (log != null) {
            queues();
        }
    }

    private void queues() {
        final int[] held = new int[listed];
        final SlotHistogram histogram = new SlotHistogram();
        log.now(held, histogram);
        set("run_queued_cells{of=\"most\"}", Arrays.stream(held).max().orElse(0));
        set("run_queued_cells_ppm{of=\"mean\"}", (long) (Arrays.stream(held).average().orElse(0) * MILLION));
        final long[] total = new long[1];
        histogram.forEach((value, count) -> total[0] += count);
        final long[] seen = new long[1];
        histogram.forEach((value, count) -> {
            seen[0] += count;
            for (final double share : QUANTILES) {
                if (seen[0] - count < share * total[0]) {
                    set(latency(share), value);
                }
            }
        });
    }

    @Override
    public void close() {
        if (schedule != null) {
            schedule.close();
        }
        try {
            file.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The option of {@code skerry run} that publishes the run for {@code stat} and {@code watch}. */
    public static final class PublishOption {
        @Option(names = "--publish", paramLabel = "DIR", arity = "0..1", fallbackValue = "",
            description = "Publish counters of the run for ./skerry stat and ./skerry watch while it runs. DIR is "
                + "the folder for the counters (default: the one in which they look).")
        String publish;

        /** Tells whether the option was given. */
        public boolean isGiven() {
            return publish != null;
        }

        /**
         * Creates the counters.
         *
         * @param name activity of the process, shown to readers.
         * @param log  log of the contents of nodes; null if there is none.
         * @return null if the option was not given.
         * @throws InputException if the file cannot be created.
         */
        public RunGauges open(final String name, final Scenario scenario, final RunLog log) {
            if (publish == null) {
                return null;
            }
            final Path folder = publish.isEmpty() ? PrivateFiles.userFolder() : Path.of(publish);
            try {
                return RunGauges.create(folder, name, scenario, log);
            } catch (final IOException e) {
                throw InputException.notWritten("--publish", folder, e,
                    "name a folder with room that you may write to");
            }
        }
    }
}
