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
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Counters of a run in a file that other processes read, written a few times a second between slots. What it counts
 * decides nothing. The thread that owns the engine calls.
 */
public final class RunGauges implements AutoCloseable {
    private static final long INTERVAL_NS = 100_000_000;
    private static final int MOST = 64;
    private static final double[] QUANTILES = {0.5, 0.99, 1};
    private static final double NS = 1e9;
    private static final double MILLION = 1e6;

    private final CounterFile file;
    /** Null where there is nothing to draw. */
    private final ScheduleFile schedule;
    /** Null if nobody tells what nodes hold. */
    private final RunLog log;
    private final int endpoints;
    private final int listed;
    private final int channels;
    private final int slots;
    private final int delivered;
    private final int completed;
    private final int inFabric;
    private final int rate;
    private final int throughput;
    private final int[] latency = new int[QUANTILES.length];
    private final int queuedMost;
    private final int queuedMean;
    private final Map<NicCounter, Integer> drops = new EnumMap<>(NicCounter.class);
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
        this.slots = file.add("run_slots");
        this.delivered = file.add("run_cells_delivered");
        this.completed = file.add("run_flows_completed");
        this.inFabric = file.add("run_cells_in_fabric");
        this.rate = file.add("run_slots_per_second");
        this.throughput = file.add("run_throughput_ppm");
        file.set(file.add("run_slot_limit"), scenario.slotLimit());
        file.set(file.add("run_flows"), scenario.flows().size());
        file.set(file.add("run_endpoints"), endpoints);
        if (log != null) {
            for (int i = 0; i < latency.length; i++) {
                latency[i] = file.add("run_latency_slots{quantile=\"" + QUANTILES[i] + "\"}");
            }
        }
        this.queuedMost = log == null ? -1 : file.add("run_queued_cells{of=\"most\"}");
        this.queuedMean = log == null ? -1 : file.add("run_queued_cells_ppm{of=\"mean\"}");
        NicCounter.DROPS.forEach(counter -> drops.put(counter,
            file.add("fabric_" + counter.name().toLowerCase(Locale.ROOT))));
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

    /** Writes the counters if there are any and it is time to. */
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
        file.set(slots, slot);
        file.set(delivered, cells);
        file.set(completed, flows);
        file.set(inFabric, engine.carried());
        drops.forEach((counter, at) -> file.set(at, engine.count(counter)));
        if (slot > lastSlot && now > lastNs) {
            file.set(rate, (long) ((slot - lastSlot) * NS / (now - lastNs)));
            file.set(throughput, (long) ((cells - lastDelivered) * MILLION
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
        file.set(queuedMost, Arrays.stream(held).max().orElse(0));
        file.set(queuedMean, (long) (Arrays.stream(held).average().orElse(0) * MILLION));
        final long[] total = new long[1];
        histogram.forEach((value, count) -> total[0] += count);
        final long[] seen = new long[1];
        histogram.forEach((value, count) -> {
            seen[0] += count;
            for (int i = 0; i < QUANTILES.length; i++) {
                if (seen[0] - count < QUANTILES[i] * total[0]) {
                    file.set(latency[i], value);
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

    /** The option of {@code skerry run} that shows the run to {@code stat} and {@code watch}. */
    public static final class PublishOption {
        @Option(names = "--publish", paramLabel = "DIR", arity = "0..1", fallbackValue = "",
            description =
                "Show counters of the run to ./skerry stat and ./skerry watch while it runs; in this folder, or "
                + "where they look by themselves.")
        String publish;

        /** Whether it was given. */
        public boolean isGiven() {
            return publish != null;
        }

        /**
         * Opens the counters.
         *
         * @param name what the process does, for readers.
         * @param log  tells what nodes hold; null if nobody does.
         * @return null if they were not asked for.
         * @throws InputException if there can be no file.
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
