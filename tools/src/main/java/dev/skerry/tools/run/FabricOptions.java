package dev.skerry.tools.run;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.EngineChoice;
import dev.skerry.spi.EngineChoice.EngineOptions;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The options that select the fabric for packets and its engine: those of {@code run} that apply to packets, with other
 * defaults. Not thread-safe.
 */
public final class FabricOptions {
    private static final String THREADS = "threads";
    private static final String LOCK_STEP = "lockstep";
    /** A little more than the longest packet; larger cells would be mostly empty. */
    private static final int MOST_CELL_BYTES = 1 << 14;

    /** Options of {@code run} that also apply to packets. */
    private static final Set<String> OF_PACKETS = Set.of("--fabric", "--nodes", "--channels", "--faults",
        "--cell-bytes", "--propagation-slots", "--seed", "--mode", "--threads", "--nic-threads", "--switch-threads",
        "--idle", "--pin", "--check");
    /** Defaults that differ from those of {@code run}; 0 nodes selects the default of the fabric. */
    private static final Map<String, String> DEFAULTS = Map.of("--fabric", "shoal", "--nodes", "0");

    @Option(names = "--hosts", hidden = true)
    String hosts;

    /** The typed options; {@link #resolve} sets the others. */
    private final RunOptions run = new RunOptions();
    private final EngineOptions typed = run.engine;
    private CommandSpec command;
    private Integer typedSlots;
    private FabricChoice choice;
    private FaultOrders faultOrders;
    private List<String> remarks;
    private EngineChoice engine;
    private Idle idleAlone;

    /** Creates options with no values set. */
    public FabricOptions() {
    }

    /** Adds these options and those of all fabrics to the command. */
    @Spec(Spec.Target.MIXEE)
    void joinTo(final CommandSpec mixee) {
        command = mixee;
        for (final OptionSpec option : CommandSpec.forAnnotatedObject(run).options()) {
            final String name = option.longestName();
            if (OF_PACKETS.contains(name)) {
                mixee.addOption(OptionSpec.builder(option)
                    .defaultValue(DEFAULTS.getOrDefault(name, option.defaultValue())).build());
            }
        }
        run.own.addTo(mixee, true);
    }

    /**
     * Evaluates the options. Call this first.
     *
     * @param classes number of traffic classes of the packets.
     * @param ports   maximum number of ports at a node.
     * @throws InputException if an option is invalid or contradicts another one.
     */
    public void resolve(final int classes, final int ports) {
        if (run.cellBytes != null) {
            Choices.inRange("--cell-bytes", run.cellBytes, 1, MOST_CELL_BYTES);
        }
        Choices.inRange("--nodes", command != null && command.commandLine().getParseResult().hasMatchedOption("--nodes")
            ? run.nodes : null, 1, Integer.MAX_VALUE, 1);
        run.packetClasses = classes;
        run.portPairs = ports * ports;
        typedSlots = run.propagationSlots;
        Choices.refuse("--hosts", hosts, "the hosts are behind the ports and decide how to send", "leave it out, or "
            + "use gen: with a rate");
        typed.mode = typed.mode == null ? usualMode() : typed.mode;
        setDefaults();
        final boolean onThreads = typed.mode.equals(THREADS);
        if (onThreads && typed.threads == null) {
            shareOut();
        }
        idleAlone = EngineChoice.idle(typed);
        typed.idle = onThreads ? typed.idle : null;
        Choices.refuseIf(run.check && onThreads, "--check", null,
            "with threads, the state of the whole fabric between two slots is not available", "leave it out or use "
                + "--mode lockstep");
        Choices.refuseIf(run.check && typed.threads != null && typed.threads > 1, "--check", null,
            "it checks the whole fabric from one thread", "leave out --threads");
        choice = FabricChoice.of(run);
        choice.refusePackets(classes);
        engine = EngineChoice.of(typed, choice);
        remarks = new ArrayList<>(choice.remarks());
        faultOrders = new FaultOrders(run, choice, remarks);
    }

    private RunOptions setDefaults() {
        run.propagationSlots = typedSlots;
        FabricKind.named(run.fabric).setForPackets(run, typed.mode.equals(THREADS));
        return run;
    }

    /**
     * Returns the default mode. Agents share threads only if one thread is not enough, because passing cells between
     * threads costs more than lock step.
     */
    private String usualMode() {
        typed.mode = LOCK_STEP;
        final boolean isAsked = typed.nicThreads != null || typed.switchThreads != null || typed.pin != null
            || FabricKind.named(run.fabric).needsThreads(run.own);
        final boolean isOne = isAsked || typed.threads == null || typed.threads == 1
            || EngineChoice.usefulWorkers(FabricChoice.of(setDefaults())) == 1;
        typed.mode = THREADS;
        return run.check || !isAsked && isOne && 1 + switches() > processors() ? LOCK_STEP : THREADS;
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Assigns separate threads to the NICs and to each switch, if requested or if there are enough processors. */
    private void shareOut() {
        final int nics = typed.nicThreads == null ? 1 : typed.nicThreads;
        final int switches = typed.switchThreads == null ? switches() : typed.switchThreads;
        if (typed.nicThreads == null && typed.switchThreads == null && nics + switches > processors()) {
            typed.threads = processors();
        } else {
            typed.nicThreads = nics;
            typed.switchThreads = switches;
        }
    }

    /** Returns the number of switches of a channel, each of which may have its own thread. */
    private int switches() {
        return Math.max(1, FabricChoice.of(setDefaults()).switches());
    }

    /** Returns the fabric. */
    public Fabric fabric() {
        return choice.fabric();
    }

    /** Returns the format of cells. */
    public CellFormat format() {
        return choice.format();
    }

    /** Returns the faults of the run, to which orders can add further ones. */
    public FaultOrders faults() {
        return faultOrders;
    }

    /** Returns remarks for the user before the run. */
    public List<String> remarks() {
        return remarks;
    }

    /** Returns a description of the fabric and its engine in one line. */
    public String headline() {
        final StringBuilder text = new StringBuilder(run.fabric).append(", ").append(fabric().nodes())
            .append(" nodes");
        choice.settings().forEach((name, value) -> text.append(", ").append(name).append(' ').append(value));
        text.append(", propagation ").append(fabric().propagationSlots()).append(" slots, ").append(typed.mode);
        engine.settings().forEach((name, value) -> text.append(name.equals("mode") ? "" : ", " + name + " " + value));
        return text.toString();
    }

    /**
     * Creates the engine with the fabric in slot 0.
     *
     * @param flows     flows created on demand.
     * @param edges     edges where cells enter and leave the fabric.
     * @param rehearsal whether this is a warm-up, without checks and faults.
     */
    public Engine engine(final FlowSet flows, final Edges edges, final boolean rehearsal) {
        return choice.engine(engine, new Traffic(flows, rehearsal ? faultOrders.rehearsed() : faultOrders.script(),
            edges), idleAlone, run.check && !rehearsal, null);
    }
}
