package dev.skerry.spi;

import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Wiring;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The engine of a run: lock step, NICs and switches on threads, or the reference engine.
 *
 * @param workers     number of workers in lock step.
 * @param threading   assignment of the agents to threads; null in lock step.
 * @param wiring      the circuit switches; null in lock step and for fabrics without circuit switches.
 * @param isReference whether the reference engine runs the fabric instead of lock step.
 * @param settings    the settings of the engine as they would be typed.
 */
@SuppressWarnings("exports")
public record EngineChoice(int workers, Threading threading, Wiring wiring, boolean isReference,
    Map<String, String> settings) {
    private static final String REFERENCE = "reference";
    private static final int MAX_THREADS = 1024;
    /**
     * Cells that a worker in lock step must be able to process between two barriers to be worth its synchronisation.
     */
    private static final int LEAST_CELLS = 128;

    /**
     * Selects an engine from its options.
     *
     * @throws InputException if an option is invalid or contradicts another one.
     */
    public static EngineChoice of(final EngineOptions options, final FabricChoice fabric) {
        return switch (Objects.requireNonNullElse(options.mode, "lockstep")) {
            case "lockstep" -> lockStep(options, fabric);
            case "threads" -> threads(options, fabric);
            default -> throw new InputException("--mode", options.mode, "there is no such choice",
                "use lockstep or threads");
        };
    }

    /**
     * Selects an engine from the options of a run.
     *
     * @throws InputException if an option is invalid or contradicts another one.
     */
    public static EngineChoice of(final RunOptions options, final FabricChoice fabric) {
        if (options.engineName == null || options.engineName.equals("fast")) {
            return of(options.engine, fabric);
        }
        Choices.refuseIf(!options.engineName.equals(REFERENCE), "--engine", options.engineName,
            "there is no such engine", "use fast or reference");
        final String why = "the reference engine runs in one loop, without faults and checks";
        final String advice = "leave it out or use --engine fast";
        Choices.refuse("--mode", options.engine.mode, why, advice);
        Choices.refuse("--threads", options.engine.threads, why, advice);
        Choices.refuse("--faults", options.faults, why, advice);
        Choices.refuse("--check", options.check ? true : null, why, advice);
        lockStep(options.engine, fabric);
        return new EngineChoice(1, null, null, true, Map.of("engine", REFERENCE));
    }

    /**
     * Checks that the reference engine supports the run, if it was selected.
     *
     * @throws InputException if it cannot run the flows in the fabric.
     */
    public void check(final FabricChoice fabric, final FlowSet flows) {
        if (isReference) {
            try (Engine _ = fabric.reference(flows)) {
                return;
            } catch (final IllegalArgumentException e) {
                throw new InputException("--engine", REFERENCE, e.getMessage(), "use --engine fast");
            }
        }
    }

    /** Returns the number of threads that share the nodes, at most one per processor. */
    public int threads(final int nodes) {
        return Math.min(threading == null ? Math.min(workers, nodes) : threading.threads(),
            Runtime.getRuntime().availableProcessors());
    }

    /** Returns the number of threads requested. */
    public int asked() {
        return threading == null ? Integer.parseInt(settings.getOrDefault("threads", "1")) : threading.threads();
    }

    /** Returns this choice, or lock step with one worker if this choice uses threads. */
    public EngineChoice inLockStep() {
        return threading == null ? this : ofOneWorker();
    }

    /** Returns lock step with one worker, or the reference engine if this choice is the reference engine. */
    public EngineChoice ofOneWorker() {
        return new EngineChoice(1, null, null, isReference, Map.of());
    }

    private static EngineChoice lockStep(final EngineOptions options, final FabricChoice fabric) {
        final String why = "not used in lock step";
        final String advice = "leave it out or add --mode threads";
        Choices.refuse("--idle", options.idle, why, advice);
        Choices.refuse("--nic-threads", options.nicThreads, why, advice);
        Choices.refuse("--switch-threads", options.switchThreads, why, advice);
        Choices.refuse("--pin", options.pin, why, advice);
        fabric.refuseSwitches(why, advice);
        final Map<String, String> settings = new LinkedHashMap<>();
        if (fabric.mayFail()) {
            fabric.describeSwitches(settings);
        }
        final int workers = Choices.inRange("--threads", options.threads, 1, MAX_THREADS, 1);
        settings.put("threads", Integer.toString(workers));
        return new EngineChoice(Math.min(workers, usefulWorkers(fabric)), null, null, false, settings);
    }

    /** Returns the largest number of workers whose work between two barriers outweighs the cost of a barrier. */
    public static int usefulWorkers(final FabricChoice fabric) {
        return Math.clamp(fabric.cellsBetweenBarriers() / LEAST_CELLS, 1, MAX_THREADS);
    }

    private static EngineChoice threads(final EngineOptions options, final FabricChoice fabric) {
        fabric.refuseInstant();
        final Wiring wiring = fabric.wiring();
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("mode", "threads");
        fabric.describeSwitches(settings);
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
        return new EngineChoice(0, threading, wiring, false, settings);
    }

    public static Idle idle(final EngineOptions options) {
        return Choices.of("--idle", options.idle, Idle.BACKOFF, Idle.values());
    }

    private static int[] cpus(final EngineOptions options) {
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

    /** The options of an engine as typed, for flows and for packets from outside. */
    public static final class EngineOptions {
        @Option(names = "--mode", paramLabel = "NAME",
            description = "Execution mode: lockstep or threads. lockstep: one loop over all nodes; threads: NICs, "
                + "and one agent per switch (Stardust: per adapter and element), run on threads of their own. The "
                + "results are the same (default: lockstep; live: threads if there is a processor for each, or with "
                + "--nic-threads, --switch-threads, --pin or --clos-ports).")
        public String mode;

        @Option(names = "--threads", paramLabel = "W",
            description = "Number of threads; the results do not depend on it. Lock step uses fewer where "
                + "synchronisation would cost more than it saves (default: 1 in lock step, otherwise the number of "
                + "processors).")
        public Integer threads;

        @Option(names = "--nic-threads", paramLabel = "W",
            description = "Mode threads: number of threads for NICs or adapters. Use it and --switch-threads in "
                + "place of --threads (default with --switch-threads: 1).")
        public Integer nicThreads;

        @Option(names = "--switch-threads", paramLabel = "W",
            description = "Mode threads: number of threads for circuit switches or elements. With as many threads as "
                + "switches, each switch has its own (default with --nic-threads: 1; in live one per switch).")
        public Integer switchThreads;

        @Option(names = "--idle", paramLabel = "NAME", completionCandidates = Choices.Idles.class,
            description = "Mode threads, and live: what a thread does while it waits: ${COMPLETION-CANDIDATES} "
                + "(default: backoff).")
        public String idle;

        @Option(names = "--pin", paramLabel = "CPUS",
            description = "Mode threads: processors to pin the threads to, in order. For example 0,1; Linux only.")
        public String pin;

        EngineOptions() {
        }
    }
}
