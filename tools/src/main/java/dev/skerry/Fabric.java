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
 * A fabric whose settings have been checked. Build it with {@link Shale}, {@link Shoal}, {@link Stardust} or
 * {@link FatTree}, or with {@link #named} for a fabric that you have added.
 *
 * <pre>{@code
 * Fabric fabric = Shale.nodes(16).h(2).build();
 * Result result = fabric.run(new Flows().add(5, 12, 24_400).add(3, 12, 24_400));
 * for (Result.Flow flow : result.flows()) {
 *     System.out.println(flow.source() + " to " + flow.destination() + ": " + flow.completionSlots() + " slots");
 * }
 * }</pre>
 *
 * <p>Immutable and thread-safe: several threads may run the same fabric at the same time. A run uses the calling thread
 * and the worker threads of {@link FabricBuilder#threads}, and frees its memory when it ends, so there is nothing to
 * close.
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
     * Returns a builder for a fabric that is selected by name.
     *
     * @param name value of {@code --fabric}, for example {@code shale}, or the name of a fabric that you have added
     *             with a service file.
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

    /** Payload size of a cell in bytes. */
    public int payloadBytes() {
        return choice.format().payloadBytes();
    }

    /** Settings that are specific to this kind of fabric, including defaults. The keys are option names. */
    public Map<String, String> settings() {
        return Map.copyOf(choice.settings());
    }

    /**
     * Runs the workload that is set, or else the default one, like {@code skerry run} with the same options.
     *
     * @throws IllegalStateException if an invariant is violated, or the calling thread is interrupted. An interrupt
     *                               stops the run.
     */
    public Result run() {
        return run(scenario(null, false));
    }

    /**
     * Runs the given flows until all of them are complete, or for {@link FabricBuilder#slots} if that is set.
     *
     * @throws IllegalArgumentException if a node of a flow does not exist in the fabric, or a workload is set as well.
     * @throws IllegalStateException    if an invariant is violated, or the calling thread is interrupted. An interrupt
     *                                  stops the run.
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
        } catch (final InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
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
