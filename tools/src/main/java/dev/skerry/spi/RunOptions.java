package dev.skerry.spi;

import dev.skerry.spi.EngineChoice.EngineOptions;
import dev.skerry.spi.FabricKind.OptionGroup;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.traffic.ArrivalOptions;
import dev.skerry.tools.traffic.TraceOptions;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** The options of {@code skerry run} that say what is run, as they were typed. One thread. */
public final class RunOptions {
    /** Options that some fabrics have. */
    static final List<String> SHARED = List.of("--channels", "--class-bytes", "--guard-ns", "--failed-nodes",
        "--miss-limit");

    /** The options of fabrics. */
    public final KindOptions own = new KindOptions();

    /** The command that these are options of; null where no command line was read. */
    private CommandSpec command;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = "shale",
        completionCandidates = FabricKind.Names.class,
        description = "Which system: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}; trace: one with circuits).")
    public String fabric;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "256",
        description = "End nodes. Shale: N is rounded up to the next r^H; the surplus nodes are marked as "
            + "failed. Shoal: 2 to 1024. Stardust: Fabric Adapters, a multiple of 8 (default: 256; live: 8, Shale 9).")
    public int nodes;

    @Option(names = "--channels", paramLabel = "C",
        description = "Shoal: lanes of a node's link, on each of which it sends and receives a cell a slot "
            + "(default: 4; 1 with the rule authors-simulator and in live).")
    public Integer channels;

    @Option(names = "--class-bytes", paramLabel = "B1,B2,B3",
        description = "Shoal, Stardust: traffic classes by size: flows of up to B1 bytes go before all others, those "
            + "of up to B2 before the rest, and so on; one to three sizes (default: one class, or those of the trace).")
    public String classBytes;

    /** Traffic classes that packets of ports say themselves. */
    public int packetClasses = 1;

    /** Pairs of ports at one node and another, each of which has flows of its own. */
    public int portPairs = 1;

    @Option(names = "--flows", paramLabel = "FILE",
        description = "Workload from a trace, a flow a line: "
            + "flow-id,source,destination,size-in-bytes,start-in-seconds; for Shoal and Stardust optionally followed "
            + "by a traffic class, 0 (goes first) to 3. Or HPCC's flow.txt, the .htsim of opera-sim or a connection "
            + "matrix of htsim, told by the first line. May be gzip.")
    public Path flows;

    @Mixin
    public TraceOptions trace = new TraceOptions();

    @Option(names = "--workload", paramLabel = "NAME",
        description = "Synthetic workload. Random arrivals of short (a data centre of IMC 2010, mean 196 kB), heavy "
            + "(data mining of VL2, mean 7.5 MB), web (web search of DCTCP, mean 1.67 MB) or "
            + "file:PATH, sizes from a file, a line each: bytes and the share of the flows that are not larger, as a "
            + "fraction or in percent; pFabric's and Homa's files too. linear:PATH makes sizes between two lines "
            + "equally likely, step:PATH draws only those listed (default: as the simulator of the file's form). "
            + "At once: permutation, incast, all-to-all, each-to-each (default: short).")
    public String workload;

    @Option(names = "--load", paramLabel = "L",
        description = "Cells offered per node, slot and channel by short, heavy, web and files "
            + "(default: 0.8 of what is guaranteed, 1/(2H) or 1/2).")
    public Double load;

    @Option(names = "--incast-senders", paramLabel = "K", description = "Senders of the incast (default: 32).")
    public Integer incastSenders;

    @Option(names = "--flow-bytes", paramLabel = "B",
        description = "Bytes of a flow of permutation, incast and all-to-all (default: endless, 24400 and 2440).")
    public Long flowBytes;

    @Option(names = "--pair-gbps", paramLabel = "R",
        description = "Rate at which each endpoint makes cells for each other one in each-to-each, in Gb/s, headers "
            + "included; Shoal's prototype has 1 to 10 (default: 1).")
    public Double pairGbps;

    @Option(names = "--slots", paramLabel = "T",
        description = "Slots to run, counted to the last one even if every flow is done earlier; 0: until every flow "
            + "is done (default: 0 for a trace; short, heavy, web and files: flows arrive for 200000 and are waited "
            + "for; other workloads: 100000).")
    public Long slots;

    @Mixin
    public ArrivalOptions arrivals = new ArrivalOptions();

    @Option(names = "--slot-ns", paramLabel = "X",
        description = "Time between the cells that a node sends in ns, guard band included: a slot of Shoal lasts C "
            + "times as long (default: Shale 5.632; Shoal 5.8125, or 5.632 with the rule authors-simulator; "
            + "Stardust 87.04 divided by the links of an end node: 25 Gb/s).")
    public Double slotNs;

    @Option(names = "--guard-ns", paramLabel = "X",
        description = "Shale, Shoal: part of the slot of a lane in which circuits change. A node whose clock is off, "
            + "by a line clock of --faults, loses its cells: guardViolation. Shale: off by more than half of it; its "
            + "paper has 4.096 with 8 lanes. Shoal: by more than it exceeds --reconfiguration-ns; a clock whole slots "
            + "late sends to other nodes, wrongDestination (default: none).")
    public Double guardNs;

    @Option(names = "--cell-bytes", paramLabel = "B",
        description = "Size of a cell; Stardust: of its payload (default: Shale 256, Shoal 64, Stardust 256).")
    public Integer cellBytes;

    @Option(names = "--header-bytes", paramLabel = "B",
        description = "Header of a cell (default: Shale 12, or 16 where the wide header is needed; Shoal 8, "
            + "Stardust 16).")
    public Integer headerBytes;

    @Option(names = "--propagation-ns", paramLabel = "X",
        description = "Propagation delay in ns, rounded up to whole slots; Stardust: of a link (default: "
            + "Shale 500, Shoal 0, Stardust 500).")
    public Double propagationNs;

    @Option(names = "--propagation-slots", paramLabel = "K",
        description = "Propagation delay in slots instead (live: default 2 with threads, 0 in lock step; Stardust "
            + "8 and 1, of a link; a longer delay lets threads wait less for each other, but delays feedback).")
    public Integer propagationSlots;

    @Option(names = "--failed-nodes", paramLabel = "K", defaultValue = "0",
        description = "Nodes that never answer. Shale: chosen as the Shale authors' simulator does, and a trace "
            + "numbers the others. Shoal: nodes 0 to K-1, as its simulator does, and a trace keeps its numbers. The "
            + "workload avoids them (default: ${DEFAULT-VALUE}).")
    public int failedNodes;

    @Option(names = "--faults", paramLabel = "FILE",
        description = "A script of faults, a line each: <slot> node <id> down|up, <slot> link <from> <to> down|up, "
            + "<slot> corrupt <probability> [<from> <to>]. With --guard-ns also: <slot> clock <id> <ns late>. Shoal "
            + "also: <slot> leaf|spine|switch <number> down|up, of the Clos, plane by plane. Stardust: nodes are "
            + "devices, adapters first; also <slot> host <id> down|up, <slot> control <loss> <repeat>, "
            + "<slot> rogue <adapter>. In live, FILE may be none: faults come from ./skerry ctl fault only.")
    public Path faults;

    @Option(names = "--miss-limit", paramLabel = "M",
        description = "With --faults: cells in a row that a neighbour must fail to send before it is taken for down; "
            + "Shale 1 to 8 (default: 1).")
    public Integer missLimit;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "64 bits that decide everything random (default: ${DEFAULT-VALUE}).")
    public long seed;

    /** What runs it. */
    @Mixin
    public final EngineOptions engine = new EngineOptions();

    @Option(names = "--engine", paramLabel = "NAME",
        description = "fast; or reference, the rules of the fabric's paper written to be read, for small fabrics: the "
            + "same result, slowly (default: fast).")
    public String engineName;

    @Option(names = "--check",
        description = "Check every invariant in every slot, and every payload. Slow: meant for small fabrics.")
    public boolean check;

    /** Options before they are read. */
    public RunOptions() {
    }

    /**
     * Options as they are typed behind {@code run}.
     *
     * @throws CommandLine.ParameterException if there is no such option, or its value is none.
     */
    public static RunOptions of(final String... words) {
        final RunOptions options = new RunOptions();
        options.reader().parseArgs(words);
        return options;
    }

    /** Reads these options alone, with those of all fabrics. */
    public CommandLine reader() {
        final CommandLine reader = new CommandLine(this);
        own.addTo(reader.getCommandSpec(), false);
        return reader;
    }

    /** Adds the options of all fabrics to the command that has these. */
    @Spec(Spec.Target.MIXEE)
    void joinTo(final CommandSpec mixee) {
        command = mixee;
        own.addTo(mixee, false);
    }

    /**
     * Refuses what was typed although the fabric does not have it, or means nothing to a run without faults.
     *
     * @throws dev.skerry.tools.input.InputException for the first such option.
     */
    void refuseForeign(final FabricKind kind) {
        own.refuseForeign(kind);
        final Object[] shared = {channels, classBytes, guardNs, failedNodes == 0 ? null : failedNodes, missLimit};
        for (int i = 0; i < shared.length; i++) {
            Choices.refuse(SHARED.get(i), kind.shared().contains(SHARED.get(i)) ? null : shared[i],
                "not supported by " + kind.title(), "leave it out");
        }
        Choices.refuse("--miss-limit", faults == null ? missLimit : null, "nothing fails in this run",
            "leave it out or add --faults");
    }

    /**
     * Refuses options that say which flows a report measures.
     *
     * @param why there is no such report.
     */
    public void refuseMeasures(final String why) {
        Choices.refuse("--slowdown", arrivals.slowdown(), why, "leave it out");
        Choices.refuse("--warm-up", arrivals.warmUp(), why, "leave it out");
    }

    /** Whether a command line was read and has no option but some of these. */
    public boolean areAllTypedIn(final Set<String> names) {
        return command != null && command.commandLine().getParseResult().matchedOptions().stream()
            .allMatch(option -> names.contains(option.longestName()));
    }

    /** Whether an option was typed, be it what it is without. */
    public boolean isTyped(final String option) {
        return command != null && command.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** The options that fabrics have of their own, as typed: those of every kind, each object once. One thread. */
    public static final class KindOptions {
        private final List<Owned> all = new ArrayList<>();

        /** Options of all kinds, none typed. */
        public KindOptions() {
            for (final FabricKind kind : FabricKind.all()) {
                kind.options().forEach(group -> all.add(new Owned(kind, group)));
            }
        }

        private record Owned(FabricKind kind, OptionGroup group) {
        }

        /** The options of a class. */
        public <T> T of(final Class<T> type) {
            return all.stream().map(owned -> owned.group.options()).filter(type::isInstance).map(type::cast).findFirst()
                .orElseThrow();
        }

        /**
         * Adds them to a command.
         *
         * @param ofPackets whether only those that apply to packets from outside.
         */
        public void addTo(final CommandSpec command, final boolean ofPackets) {
            for (final Owned owned : all) {
                if (owned.group.ofPackets() || !ofPackets) {
                    command.addMixin(owned.group.options().getClass().getSimpleName(),
                        CommandSpec.forAnnotatedObjectLenient(owned.group.options()));
                }
            }
        }

        /** What was typed of a kind's own options, a word each, as {@link RunOptions#of} takes them. */
        public static List<String> typed(final FabricKind kind, final ParseResult parsed) {
            return kind.options().stream()
                .flatMap(group -> CommandSpec.forAnnotatedObjectLenient(group.options()).options().stream())
                .map(option -> parsed.matchedOption(option.longestName())).filter(Objects::nonNull)
                .map(option -> option.longestName() + (option.arity().max() == 0 ? ""
                    : "=" + String.join(",", option.originalStringValues()))).toList();
        }

        /**
         * Refuses what was typed of another kind.
         *
         * @throws dev.skerry.tools.input.InputException for the first such option.
         */
        void refuseForeign(final FabricKind kind) {
            for (final Owned owned : all) {
                if (owned.kind.name().equals(kind.name())) {
                    continue;
                }
                for (final OptionSpec option : CommandSpec.forAnnotatedObjectLenient(owned.group.options()).options()) {
                    final Object value = option.getValue();
                    Choices.refuse(option.longestName(), Boolean.FALSE.equals(value) ? null : value, "an option of "
                        + owned.kind.name() + "; the fabric is " + kind.name(), "leave it out");
                }
            }
        }
    }
}
