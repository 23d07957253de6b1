package dev.skerry.tools.score;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Room;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.traffic.FaultReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** {@code skerry score}: follows recorded hardware, all nodes at once. */
@Command(name = "score", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Follows recorded hardware of Shale or Shoal, all nodes at once, and says which law it breaks first.",
        "",
        "CELLS.csv (or .gz) has a line for each cell: its first line names the columns kind (T sent, R received), "
            + "slot, node, src, dst, seq, sprays (left at the receiver), tok1_dst, tok1_n, tok2_dst, tok2_n (-1 for no "
            + "token), dummy (1: no cell rides, 2: nothing was sent, as where there is no line); dst_mac, the "
            + "neighbour sent to, and phase need not be there. Cells of Shoal have the columns kind, slot, node, src, "
            + "dst, seq, report and dummy, and channel where there are several; 'skerry trace --cells' writes such a "
            + "trace of a run. With --header the cell stands in one column instead, as the bits of the device's own "
            + "header, in hex; empty is nothing. Every legal choice of a device is taken over: links of spraying "
            + "hops, which local flow is next, whether a local cell leaves at all. The last slot is left out.",
        "",
        "The answer is a line of totals (exit code 0) or the findings, the first cause first (exit code 1): law, slot, "
            + "node, link, bucket, what was expected and what was seen. A file or option that is wrong is named on "
            + "standard error (exit code 2).",
        ""
    },
    footer = {
        "",
        "Example, traces of the NIC of Shale's authors that come with the source:",
        "  D=tools/src/test/resources/oracle/shale-rtl",
        "  ./skerry score $D/n9-h2-p0.cells.csv.gz --state $D/n9-h2-p0.state.csv.gz --nodes 9 --propagation-slots 0"
    })
public final class ScoreCommand implements Callable<Integer> {
    private static final int MOST_NODES = 4096;
    private static final int MOST_DELAY = 1 << 16;
    private static final int SEQUENCE_BITS = 14;
    private static final List<String> WITHOUT_FAULTS = List.of("--state", "--from", "--settle", "--header", "--ties",
        "--permit-nothing", "--free-order", "--tokens-a-slot", "--owed-fifo", "--queue-cells", "--register-bits");

    @Parameters(paramLabel = "CELLS.csv", description = "The trace, as text or gzip.")
    Path cells;

    @Option(names = "--state", paramLabel = "STATE.csv",
        description = "Registers of every node after every slot, compared too: slot, node, and any of total_fwd (cells "
            + "held), fwd_P_K (cells queued for link K of phase P), tok_P_K_dDnS (tokens of bucket D, S left there).")
    Path state;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = "shale",
        description = "What the device is a node of: shale or shoal (default: ${DEFAULT-VALUE}).")
    String fabric;

    @Option(names = "--nodes", paramLabel = "N", required = true, description = "Nodes, 2 to 4096; of Shale r^H.")
    int nodes;

    @Option(names = "--propagation-slots", paramLabel = "P", defaultValue = "0",
        description = "Slots from a sender to its receiver; 0 is the slot it is sent in (default: ${DEFAULT-VALUE}).")
    int propagation;

    @Option(names = "--header", paramLabel = "FILE",
        description = "Description of the device's header, a line a field (see docs/rtl.md), or one that is built in: "
            + "L12, L12F, L16, shale-prototype; of Shoal shoal.")
    String header;

    @Option(names = "--header-column", paramLabel = "NAME",
        description = "With --header: the column of the header's bits (default: header).")
    String headerColumn;

    @Option(names = "--sequence-bits", paramLabel = "K",
        description = "Width of sequence numbers, 1 to 31 (default: 14, or that of --header).")
    Integer sequenceBits;

    @Option(names = "--from", paramLabel = "SLOT",
        description = "Begin in mid-run with this slot, from 1: what nodes hold is learnt in the slots of --settle.")
    Integer from;

    @Option(names = "--settle", paramLabel = "K",
        description = "With --from: slots whose findings are forgotten (default: 50 epochs and 4P).")
    Integer settle;

    @Option(names = "--faults", paramLabel = "FILE",
        description = "Shale: what failed while the trace was recorded, as 'skerry run --faults' reads it. The columns "
            + "tok1_kind and tok2_kind then tell tokens (1) from notices (2, 3), and dummy 3 is a probe.")
    Path faults;

    @Option(names = "--permit-nothing", description = "A node may send neither a cell nor a dummy.")
    boolean mayBeSilent;

    @Option(names = "--limit", paramLabel = "K", defaultValue = "20",
        description = "Most findings listed; a law broken again at the same link and bucket is counted only (default: "
            + "${DEFAULT-VALUE}).")
    int limit;

    @Option(names = "--out", paramLabel = "DIR",
        description = "Where findings.txt, findings.xml (JUnit) and wave.vcd, the slots around the first finding, are "
            + "written; must not exist.")
    Path out;

    @Mixin
    final ShaleOfTrace shale = new ShaleOfTrace();

    @Mixin
    final ShoalOfTrace shoal = new ShoalOfTrace();

    @Mixin
    final DeviceOptions device = new DeviceOptions();

    @Spec
    CommandSpec spec;

    /** Creates the command for picocli. */
    public ScoreCommand() {
    }

    @Override
    public Integer call() {
        final FindingLog log = new FindingLog(Choices.inRange("--limit", limit, 1, 1_000_000));
        Choices.inRange("--nodes", nodes, 2, MOST_NODES);
        Choices.inRange("--propagation-slots", propagation, 0, MOST_DELAY);
        if (out != null) {
            OutFolder.checkFree(out);
        }
        return switch (fabric) {
            case "shale" -> ofShale(log);
            case "shoal" -> ofShoal(log);
            default -> throw new InputException("--fabric", fabric, "only traces of Shale and Shoal can be followed",
                "use shale or shoal");
        };
    }

    private int ofShale(final FindingLog log) {
        ShoalOfTrace.OPTIONS.forEach(this::refuseForeign);
        final Shale of = shale.fabric(nodes, propagation, device.isFreeOrder());
        final HeaderDescription described = header();
        Choices.refuseIf(described != null && !described.has("sprays"), "--header", header, "it has no field sprays",
            "give the header of a Shale node");
        final CellNames names = CellNames.pairs(nodes, sequenceBits(described));
        if (faults != null) {
            WITHOUT_FAULTS.forEach(option -> refuseMatched(option, "with faults nobody judges it"));
            final FollowedFabric all = new FollowedFabric.FollowedFailures(of, names, shale.faults(faults, of), log);
            return score(new Scorer(all, log), log, described,
                CellTrace.TraceWords.SHALE, CellTrace.CellColumns::ofShale);
        }
        try (RegisterTrace registers = state == null ? null : new RegisterTrace(state, of.schedule(), names)) {
            final Scorer scorer = new Scorer(new FollowedFabric.FollowedShale(of, names,
                device.rules(maySilent(described)), log, registers), log);
            begin(scorer, of);
            return score(scorer, log, described, CellTrace.TraceWords.SHALE, CellTrace.CellColumns::ofShale);
        }
    }

    private int ofShoal(final FindingLog log) {
        ShaleOfTrace.OPTIONS.forEach(this::refuseForeign);
        final HeaderDescription described = header();
        final CellNames names = CellNames.pairs(nodes, sequenceBits(described));
        final Scorer scorer = new Scorer(new FollowedFabric.FollowedShoal(shoal.fabric(nodes, propagation), names,
            new FollowRules(maySilent(described)), log), log);
        return score(scorer, log, described, CellTrace.TraceWords.SHOAL, CellTrace.CellColumns::ofShoal);
    }

    /** An option of the other fabric. */
    private void refuseForeign(final String option) {
        refuseMatched(option, "a trace of that fabric has no such thing");
    }

    private void refuseMatched(final String option, final String why) {
        Choices.refuseIf(spec.commandLine().getParseResult().hasMatchedOption(option), option, fabric, why,
            "leave it out");
    }

    private boolean maySilent(final HeaderDescription described) {
        return mayBeSilent || described != null && described.permitsNothing();
    }

    private int score(final Scorer scorer, final FindingLog log, final HeaderDescription described,
        final CellTrace.TraceWords words, final Function<TraceLines, CellTrace.CellColumns> columns) {
        final String column = headerColumn == null ? "header" : headerColumn;
        try (CellTrace trace = new CellTrace(cells, words, nodes, scorer.channels(),
            described == null ? columns : lines -> new CellTrace.CellColumns.HeaderColumn(lines, described, column))) {
            scorer.score(trace);
        }
        Choices.refuseIf(scorer.slots() == 0, "trace", cells, "it has no complete slot", "give a trace of at least two "
            + "slots");
        return report(scorer, log);
    }

    private int report(final Scorer scorer, final FindingLog log) {
        final PrintWriter to = spec.commandLine().getOut();
        to.println(scorer.totals());
        if (log.none()) {
            to.println("no law is broken");
        } else {
            to.println(log.total() + " findings");
            to.print(log.text());
            to.println("node " + log.list().getFirst().node() + ", the slots around the first finding:");
            to.print(scorer.table());
        }
        if (out != null) {
            scorer.write(out, cells.getFileName().toString());
            to.println("written: " + out);
        }
        to.flush();
        return log.none() ? 0 : 1;
    }

    /** The description of the header, null for columns. */
    private HeaderDescription header() {
        if (header == null) {
            Choices.refuse("--header-column", headerColumn, "only a described header stands in one column",
                "add --header or leave it out");
            return null;
        }
        Choices.refuse("--sequence-bits", sequenceBits, "the header says the width", "write a mask in its description");
        return HeaderFile.read(header);
    }

    private int sequenceBits(final HeaderDescription described) {
        return described != null ? described.sequenceBits() : sequenceBits == null ? SEQUENCE_BITS
            : Choices.inRange("--sequence-bits", sequenceBits, 1, 31);
    }

    private void begin(final Scorer scorer, final Shale of) {
        if (from == null) {
            Choices.refuse("--settle", settle, "the trace is followed from its beginning",
                "leave it out or add --from");
            return;
        }
        Choices.inRange("--from", from, 1, Integer.MAX_VALUE);
        scorer.beginAt(from, settle == null ? 50L * of.schedule().epochSlots() + 4L * propagation
            : Choices.inRange("--settle", settle, 0, Integer.MAX_VALUE));
    }

    /** What the hardware of a followed device has room for, as options. */
    private static final class DeviceOptions {
        @Option(names = "--free-order",
            description = "Cells that wait for one link may leave in any order, as from a shared store.")
        boolean freeOrder;

        @Option(names = "--tokens-a-slot", paramLabel = "K", defaultValue = "2",
            description = "Most tokens that ride in a slot, 1 or 2 (default: ${DEFAULT-VALUE}).")
        int tokensASlot;

        @Option(names = "--owed-fifo", paramLabel = "K",
            description = "Room for the tokens that wait for a link (default: no limit).")
        Integer owedFifo;

        @Option(names = "--queue-cells", paramLabel = "K",
            description = "Room for the cells that wait for a link (default: no limit).")
        Integer queueCells;

        @Option(names = "--full", paramLabel = "WHAT",
            description =
                "What becomes of a cell or token without room: count, it is a finding; drop, the device loses "
                + "it; stall, for tokens: cells that would owe one wait (default: count).")
        String full;

        @Option(names = "--register-bits", paramLabel = "K", defaultValue = "32",
            description = "Width of the counters in --state, which wrap, 1 to 32 (default: ${DEFAULT-VALUE}).")
        int registerBits;

        /** What becomes of a cell or token without room. */
        private enum Full {
            COUNT(FollowRules.Full.COUNTS), DROP(FollowRules.Full.DROPS), STALL(FollowRules.Full.STALLS);

            private final FollowRules.Full rule;

            Full(final FollowRules.Full rule) {
                this.rule = rule;
            }
        }

        /** Whether the order of the cells of a link is not judged. */
        boolean isFreeOrder() {
            return freeOrder;
        }

        /** The rules that they make. */
        FollowRules rules(final boolean mayBeSilent) {
            if (owedFifo == null && queueCells == null) {
                Choices.refuse("--full", full, "nothing gets full", "leave it out or add --owed-fifo or --queue-cells");
            }
            final Full choice = Choices.of("--full", full, Full.COUNT, Full.values());
            Choices.refuseIf(choice == Full.STALL && (owedFifo == null || queueCells != null), "--full", full,
                "tokens wait for room, cells that come cannot", "give --owed-fifo alone");
            return new FollowRules(mayBeSilent, freeOrder, Choices.inRange("--tokens-a-slot", tokensASlot, 1, 2),
                room("--owed-fifo", owedFifo, choice), room("--queue-cells", queueCells, choice),
                Choices.inRange("--register-bits", registerBits, 1, Integer.SIZE));
        }

        private static Room room(final String option, final Integer places, final Full full) {
            return places == null ? Room.ENDLESS : new Room(Choices.inRange(option, places, 1, Integer.MAX_VALUE),
                full.rule);
        }
    }

    /** The fabric of a recorded trace of Shale, as options. */
    private static final class ShaleOfTrace {
        /** What a trace of another fabric refuses. */
        static final List<String> OPTIONS = List.of("--state", "--h", "--cc", "--tokens", "--first-hop-tokens",
            "--ties", "--from", "--settle", "--free-order", "--tokens-a-slot", "--owed-fifo", "--queue-cells", "--full",
            "--register-bits", "--faults", "--miss-limit");

        @Option(names = "--h", paramLabel = "H", defaultValue = "2",
            description = "Phases, 1 to 8 (default: ${DEFAULT-VALUE}).")
        int phases;

        @Option(names = "--cc", paramLabel = "PARTS", defaultValue = "hbh+spray",
            description =
                "hbh+spray, a spraying hop takes a shortest queue; hbh+spray-bucket, a link with the least of "
                + "its bucket, and of these a shortest queue; hbh, any; each with +priority, which needs --free-order "
                + "(default: ${DEFAULT-VALUE}).")
        String control;

        @Option(names = "--tokens", paramLabel = "T", defaultValue = "1",
            description = "Budget of a bucket on a link, 1 to 255 (default: ${DEFAULT-VALUE}).")
        int tokens;

        @Option(names = "--first-hop-tokens", paramLabel = "TF",
            description = "Budget of first hops, at least T (default: T).")
        Integer firstHopTokens;

        @Option(names = "--ties", paramLabel = "RULE",
            description =
                "Which of equally short links a cell has to take: lowest; rotating, the next after the one the "
                + "node took last in the phase; drawn or any, whichever (default: any).")
        String ties;

        @Option(names = "--miss-limit", paramLabel = "K",
            description =
                "With --faults: cells in a row that a link must fail to bring before it is down (default: 1).")
        Integer missLimit;

        /** What binds the device among equally short links. */
        private enum Ties {
            ANY(TieRule.DRAWN), DRAWN(TieRule.DRAWN), LOWEST(TieRule.LOWEST), ROTATING(TieRule.ROTATING);

            private final TieRule rule;

            Ties(final TieRule rule) {
                this.rule = rule;
            }
        }

        /** The script of failures. */
        Faults faults(final Path file, final Shale of) {
            final Faults faults = new Faults(FaultReader.read(file, of.population(), 0), 1);
            Choices.refuseIf(faults.plan().faults().stream().anyMatch(Fault.Clock.class::isInstance), "--faults", file,
                "clocks that are off cannot be followed", "leave them out");
            return faults;
        }

        /** @param freeOrder whether the order of the cells of a link is not judged. */
        Shale fabric(final int nodes, final int propagation, final boolean freeOrder) {
            Choices.inRange("--h", phases, 1, Phased.MAX_PHASES);
            Choices.inRange("--tokens", tokens, 1, Shale.MAX_TOKENS);
            final int first = Choices.inRange("--first-hop-tokens", firstHopTokens, tokens, Shale.MAX_TOKENS, tokens);
            final int radix = Population.radixFor(phases, nodes);
            Choices.refuseIf(Math.round(Math.pow(radix, phases)) != nodes, "--nodes", nodes, "it is not r^" + phases
                + " for any r", "check --nodes and --h");
            final Phased schedule = new Phased(phases, radix);
            return new Shale(schedule, Population.complete(schedule), mechanisms(freeOrder), tokens, first, propagation,
                1, new FailureRules(Choices.inRange("--miss-limit", missLimit, 1, FailureRules.MAX_MISSES, 1), false));
        }

        private MechanismSet mechanisms(final boolean freeOrder) {
            final Ties rule = Choices.of("--ties", ties, Ties.ANY, Ties.values());
            return switch (control) {
                case "hbh" -> {
                    Choices.refuse("--ties", ties, "--cc hbh lets a cell take any link", "leave it out");
                    yield Mechanisms.HBH;
                }
                case "hbh+spray-bucket" -> {
                    Choices.refuse("--ties", ties, "with bucket spray any of the least links is accepted",
                        "leave it out");
                    yield Mechanisms.of(control);
                }
                case "hbh+priority", "hbh+spray+priority", "hbh+spray-short+priority", "hbh+spray-bucket+priority" -> {
                    Choices.refuse("--ties", ties, "with priority any tie is accepted", "leave it out");
                    Choices.refuseIf(!freeOrder, "--cc", control, "a trace has no ranks, so the order in which cells "
                        + "leave a queue cannot be judged", "add --free-order");
                    yield Mechanisms.of(control);
                }
                case "hbh+spray", "hbh+spray-short" -> Mechanisms.HBH_SPRAY.with(rule.rule);
                default ->
                    throw new InputException("--cc", control, "only devices with hop-by-hop tokens can be followed",
                    "use hbh, hbh+spray or hbh+spray-bucket, and +priority");
            };
        }
    }

    /** The fabric of a recorded trace of Shoal, as options. */
    private static final class ShoalOfTrace {
        /** What a trace of another fabric refuses. */
        static final List<String> OPTIONS = List.of("--channels", "--shoal-rule", "--shoal-schedule");

        @Option(names = "--channels", paramLabel = "C",
            description = "Shoal: channels of a node, each with its own circuit (default: 1).")
        Integer channels;

        @Option(names = "--shoal-rule", paramLabel = "NAME",
            description = "Shoal: when a cell may be released to a relay: exact or paper-literal (default: exact).")
        String rule;

        @Option(names = "--shoal-schedule", paramLabel = "NAME",
            description =
                "Shoal: order of the round robin: plain, or delay to hide a propagation delay (default: plain).")
        String schedule;

        /** Orders of the round robin. */
        private enum Order {
            PLAIN, DELAY
        }

        Shoal fabric(final int nodes, final int propagation) {
            final int count = Choices.inRange("--channels", channels, 1, nodes - 1, 1);
            final ReleaseRule released = rule();
            final boolean isPlain = Choices.of("--shoal-schedule", schedule, Order.PLAIN, Order.values())
                == Order.PLAIN;
            try {
                return Shoal.of(isPlain ? RoundRobin.plain(nodes, count)
                    : RoundRobin.rearranged(nodes, count, propagation), released, true, propagation);
            } catch (final IllegalArgumentException e) {
                throw new InputException("--fabric", "shoal", e.getMessage(),
                    "check --nodes, --channels, --shoal-schedule "
                    + "and --propagation-slots");
            }
        }

        private ReleaseRule rule() {
            return switch (rule) {
                case null -> ReleaseRule.EXACT;
                case "exact" -> ReleaseRule.EXACT;
                case "paper-literal" -> ReleaseRule.PAPER_LITERAL;
                default -> throw new InputException("--shoal-rule", rule, "only devices with two of the rules can be "
                    + "followed", "use exact or paper-literal");
            };
        }
    }
}
