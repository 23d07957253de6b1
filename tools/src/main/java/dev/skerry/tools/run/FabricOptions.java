package dev.skerry.tools.run;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.EngineChoice;
import dev.skerry.spi.EngineOptions;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.KindOptions;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Mixin;
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

    /** What runs it; what was not typed is set by {@link #resolve}. */
    @Mixin
    final EngineOptions typed = new EngineOptions();

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
        typed.mode = typed.mode == null ? usualMode() : typed.mode;
        final RunOptions run = runOptions();
        final boolean onThreads = typed.mode.equals(THREADS);
        if (onThreads && typed.threads == null) {
            shareOut(run);
        }
        idleAlone = EngineChoice.idle(typed);
        typed.idle = onThreads ? typed.idle : null;
        Choices.refuseIf(check && onThreads, "--check", null,
            "with threads nobody sees the whole fabric between two slots", "leave it out or use --mode lockstep");
        Choices.refuseIf(check && typed.threads != null && typed.threads > 1, "--check", null,
            "it looks at the whole fabric from one thread", "leave out --threads");
        choice = FabricChoice.of(run);
        choice.refusePackets(classes);
        engine = EngineChoice.of(typed, choice);
        remarks = new ArrayList<>(choice.remarks());
        faultOrders = new FaultOrders(run, choice, remarks);
    }

    private RunOptions runOptions() {
        final RunOptions run = new RunOptions(own, typed);
        run.fabric = fabricName;
        run.nodes = Choices.inRange("--nodes", nodes, 1, Integer.MAX_VALUE, 0);
        run.faults = faults;
        run.packetClasses = classes;
        run.portPairs = ports * ports;
        run.channels = channels;
        run.cellBytes = cellBytes;
        run.propagationSlots = propagationSlots;
        FabricKind.named(fabricName).setForPackets(run, typed.mode.equals(THREADS));
        run.seed = seed;
        return run;
    }

    /** Agents share threads only where one is not enough: handing cells over costs more than lock step. */
    private String usualMode() {
        typed.mode = LOCK_STEP;
        final boolean isAsked = typed.nicThreads != null || typed.switchThreads != null || typed.pin != null
            || FabricKind.named(fabricName).needsThreads(own);
        final boolean isOne = isAsked || typed.threads == null || typed.threads == 1
            || EngineChoice.usefulWorkers(FabricChoice.of(runOptions())) == 1;
        typed.mode = THREADS;
        return check || !isAsked && isOne && 1 + switches(runOptions()) > processors() ? LOCK_STEP : THREADS;
    }

    private static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Threads of their own for NICs and for each switch, if that is asked for or there are the processors for it. */
    private void shareOut(final RunOptions run) {
        final int nics = typed.nicThreads == null ? 1 : typed.nicThreads;
        final int switches = typed.switchThreads == null ? switches(run) : typed.switchThreads;
        if (typed.nicThreads == null && typed.switchThreads == null && nics + switches > processors()) {
            typed.threads = processors();
        } else {
            typed.nicThreads = nics;
            typed.switchThreads = switches;
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
        text.append(", propagation ").append(fabric().propagationSlots()).append(" slots, ").append(typed.mode);
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
