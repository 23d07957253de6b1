package dev.skerry.tools.run;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.FreeRunning;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.MemberEngine;
import dev.skerry.nic.engine.MemberStep;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustMember;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Wiring;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What runs the fabric: lock step, or NICs and switches on threads.
 *
 * @param workers   of lock step.
 * @param threading of threads; null for lock step.
 * @param wiring    the circuit switches; null for lock step and for Stardust, which has none.
 * @param bringUp   whether devices of Stardust know nobody at slot 0.
 * @param settings  its settings as they would be typed.
 */
public record EngineChoice(int workers, Threading threading, Wiring wiring, boolean bringUp,
    Map<String, String> settings) {
    /** Period of the reachability messages of Stardust. */
    private static final double REACHABILITY_NS = 10_000;
    private static final int MAX_THREADS = 1024;
    /** Places for cells that a worker of lock step goes through between two meetings, for it to be of use. */
    private static final int LEAST_CELLS = 128;

    /**
     * Makes sense of the options.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    static EngineChoice of(final RunOptions options, final Fabric fabric) {
        return switch (options.mode) {
            case "lockstep" -> lockStep(options, fabric);
            case "threads" -> threads(options, fabric);
            default -> throw new InputException("--mode", options.mode, "there is no such choice",
                "use lockstep or threads");
        };
    }

    /** Threads that share the nodes, at most one per processor. */
    public int threads(final int nodes) {
        return Math.min(threading == null ? Math.min(workers, nodes) : threading.threads(),
            Runtime.getRuntime().availableProcessors());
    }

    /** What switches a fabric: circuit switches of a lane, or the elements of Stardust. */
    int switches(final Fabric fabric) {
        return switch (fabric) {
            case Stardust stardust -> stardust.clos().devices() - stardust.clos().fas();
            case Shoal shoal -> wiring.switches() / shoal.channels();
            default -> wiring.switches();
        };
    }

    /** The same, or one worker of lock step in place of threads. */
    public EngineChoice inLockStep() {
        return threading == null ? this : ofOneWorker();
    }

    /** One worker of lock step. */
    public EngineChoice ofOneWorker() {
        return new EngineChoice(1, null, null, bringUp, Map.of());
    }

    /** Timing of the reachability messages of Stardust. */
    static ReachTiming reachability(final double wholeSlotNs) {
        return ReachTiming.every(REACHABILITY_NS, wholeSlotNs);
    }

    /** The engine with the fabric in it, at slot 0. */
    public Engine engine(final FabricChoice choice, final Faults faults, final FlowSet flows, final boolean check) {
        return engine(choice, faults, flows, check, null);
    }

    /** The same, and fills a log; null for none. */
    public Engine engine(final FabricChoice choice, final Faults faults, final FlowSet flows, final boolean check,
        final RunLog log) {
        if (choice.fabric() instanceof final Stardust stardust) {
            final ReachTiming healing = healing(choice);
            return threading == null ? new StardustEngine(stardust, flows, faults, healing, workers, check)
                : new StardustThreads(stardust, flows, faults, healing, threading);
        }
        final FabricParts parts = parts(choice, log);
        if (threading == null) {
            final LockStep engine = new LockStep(parts, flows, faults, workers, check);
            return log == null ? engine : engine.log(log);
        }
        final FreeRunning engine = new FreeRunning(parts, flows, faults, wiring, threading, check);
        return log == null ? engine : engine.log(log);
    }

    /**
     * One member's engine with its part of a fabric in it, at slot 0.
     *
     * @param log filled by a circuit fabric; null for none.
     */
    public MemberEngine engine(final FabricChoice choice, final Faults faults, final FlowSet flows, final RunLog log,
        final RowExchange exchange) {
        if (choice.fabric() instanceof final Stardust stardust) {
            return new StardustMember(stardust, flows, faults, healing(choice), exchange);
        }
        final MemberStep engine = new MemberStep(parts(choice, log), flows, faults, exchange);
        return log == null ? engine : engine.log(log);
    }

    private static FabricParts parts(final FabricChoice choice, final RunLog log) {
        return log == null ? CircuitParts.counting(choice.circuits()) : CircuitParts.byLink(choice.circuits());
    }

    /**
     * The engine with a fabric in it whose packets come from outside.
     *
     * @param faults    what fails, and when.
     * @param idleAlone what a thread of lock step does while there is nothing to do.
     */
    Engine engine(final FabricChoice choice, final Faults faults, final FlowSet flows, final Edges edges,
        final Idle idleAlone, final boolean check) {
        return switch (choice.fabric()) {
            case Stardust stardust -> threading == null
                ? new StardustEngine(stardust, flows, faults, healing(choice), workers, check, edges, idleAlone)
                : new StardustThreads(stardust, flows, faults, healing(choice), edges, threading);
            case CircuitFabric circuits -> threading == null
                ? new LockStep(CircuitParts.of(circuits), flows, faults, edges, workers, idleAlone, check)
                : new FreeRunning(CircuitParts.of(circuits), flows, faults, edges, wiring, threading);
            default -> throw CircuitParts.unknown(choice.fabric());
        };
    }

    /** Timing of the reachability messages of a fabric of Stardust. */
    public ReachTiming healing(final FabricChoice choice) {
        final ReachTiming known = reachability(choice.wholeSlotNs());
        return bringUp ? known.fromNothing() : known;
    }

    private static EngineChoice lockStep(final RunOptions options, final Fabric fabric) {
        final String why = "not used in lock step";
        final String advice = "leave it out or add --mode threads";
        Choices.refuse("--idle", options.idle, why, advice);
        Choices.refuse("--nic-threads", options.nicThreads, why, advice);
        Choices.refuse("--switch-threads", options.switchThreads, why, advice);
        Choices.refuse("--pin", options.pin, why, advice);
        final boolean mayFail = options.faults != null && fabric instanceof Shoal;
        Choices.refuse("--clos-ports", mayFail ? null : options.closPorts, why, advice);
        Choices.refuse("--clos-spines", mayFail ? null : options.shoal.closSpines, why, advice);
        final Map<String, String> settings = new LinkedHashMap<>();
        if (mayFail) {
            putClosPorts(options, fabric, settings);
        }
        final int workers = Choices.inRange("--threads", options.threads, 1, MAX_THREADS, 1);
        settings.put("threads", Integer.toString(workers));
        return new EngineChoice(Math.min(workers, usefulWorkers(fabric)), null, null, options.stardust.isBringUp(),
            settings);
    }

    /** Workers that have more to do between two meetings than these cost: they meet once in the slots of a link. */
    static int usefulWorkers(final Fabric fabric) {
        final long cells = switch (fabric) {
            case final CircuitFabric circuits ->
                (long) circuits.cellsInSlot() * Math.max(1, circuits.propagationSlots());
            case final Stardust stardust ->
                (long) stardust.clos().fas() * stardust.clos().config().faLinks() * stardust.linkSlots();
            default -> Long.MAX_VALUE;
        };
        return Math.clamp(cells / LEAST_CELLS, 1, MAX_THREADS);
    }

    private static EngineChoice threads(final RunOptions options, final Fabric fabric) {
        MechanismChoice.refuseInstant(fabric);
        final Wiring wiring = wiring(options, fabric);
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("mode", "threads");
        putClosPorts(options, fabric, settings);
        final Idle idle = idle(options);
        settings.put("idle", idle.name().toLowerCase(Locale.ROOT));
        final int[] cpus = cpus(options);
        final boolean separate = options.nicThreads != null || options.switchThreads != null;
        final Threading threading;
        if (separate) {
            Choices.refuseIf(options.threads != null, "--threads", options.threads, "--nic-threads or --switch-threads "
                + "is given too", "leave it out, or the other two");
            final int nics = Choices.inRange("--nic-threads", options.nicThreads, 1, MAX_THREADS, 1);
            final int switches = Choices.inRange("--switch-threads", options.switchThreads, 1, MAX_THREADS, 1);
            settings.put("nic-threads", Integer.toString(nics));
            settings.put("switch-threads", Integer.toString(switches));
            threading = Threading.separate(nics, switches, idle, cpus);
        } else {
            final int threads = options.threads == null ? Runtime.getRuntime().availableProcessors()
                : Choices.inRange("--threads", options.threads, 1, MAX_THREADS);
            settings.put("threads", Integer.toString(threads));
            threading = Threading.shared(threads, idle, cpus);
        }
        if (cpus.length > 0) {
            settings.put("pin", options.pin);
            Choices.refuseIf(cpus.length < threading.threads(), "--pin", options.pin, cpus.length + " processors for "
                + threading.threads() + " threads", "name one for each thread");
        }
        return new EngineChoice(0, threading, wiring, options.stardust.isBringUp(), settings);
    }

    private static Wiring wiring(final RunOptions options, final Fabric fabric) {
        if (fabric instanceof final Shoal shoal) {
            return new ClosChoice(options, shoal).clos().wiring();
        }
        Choices.refuse("--clos-ports", options.closPorts, "not supported by "
            + (fabric instanceof Stardust ? "Stardust" : "shale"), "leave it out");
        return fabric instanceof final CircuitFabric circuits ? LaneChoice.wiring(options, circuits.schedule()) : null;
    }

    private static void putClosPorts(final RunOptions options, final Fabric fabric,
        final Map<String, String> settings) {
        if (fabric instanceof final Shoal shoal) {
            settings.put("clos-ports", Integer.toString(new ClosChoice(options, shoal).ports()));
            Choices.put(settings, "clos-spines", options.shoal.closSpines);
        }
    }

    static Idle idle(final RunOptions options) {
        return Choices.of("--idle", options.idle, Idle.BACKOFF, Idle.values());
    }

    private static int[] cpus(final RunOptions options) {
        if (options.pin == null) {
            return new int[0];
        }
        Choices.refuseIf(!System.getProperty("os.name").startsWith("Linux"), "--pin", options.pin,
            "threads can be pinned on Linux only", "leave it out");
        try {
            return Arrays.stream(options.pin.split(",")).map(String::strip).mapToInt(cpu -> {
                final int number = Integer.parseInt(cpu);
                Choices.refuseIf(number < 0 || number >= Runtime.getRuntime().availableProcessors(), "--pin",
                    options.pin, "there is no processor " + number, "name some of 0 to "
                    + (Runtime.getRuntime().availableProcessors() - 1));
                return number;
            }).toArray();
        } catch (final NumberFormatException e) {
            throw new InputException("--pin", options.pin, "not a list of processors", "write for example 0,1");
        }
    }
}
