package dev.skerry.tools.run;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The options that say which fabric packets cross, and what runs it: those of {@code run} that mean something there,
 * with what is usual for packets. One thread.
 */
public final class FabricOptions {
    private static final String SHOAL = "shoal";
    private static final String STARDUST = "stardust";
    private static final String THREADS = "threads";
    private static final String LOCK_STEP = "lockstep";
    private static final int SHOAL_NODES = 8;
    private static final int STARDUST_NODES = 8;
    private static final int SHALE_NODES = 9;
    /** Default of {@code run}; the networks of the papers replace it with their own number. */
    private static final int USUAL_NODES = 256;
    /** One lane, which a single flow can fill: each lane costs time whether it is used or not. */
    private static final int CHANNELS = 1;
    /**
     * What agents on threads may run ahead of each other: without it each slot costs two hand-overs; with more, a flow
     * of Shoal, which sends a cell through each relay and waits to be told of it, has less than half a link.
     */
    private static final int PROPAGATION_SLOTS = 2;
    /** The same for each link that a cell of Stardust crosses. */
    private static final int LINK_SLOTS = 8;
    /** A little more than the longest packet: larger cells would be mostly empty. */
    private static final int MOST_CELL_BYTES = 1 << 14;
    /** Cells of Shoal are known to be lost when they have not come for long, a time that grows with N squared. */
    private static final int MOST_SHOAL = 64;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = SHOAL,
        completionCandidates = FabricChoice.Names.class,
        description = "Which system: shoal, shale or stardust (default: ${DEFAULT-VALUE}).")
    String fabricName;

    @Option(names = "--nodes", paramLabel = "N",
        description = "Nodes, of Stardust adapters (default: 8 of Shoal and Stardust, 9 of Shale).")
    Integer nodes;

    @Mixin
    ShaleOptions shale = new ShaleOptions();

    @Option(names = "--channels", paramLabel = "C", description = "Shoal: cells a node sends in a slot (default: 1).")
    Integer channels;

    @Option(names = "--topology", paramLabel = "NAME",
        description = "Stardust: single, adapters of 4 links in one tier; scaled, clos, n62, n432 or n612, as for "
            + "run (default: single).")
    String topology;

    @Mixin
    StardustOptions stardust = new StardustOptions();

    @Mixin
    StardustLinks stardustLinks = new StardustLinks();

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

    @Option(names = "--clos-ports", paramLabel = "K",
        description = "Mode threads, Shoal: ports of a switch of the Clos (default: 4 for 8 nodes).")
    Integer closPorts;

    @Option(names = "--check", description = "In lock step: check every invariant in every slot. Slow.")
    boolean check;

    private int classes;
    private int ports;
    private FabricChoice choice;
    private FaultOrders faultOrders;
    private List<String> remarks;
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
        Choices.refuse("--give-up-ms", fabricName.equals(STARDUST) ? stardust.giveUpMs : null,
            "packets of ports wait for the port they go to, as long as --stall-ms lets them", "leave it out");
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
        refuseMechanisms(choice.fabric());
        refuseFaults(choice.fabric());
        engine = EngineChoice.of(run, choice.fabric());
        remarks = new ArrayList<>(choice.remarks());
        faultOrders = new FaultOrders(run, choice, remarks);
    }

    /**
     * Refuses faults of fabrics in which packets would wait too long for what is lost, and traffic classes where a
     * fabric has none or where a cell that waits cannot be told from one that is lost.
     *
     * @throws InputException if there are some.
     */
    private void refuseFaults(final Fabric fabric) {
        Choices.refuseIf(classes > 1 && !(fabric instanceof Shoal || fabric instanceof Stardust), "--class-of", classes
            + " classes", "Shale has no traffic classes", "leave it out, or use --fabric shoal or stardust");
        if (fabric instanceof Shoal && classes > 1) {
            Choices.refuse("--faults", faults, "Shoal knows cells as lost when they have not come for long, and in "
                + "lower classes they may wait for as long", "leave out --class-of or --faults");
        }
        if (fabric instanceof Shoal && fabric.nodes() > MOST_SHOAL) {
            Choices.refuse("--faults", faults, "Shoal loses cells without a word, which takes the longer to be noticed "
                + "the more nodes there are", "give up to " + MOST_SHOAL + " --nodes");
        }
    }

    /**
     * Refuses mechanisms that need to know flows beforehand.
     *
     * @throws InputException if a fabric has one.
     */
    private void refuseMechanisms(final Fabric fabric) {
        MechanismChoice.refuseInstant(fabric);
        if (fabric instanceof final Shale of && of.mechanisms().order().readsFlows()) {
            throw new InputException("--cc", shale.cc,
                "priority ranks cells by the length of their flow, which packets do not tell", "leave priority out");
        }
        ReceiverDrivenOptions.refusePackets(fabric);
    }

    private RunOptions runOptions() {
        final RunOptions run = new RunOptions();
        run.fabric = fabricName;
        run.nodes = nodes != null ? nodes : usualNodes();
        run.shale = shale;
        run.stardust = stardust;
        run.stardustLinks = stardustLinks;
        run.faults = faults;
        run.packetClasses = classes;
        run.portPairs = ports * ports;
        run.channels = channels == null && fabricName.equals(SHOAL) ? Integer.valueOf(CHANNELS) : channels;
        run.cellBytes = cellBytes;
        run.propagationSlots = propagationSlots != null ? propagationSlots : usualPropagationSlots();
        run.topology = topology;
        if (fabricName.equals(STARDUST)) {
            run.topology = topology == null ? "single" : topology;
            run.packetBytes = CellPacker.MAX_PACKET_BYTES;
        }
        run.seed = seed;
        run.mode = mode;
        run.threads = threads;
        run.nicThreads = nicThreads;
        run.switchThreads = switchThreads;
        run.idle = idle;
        run.pin = pin;
        run.closPorts = closPorts;
        return run;
    }

    /** Of networks that do not say how many they have. */
    private int usualNodes() {
        return switch (fabricName) {
            case SHOAL -> SHOAL_NODES;
            case STARDUST -> topology == null || topology.equals("single") ? STARDUST_NODES : USUAL_NODES;
            default -> SHALE_NODES;
        };
    }

    private int usualPropagationSlots() {
        final boolean isStardust = fabricName.equals(STARDUST);
        return !mode.equals(THREADS) ? isStardust ? 1 : 0 : isStardust ? LINK_SLOTS : PROPAGATION_SLOTS;
    }

    /** Agents share threads only where one is not enough: handing cells over costs more than lock step. */
    private String usualMode() {
        mode = LOCK_STEP;
        final boolean isAsked = nicThreads != null || switchThreads != null || pin != null || closPorts != null;
        final boolean isOne = isAsked || threads == null || threads == 1
            || EngineChoice.usefulWorkers(FabricChoice.of(runOptions()).fabric()) == 1;
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
    private int switches(final RunOptions run) {
        run.pin = null;
        final Fabric fabric = FabricChoice.of(run).fabric();
        final int switches = Math.max(1, EngineChoice.of(run, fabric).switches(fabric));
        run.pin = pin;
        return switches;
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
        return engine.engine(choice, rehearsal ? faultOrders.rehearsed() : faultOrders.script(), flows, edges,
            idleAlone, check && !rehearsal);
    }
}
