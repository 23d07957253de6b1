package dev.skerry;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.execution.RunDone;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.run.Scenario.FlowSource;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A fabric with its settings, checked and ready to run. Builders are {@link Shale}, {@link Shoal}, {@link Stardust} and
 * {@link FatTree}; {@link #named} is for fabrics of your own. Immutable, so any thread may run it, and each run has
 * memory of its own, which is freed when the run ends. A run takes place on the calling thread and the worker threads
 * that its settings ask for.
 *
 * <pre>{@code
 * Fabric fabric = Shale.nodes(16).h(2).build();
 * Result result = fabric.run(new Flows().add(5, 12, 24_400).add(3, 12, 24_400));
 * for (Result.Flow flow : result.flows()) {
 *     System.out.println(flow.source() + " to " + flow.destination() + ": " + flow.completionSlots() + " slots");
 * }
 * }</pre>
 */
public final class Fabric {
    private static final Path IN_MEMORY = Path.of("in-memory");
    private static final List<String> TRAFFIC = List.of("--workload", "--load", "--flows", "--flow-bytes",
        "--incast-senders", "--pair-gbps");

    private final List<String> words;
    private final FabricChoice choice;

    Fabric(final List<String> words) {
        this.words = words;
        this.choice = scenario(_ -> new FlowSet(), false).choice();
    }

    /**
     * Settings of a fabric by its name on the command line.
     *
     * @param name for example {@code shale}, or a fabric that a service file adds.
     */
    public static NamedFabric named(final String name) {
        return new NamedFabric(name);
    }

    /** Number of nodes that can send and receive. */
    public int nodes() {
        return choice.fabric().population().endpoints();
    }

    /** Length of a slot in nanoseconds. */
    public double slotNs() {
        return choice.wholeSlotNs();
    }

    /** Bytes of payload in a cell. */
    public int payloadBytes() {
        return choice.format().payloadBytes();
    }

    /** The settings that are specific to this kind of fabric, defaults included, by the names of their options. */
    public Map<String, String> settings() {
        return Map.copyOf(choice.settings());
    }

    /**
     * Runs the workload of the settings, as {@code skerry run} does with the same options.
     *
     * @throws IllegalStateException if an invariant is broken or the thread is interrupted, which stops the run.
     */
    public Result run() {
        return run(scenario(null, false));
    }

    /**
     * Runs flows: until every flow is done, or for the slots of the settings.
     *
     * @throws IllegalArgumentException if a flow has a node that the fabric does not have, or the settings name a
     *                                  workload.
     * @throws IllegalStateException    if an invariant is broken or the thread is interrupted, which stops the run.
     */
    public Result run(final Flows flows) {
        words.stream().filter(word -> TRAFFIC.contains(word.split("=", 2)[0])).findFirst().ifPresent(word -> {
            throw new IllegalArgumentException(word + " names flows too; call run(), or build the fabric without it");
        });
        return run(scenario(of -> flows.of(of.fabric().population().endpoints(), of.format().payloadBytes()), true));
    }

    private static Result run(final Scenario scenario) {
        try (StopSignal never = StopSignal.ofProgram(); PrintWriter nowhere = new PrintWriter(Writer.nullWriter())) {
            return new Result(RunDone.of(scenario, never, nowhere));
        }
    }

    private Scenario scenario(final FlowSource source, final boolean inMemory) {
        try {
            final RunOptions options = RunOptions.of(words.toArray(String[]::new));
            options.flows = inMemory ? IN_MEMORY : options.flows;
            return Scenario.of(options, source);
        } catch (final ParameterException | InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
