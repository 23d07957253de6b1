package dev.skerry.tools;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Edges;
import dev.skerry.nic.Engine;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.fabric.Fabric;
import picocli.CommandLine.Option;

import java.util.List;

/**
 * The options that say which fabric packets cross, and what runs it: those of {@code run} that mean something there,
 * with what is usual for packets. One thread.
 */
public final class FabricOptions {
    private static final String SHOAL = "shoal";
    private static final String THREADS = "threads";
    private static final int SHOAL_NODES = 8;
    private static final int SHALE_NODES = 9;
    /** One lane: what a single flow can fill, where each lane costs time whether it is used or not. */
    private static final int CHANNELS = 1;

    @Option(names = "--fabric", paramLabel = "NAME", defaultValue = SHOAL,
        description = "Which system: shoal or shale (default: ${DEFAULT-VALUE}).")
    private String fabricName;

    @Option(names = "--nodes", paramLabel = "N", description = "Nodes (default: 8 of Shoal, 9 of Shale).")
    private Integer nodes;

    @Option(names = "--h", paramLabel = "H", description = "Shale: phases of the schedule (default: 2).")
    private Integer h;

    @Option(names = "--cc", paramLabel = "NAME",
        description = "Shale: congestion control: none, hbh, spray-short or hbh+spray (default: hbh+spray).")
    private String cc;

    @Option(names = "--tokens", paramLabel = "T", description = "Shale: token budget of a bucket (default: 1).")
    private Integer tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF", description = "Shale: that of first hops (default: 1).")
    private Integer firstHopTokens;

    @Option(names = "--channels", paramLabel = "C", description = "Shoal: cells a node sends in a slot (default: 1).")
    private Integer channels;

    @Option(names = "--cell-bytes", paramLabel = "B", description = "Size of a cell (default: Shale 256, Shoal 64).")
    private Integer cellBytes;

    @Option(names = "--propagation-slots", paramLabel = "K",
        description = "Propagation delay in slots (default: 0). More of them let threads wait less for each other, "
            + "but a flow waits longer for what it is told.")
    private Integer propagationSlots;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "Shale: decides the spraying (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--mode", paramLabel = "NAME", defaultValue = "lockstep",
        description = "How it runs: lockstep, one loop over all nodes; or threads, NICs and one agent a circuit switch "
            + "on threads of their own (default: ${DEFAULT-VALUE}).")
    private String mode;

    @Option(names = "--threads", paramLabel = "W",
        description = "Threads; in mode threads they share NICs and switches (default: 1 in lock step).")
    private Integer threads;

    @Option(names = "--nic-threads", paramLabel = "W",
        description = "Mode threads: threads for NICs and their ports (default: 1).")
    private Integer nicThreads;

    @Option(names = "--switch-threads", paramLabel = "W",
        description = "Mode threads: threads for circuit switches (default: one for each of a lane, 6 for 8 nodes of "
            + "Shoal).")
    private Integer switchThreads;

    @Option(names = "--idle", paramLabel = "NAME",
        description = "What a thread does while there is nothing to do: spin, yield, backoff or park "
            + "(default: backoff).")
    private String idle;

    @Option(names = "--pin", paramLabel = "CPUS",
        description = "Mode threads: processors to pin the threads to, for example 0,1. Linux only.")
    private String pin;

    @Option(names = "--clos-ports", paramLabel = "K",
        description = "Mode threads, Shoal: ports of a switch of the Clos (default: 4 for 8 nodes).")
    private Integer closPorts;

    @Option(names = "--check", description = "In lock step: check every invariant in every slot. Slow.")
    private boolean check;

    private FabricChoice choice;
    private EngineChoice engine;
    private Idle idleAlone;

    FabricOptions() {
    }

    /** Options before they are read. */
    public static FabricOptions empty() {
        return new FabricOptions();
    }

    /**
     * Makes sense of them; to be called first.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    public void resolve() {
        final RunOptions run = runOptions();
        idleAlone = EngineChoice.idle(run);
        if (!mode.equals(THREADS)) {
            run.idle = null;
            if (check && threads != null && threads > 1) {
                throw new InputException("--check", "true", "it looks at the whole fabric from one thread",
                    "leave out --threads");
            }
        } else if (check) {
            throw new InputException("--check", "true", "with threads nobody sees the whole fabric between two slots",
                "leave it out or use --mode lockstep");
        }
        choice = FabricChoice.of(run);
        engine = EngineChoice.of(run, choice.circuits());
    }

    private RunOptions runOptions() {
        final RunOptions run = new RunOptions();
        run.fabric = fabricName;
        run.nodes = nodes != null ? nodes : fabricName.equals(SHOAL) ? SHOAL_NODES : SHALE_NODES;
        run.h = h;
        run.cc = cc;
        run.tokens = tokens;
        run.firstHopTokens = firstHopTokens;
        run.channels = channels == null && fabricName.equals(SHOAL) ? Integer.valueOf(CHANNELS) : channels;
        run.cellBytes = cellBytes;
        run.propagationSlots = propagationSlots == null ? 0 : propagationSlots;
        run.seed = seed;
        run.mode = mode;
        run.threads = threads;
        run.nicThreads = nicThreads;
        run.switchThreads = switchThreads;
        run.idle = idle;
        run.pin = pin;
        run.closPorts = closPorts;
        if (mode.equals(THREADS) && threads == null) {
            run.nicThreads = nicThreads == null ? 1 : nicThreads;
            run.switchThreads = switchThreads == null ? 1 : switchThreads;
            if (switchThreads == null) {
                run.pin = null;
                final EngineChoice trial = EngineChoice.of(run, FabricChoice.of(run).fabric());
                run.switchThreads = Math.max(1, trial.wiring().switches() / (run.channels == null ? 1 : run.channels));
                run.pin = pin;
            }
        }
        return run;
    }

    /** The fabric. */
    public Fabric fabric() {
        return choice.fabric();
    }

    /** Its cells. */
    public CellFormat format() {
        return choice.format();
    }

    /** What the user should know before the run. */
    public List<String> remarks() {
        return choice.remarks();
    }

    /** The fabric and what runs it, in one line. */
    public String headline() {
        final StringBuilder text = new StringBuilder(fabricName).append(", ").append(fabric().nodes())
            .append(" nodes");
        choice.settings().forEach((name, value) -> text.append(", ").append(name).append(' ').append(value));
        text.append(", propagation ").append(fabric().propagationSlots()).append(" slots, ").append(mode);
        engine.settings().forEach((name, value) -> text.append(name.equals("mode") ? "" : ", " + name + " " + value));
        return text.toString();
    }

    /**
     * The engine with the fabric in it, at slot 0.
     *
     * @param flows on demand.
     * @param edges where their cells come from and go to.
     */
    public Engine engine(final FlowSet flows, final Edges edges) {
        return engine.engine(choice.circuits(), flows, edges, idleAlone, check);
    }
}
