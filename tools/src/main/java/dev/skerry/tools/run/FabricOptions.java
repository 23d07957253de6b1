package dev.skerry.tools.run;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The options that say which fabric packets cross, and what runs it: those of {@code run} that mean something there,
 * with what is usual for packets. One thread.
 */
public final class FabricOptions {
    private static final String THREADS = "threads";
    private static final String LOCK_STEP = "lockstep";
    /** A little more than the longest packet: larger cells would be mostly empty. */
    private static final int MOST_CELL_BYTES = 1 << 14;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = "shoal",
        completionCandidates = FabricKind.Names.class,
        description = "Which system: shoal, shale or stardust (default: ${DEFAULT-VALUE}).")
    String fabricName;

    @Option(names = "--nodes", paramLabel = "N",
        description = "Nodes, of Stardust adapters (default: 8 of Shoal and Stardust, 9 of Shale).")
    Integer nodes;

    @Option(names = "--channels", paramLabel = "C", description = "Shoal: cells a node sends in a slot (default: 1).")
    Integer channels;

    @Option(names = "--hosts", hidden = true)
    String hosts;

    @Option(names = "--faults", paramLabel = "FILE",
        description = "A script of faults, as for run; slots pass while cells are under way. none: nothing fails "
            + "before ./skerry ctl fault says so.")
    Path faults;

    @Option(names = "--cell-bytes", paramLabel = "B",
        description = "Size of a cell (default: Shale 256, Shoal 64; Stardust 256 without its header).")
    Integer cellBytes;

    @Option(names = "--propagation-slots", paramLabel = "K",
        description = "Propagation delay in slots, of Stardust that of a link (default: 2, in lock step 0; Stardust "
            + "8, in lock step 1). With a longer delay threads wait less for each other, but feedback reaches flows "
            + "later.")
    Integer propagationSlots;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "Shale, Stardust: decides the spraying (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(names = "--mode", paramLabel = "NAME",
        description = "How it runs: threads, NICs and one agent for each circuit switch on threads; or lockstep, one "
            + "loop over all nodes (default: lockstep, if one thread is as good as those that are asked for; "
            + "threads if all have processors, or others, --pin or --clos-ports are asked for).")
    String mode;

    @Option(names = "--threads", paramLabel = "W",
        description = "Threads; in mode threads they share NICs and switches (default: 1 in lock step; else a thread "
            + "for NICs and one for each switch if there are so many processors, or as many as there are).")
    Integer threads;

    @Option(names = "--nic-threads", paramLabel = "W",
        description = "Mode threads: threads for NICs and their ports (default: 1).")
    Integer nicThreads;

    @Option(names = "--switch-threads", paramLabel = "W",
        description = "Mode threads: threads for circuit switches, of Stardust for elements (default with "
            + "--nic-threads: one for each of a lane, 6 for 8 nodes of Shoal).")
    Integer switchThreads;

    @Option(names = "--idle", paramLabel = "NAME", completionCandidates = Choices.Idles.class,
        description = "What a thread does while there is nothing to do: ${COMPLETION-CANDIDATES} "
            + "(default: backoff).")
    String idle;

    @Option(names = "--pin", paramLabel = "CPUS",
        description = "Mode threads: processors to pin the threads to, for example 0,1. Linux only.")
    String pin;

    @Option(names = "--check", description = "In lock step: check every invariant in every slot. Slow.")
    boolean check;

    private final KindOptions own = new KindOptions();
    private int classes;
    private int ports;
    private FabricChoice choice;
    private FaultOrders faultOrders;
    private List<String> remarks;
    private EngineChoice engine;
    private Idle idleAlone;

    FabricOptions() {
    }

    /** Adds the options of all fabrics to the command that has these. */
    @Spec(Spec.Target.MIXEE)
    void joinTo(final CommandSpec mixee) {
        own.addTo(mixee, true);
    }

    /** Options before they are read. */
    public static FabricOptions empty() {
        return new FabricOptions();
    }

    /**
     * Makes sense of them; to be called first.
     *
     * @param classesOf    traffic classes of the packets that cross it.
     * @param portsAtANode most ports that are at a node.
     * @throws InputException if one of them is wrong, alone or with another.
     */
    public void resolve(final int classesOf, final int portsAtANode) {
        classes = classesOf;
        ports = portsAtANode;
        if (cellBytes != null) {
            Choices.inRange("--cell-bytes", cellBytes, 1, MOST_CELL_BYTES);
        }
        Choices.refuse("--hosts", hosts, "hosts are what is behind the ports, and send as they like", "leave it out, "
            + "or say gen: with a rate");
        mode = mode == null ? usualMode() : mode;
        final RunOptions run = runOptions();
        if (mode.equals(THREADS) && threads == null) {
            shareOut(run);
        }
        idleAlone = EngineChoice.idle(run);
        run.idle = mode.equals(THREADS) ? run.idle : null;
        Choices.refuseIf(check && mode.equals(THREADS), "--check", null,
            "with threads nobody sees the whole fabric between two slots", "leave it out or use --mode lockstep");
        Choices.refuseIf(check && threads != null && threads > 1, "--check", null,
            "it looks at the whole fabric from one thread", "leave out --threads");
        choice = FabricChoice.of(run);
        choice.refusePackets(classes);
        engine = EngineChoice.of(run, choice);
        remarks = new ArrayList<>(choice.remarks());
        faultOrders = new FaultOrders(run, choice, remarks);
    }

    private RunOptions runOptions() {
        final RunOptions run = new RunOptions(own);
        run.fabric = fabricName;
        run.nodes = Choices.inRange("--nodes", nodes, 1, Integer.MAX_VALUE, 0);
        run.faults = faults;
        run.packetClasses = classes;
        run.portPairs = ports * ports;
        run.channels = channels;
        run.cellBytes = cellBytes;
        run.propagationSlots = propagationSlots;
        FabricKind.named(fabricName).setForPackets(run, mode.equals(THREADS));
        run.seed = seed;
        run.mode = mode;
        run.threads = threads;
        run.nicThreads = nicThreads;
        run.switchThreads = switchThreads;
        run.idle = idle;
        run.pin = pin;
        return run;
    }

    /** Agents share threads only where one is not enough: handing cells over costs more than lock step. */
    private String usualMode() {
        mode = LOCK_STEP;
        final boolean isAsked = nicThreads != null || switchThreads != null || pin != null
            || FabricKind.named(fabricName).needsThreads(own);
        final boolean isOne = isAsked || threads == null || threads == 1
            || EngineChoice.usefulWorkers(FabricChoice.of(runOptions())) == 1;
        mode = THREADS;
        return check || !isAsked && isOne && 1 + switches(runOptions()) > processors() ? LOCK_STEP : THREADS;
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Threads of their own for NICs and for each switch, if that is asked for or there are the processors for it. */
    private void shareOut(final RunOptions run) {
        run.nicThreads = nicThreads == null ? 1 : nicThreads;
        run.switchThreads = switchThreads == null ? switches(run) : switchThreads;
        if (nicThreads == null && switchThreads == null && run.nicThreads + run.switchThreads > processors()) {
            run.nicThreads = null;
            run.switchThreads = null;
            run.threads = processors();
        }
    }

    /** Switches that a thread each would suit: those of a lane. */
    private static int switches(final RunOptions run) {
        return Math.max(1, FabricChoice.of(run).switches());
    }

    /** The fabric. */
    public Fabric fabric() {
        return choice.fabric();
    }

    /** Its cells. */
    public CellFormat format() {
        return choice.format();
    }

    /** What fails, and takes orders to let more fail. */
    public FaultOrders faults() {
        return faultOrders;
    }

    /** What the user should know before the run. */
    public List<String> remarks() {
        return remarks;
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
     * @param rehearsal whether nobody counts the packets: without checks and anything that fails.
     */
    public Engine engine(final FlowSet flows, final Edges edges, final boolean rehearsal) {
        return choice.engine(engine, new Traffic(flows, rehearsal ? faultOrders.rehearsed() : faultOrders.script(),
            edges), idleAlone, check && !rehearsal, null);
    }
}
