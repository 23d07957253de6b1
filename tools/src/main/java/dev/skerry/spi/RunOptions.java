package dev.skerry.spi;

import dev.skerry.spi.EngineChoice.EngineOptions;
import dev.skerry.spi.FabricKind.OptionGroup;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.traffic.ArrivalOptions;
import dev.skerry.tools.traffic.Collective;
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
import java.util.TreeSet;

/** The options of {@code skerry run} that define a run, as typed. Not thread-safe. */
@SuppressWarnings("exports")
public final class RunOptions {
    /** Options that several kinds of fabric support; each kind names those that it has. */
    static final List<String> SHARED = List.of("--channels", "--class-bytes", "--guard-ns", "--failed-nodes",
        "--miss-limit");

    /** The options that belong to single kinds of fabric. */
    public final KindOptions own = new KindOptions();

    /** The command to which these options belong; null if no command line was parsed. */
    private CommandSpec command;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = "shale",
        completionCandidates = FabricKind.Names.class,
        description = "Fabric: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    public String fabric;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "256",
        description = "Number of end nodes. Shale: N is rounded up to the next r^H; the surplus nodes are marked as "
            + "failed. Shoal: 2 to 1024. Stardust: number of Fabric Adapters, a multiple of 8. fattree: number of "
            + "hosts, k²/4 times a divisor of k, for example 16, 64, 128, 256, 432, 512 or 1024; any multiple of L "
            + "with --leaves L (default: 256; live: 8, Shale 9).")
    public int nodes;

    @Option(names = "--channels", paramLabel = "C",
        description = "Shoal: parallel lanes of a node's link. A node sends and receives one cell per slot on each "
            + "of them (default: 4; 1 in live and with the rule authors-simulator).")
    public Integer channels;

    @Option(names = "--class-bytes", paramLabel = "B1,B2,B3",
        description = "Shoal, Stardust: put flows into traffic classes by size. Flows of up to B1 bytes have the "
            + "highest priority, flows of up to B2 bytes the next, and so on; give one to three sizes (default: one "
            + "class, or the classes in the trace).")
    public String classBytes;

    /** Number of traffic classes that packets from ports can select. */
    public int packetClasses = 1;

    /** Number of port pairs between two nodes; each pair has separate flows. */
    public int portPairs = 1;

    @Option(names = "--flows", paramLabel = "FILE",
        description = "Read the flows from a trace file, one flow per line. Format: "
            + "flow-id,source,destination,size-in-bytes,start-in-seconds; for Shoal and Stardust a "
            + "sixth field can give the traffic class, 0 (highest) to 3. Append after=ID+ID to start a flow "
            + "only when those flows have been delivered, and delay-s=X to add X seconds. HPCC's flow.txt, opera-sim's "
            + ".htsim, htsim's connection matrices and GOAL schedules are recognised by their first line. The file can "
            + "be compressed with gzip.")
    public Path flows;

    @Mixin
    public TraceOptions trace = new TraceOptions();

    @Option(names = "--workload", paramLabel = "NAME",
        description = "Synthetic workload. Random arrivals: "
            + "short (a data centre of IMC 2010, mean 196 kB), heavy (data mining of VL2, mean 7.5 MB), "
            + "web (web search of DCTCP, mean 1.67 MB), or file:PATH, flow sizes from a file. Each line "
            + "of the file has a size in bytes and the share of flows that are not larger, as a "
            + "fraction or in percent; the files of pFabric and Homa are recognised. linear:PATH makes "
            + "sizes between two lines equally likely, step:PATH uses only the listed sizes; file:PATH "
            + "uses steps for Homa's format and lines for all others. All flows at once: permutation, incast, "
            + "all-to-all, each-to-each. Collectives, whose flows wait for each other: ring-allreduce, "
            + "tree-allreduce, moe, incast-rounds (default: short).")
    public String workload;

    @Option(names = "--load", paramLabel = "L",
        description = "Offered load, in cells per node, slot and channel. Applies to short, heavy, web and files of "
            + "sizes (default: 0.8 of the guaranteed throughput, which is 1/(2H) for Shale, 1/2 for Shoal and "
            + "1/(--speed-up) for Stardust).")
    public Double load;

    @Option(names = "--incast-senders", paramLabel = "K",
        description = "Number of senders of the incast (default: 32).")
    public Integer incastSenders;

    @Option(names = "--flow-bytes", paramLabel = "B",
        description = "Bytes per flow of permutation, incast, incast-rounds and all-to-all (default: endless for "
            + "permutation, 24400 for incast and incast-rounds, 2440 for all-to-all). All-reduce: bytes of a node's "
            + "buffer; moe: bytes of a node's tokens (default for both: 1048576).")
    public Long flowBytes;

    @Mixin
    public Collective.Options collectives = new Collective.Options();

    @Option(names = "--pair-gbps", paramLabel = "R",
        description = "With --workload each-to-each: rate at which each node generates cells for each other node, in "
            + "Gb/s, headers included; Shoal's prototype uses 1 to 10 (default: 1).")
    public Double pairGbps;

    @Option(names = "--slots", paramLabel = "T",
        description = "Number of slots to run; 0: until every flow is done. A run of T slots does not end earlier, "
            + "even if every flow is done (default: 0 for a trace; short, heavy, web and files of sizes: flows "
            + "arrive for 200000 slots, and the run ends when they are done; endless permutations: 100000; "
            + "each-to-each: cells arrive for 100000 slots; other workloads: 0).")
    public Long slots;

    @Mixin
    public ArrivalOptions arrivals = new ArrivalOptions();

    @Option(names = "--slot-ns", paramLabel = "X",
        description = "Interval between the cells that a node sends, in ns, guard band included. With C channels, a "
            + "slot of Shoal is C times as long (default: Shale 5.632; Shoal 5.8125, or 5.632 with the rule "
            + "authors-simulator; Stardust 87.04 divided by the number of links of an end node, which is 25 Gb/s per "
            + "link).")
    public Double slotNs;

    @Option(names = "--guard-ns", paramLabel = "X",
        description = "Shale, Shoal: part of a lane's slot in which circuits change, in ns. A node whose clock is "
            + "too far off (a clock line in --faults) loses its cells, which are counted as guardViolation. Shale "
            + "tolerates half of the guard band; its paper has 4.096 with 8 lanes. Shoal tolerates the guard band "
            + "less --reconfiguration-ns; a clock that is one or more slots late sends to the wrong nodes, which is "
            + "counted as wrongDestination (default: none).")
    public Double guardNs;

    @Option(names = "--cell-bytes", paramLabel = "B",
        description = "Cell size in bytes, header included; Stardust: payload only (default: Shale 256, Shoal 64, "
            + "Stardust 256).")
    public Integer cellBytes;

    @Option(names = "--header-bytes", paramLabel = "B",
        description = "Size of the cell header in bytes (default: Shale 12, or 16 for more than 32768 nodes or more "
            + "than 4 phases; Shoal 8; Stardust 16).")
    public Integer headerBytes;

    @Option(names = "--propagation-ns", paramLabel = "X",
        description = "One-way propagation delay in ns, rounded up to whole slots. Stardust: delay of each link "
            + "(default: Shale 500, Shoal 0, Stardust 500).")
    public Double propagationNs;

    @Option(names = "--propagation-slots", paramLabel = "K",
        description = "One-way propagation delay in slots, in place of --propagation-ns. In live, threads wait less "
            + "for each other if the delay is longer, but feedback takes longer (default in live: 2 with threads, 0 "
            + "in lock step; Stardust 8 and 1, for each link).")
    public Integer propagationSlots;

    @Option(names = "--failed-nodes", paramLabel = "K", defaultValue = "0",
        description = "Number of nodes that are down for the whole run. The workload avoids them. Shale: chosen as "
            + "in the authors' simulator; node ids in a trace count the other nodes only. Shoal: nodes 0 to K-1, as "
            + "in its simulator; a trace uses the real ids (default: ${DEFAULT-VALUE}).")
    public int failedNodes;

    @Option(names = "--faults", paramLabel = "FILE",
        description = "Script of faults over time, one event per line. Events: <slot> node <id> down|up, <slot> link "
            + "<from> <to> down|up, <slot> corrupt <probability> [<from> <to>]. With --guard-ns also: <slot> clock "
            + "<id> <ns late>. Shoal also: <slot> leaf|spine|switch <number> down|up, switches of the Clos network "
            + "numbered plane by plane. Stardust: node ids are devices, adapters first; also <slot> host <id> "
            + "down|up, <slot> control <loss> <repeat>, <slot> rogue <adapter>. In live, FILE can be none, for faults "
            + "from ./skerry ctl fault only.")
    public Path faults;

    @Option(names = "--miss-limit", paramLabel = "M",
        description = "With --faults: missed cells after which a neighbour counts as down. The cells must be "
            + "consecutive; Shale 1 to 8 (default: 1).")
    public Integer missLimit;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "Seed of everything random, a 64-bit number (default: ${DEFAULT-VALUE}).")
    public long seed;

    /** Options of the engine. */
    @Mixin
    public final EngineOptions engine = new EngineOptions();

    @Option(names = "--engine", paramLabel = "NAME",
        description = "Engine: fast or reference. The reference engine is written to be read beside the paper; its "
            + "results are the same, but it is slow and meant for small fabrics (default: fast).")
    public String engineName;

    @Option(names = "--check",
        description = "Check every invariant in every slot, and every payload. This is slow and meant for small "
            + "fabrics.")
    public boolean check;

    /** Creates options with no values set. */
    public RunOptions() {
    }

    /**
     * Parses the options of {@code skerry run}.
     *
     * @throws CommandLine.ParameterException if there is no such option, or its value is invalid.
     */
    public static RunOptions of(final String... words) {
        final RunOptions options = new RunOptions();
        options.reader().parseArgs(words);
        return options;
    }

    /** Returns a parser for these options, including those of all fabrics. */
    public CommandLine reader() {
        final CommandLine reader = new CommandLine(this);
        own.addTo(reader.getCommandSpec(), false);
        return reader;
    }

    /** Adds the options of all fabrics to the command that has these options. */
    @Spec(Spec.Target.MIXEE)
    void joinTo(final CommandSpec mixee) {
        command = mixee;
        own.addTo(mixee, false);
    }

    /**
     * Refuses options that the fabric does not support, or that have no effect in a run without faults.
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
     * Refuses the options that select which flows a report measures.
     *
     * @param why reason why there is no such report.
     */
    public void refuseMeasures(final String why) {
        Choices.refuse("--slowdown", arrivals.slowdown(), why, "leave it out");
        Choices.refuse("--warm-up", arrivals.warmUp(), why, "leave it out");
    }

    /** Tells whether a command line was parsed and all its options are in a set. */
    public boolean areAllTypedIn(final Set<String> names) {
        return command != null && command.commandLine().getParseResult().matchedOptions().stream()
            .allMatch(option -> names.contains(option.longestName()));
    }

    /** Tells whether an option was typed, even with its default value. */
    public boolean isTyped(final String option) {
        return command != null && command.commandLine().getParseResult().hasMatchedOption(option);
    }

    /**
     * The options of all kinds of fabric as typed. Kinds that declare the same options share one object. Not
     * thread-safe.
     */
    public static final class KindOptions {
        private final List<Owned> all = new ArrayList<>();

        /** Creates the options of all kinds, with no values set. */
        public KindOptions() {
            for (final FabricKind kind : FabricKind.all()) {
                kind.options().forEach(group -> all.stream()
                    .filter(other -> other.group.options().getClass() == group.options().getClass()).findFirst()
                    .map(Owned::kinds).orElseGet(() -> owned(group)).add(kind.name()));
            }
        }

        private Set<String> owned(final OptionGroup group) {
            all.add(new Owned(new TreeSet<>(), group, CommandSpec.forAnnotatedObjectLenient(group.options())));
            return all.getLast().kinds;
        }

        /** An object of options, the names of the kinds that declare it, and its options as picocli reads them. */
        private record Owned(Set<String> kinds, OptionGroup group, CommandSpec spec) {
        }

        /** Returns the options object of a class. */
        public <T> T of(final Class<T> type) {
            return all.stream().map(owned -> owned.group.options()).filter(type::isInstance).map(type::cast).findFirst()
                .orElseThrow();
        }

        /**
         * Adds these options to a command.
         *
         * @param ofPackets whether to add only those that apply to packets from outside.
         */
        public void addTo(final CommandSpec command, final boolean ofPackets) {
            for (final Owned owned : all) {
                if (owned.group.ofPackets() || !ofPackets) {
                    command.addMixin(owned.group.options().getClass().getSimpleName(), owned.spec);
                }
            }
        }

        /** Returns the options of a kind as typed, one word each, in the form that {@link RunOptions#of} parses. */
        public static List<String> typed(final FabricKind kind, final ParseResult parsed) {
            return kind.options().stream()
                .flatMap(group -> CommandSpec.forAnnotatedObjectLenient(group.options()).options().stream())
                .map(option -> parsed.matchedOption(option.longestName())).filter(Objects::nonNull)
                .map(KindOptions::word).toList();
        }

        /** Returns a typed option as one word. */
        public static String word(final OptionSpec option) {
            return option.longestName() + (option.arity().max() == 0 ? ""
                : "=" + String.join(",", option.originalStringValues()));
        }

        /**
         * Refuses options of other kinds.
         *
         * @throws dev.skerry.tools.input.InputException for the first such option.
         */
        void refuseForeign(final FabricKind kind) {
            for (final Owned owned : all) {
                if (owned.kinds.contains(kind.name())) {
                    continue;
                }
                for (final OptionSpec option : owned.spec.options()) {
                    final Object value = option.getValue();
                    Choices.refuse(option.longestName(), Boolean.FALSE.equals(value) ? null : value, "an option of "
                        + String.join(" and ", owned.kinds) + "; the fabric is " + kind.name(), "leave it out");
                }
            }
        }
    }
}
