package dev.skerry.tools.cosim;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.OutFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** {@code skerry score}: follows recorded hardware, all nodes at once. */
@Command(
    name = "score",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Follows recorded hardware of Shale, all nodes at once, and says which law it breaks first.",
        "",
        "CELLS.csv (or .gz) has a line for each cell: its first line names the columns kind (T sent, R received), "
            + "slot, node, src, dst, seq, sprays (left at the receiver), tok1_dst, tok1_n, tok2_dst, tok2_n (-1 for no "
            + "token), dummy (1: no cell rides, 2: nothing was sent, as where there is no line); dst_mac, the "
            + "neighbour sent to, and phase need not be there. With --header the cell stands in one column instead, "
            + "as the bits of the device's own header, in hex; empty is nothing. Every "
            + "legal choice of a device is taken over: links of spraying hops, which local flow is next, whether a "
            + "local cell leaves at all. The last slot is left out.",
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

    @Parameters(paramLabel = "CELLS.csv", description = "The trace, as text or gzip.")
    private Path cells;

    @Option(names = "--state", paramLabel = "STATE.csv",
        description = "Registers of every node after every slot, compared too: slot, node, and any of total_fwd (cells "
            + "held), fwd_P_K (cells queued for link K of phase P), tok_P_K_dDnS (tokens of bucket D, S left there).")
    private Path state;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = "shale",
        description = "What the device is a node of; shale only (default: ${DEFAULT-VALUE}).")
    private String fabric;

    @Option(names = "--nodes", paramLabel = "N", required = true, description = "Nodes, r^H; 2 to 4096.")
    private int nodes;

    @Option(names = "--h", paramLabel = "H", defaultValue = "2",
        description = "Phases, 1 to 8 (default: ${DEFAULT-VALUE}).")
    private int phases;

    @Option(names = "--cc", paramLabel = "PARTS", defaultValue = "hbh+spray",
        description = "hbh+spray, a spraying hop takes a shortest queue; hbh+spray-bucket, a link with the least of "
            + "its bucket, and of these a shortest queue; hbh, any; each with +priority, which needs --free-order "
            + "(default: ${DEFAULT-VALUE}).")
    private String control;

    @Option(names = "--tokens", paramLabel = "T", defaultValue = "1",
        description = "Budget of a bucket on a link, 1 to 255 (default: ${DEFAULT-VALUE}).")
    private int tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF",
        description = "Budget of first hops, at least T (default: T).")
    private Integer firstHopTokens;

    @Option(names = "--propagation-slots", paramLabel = "P", defaultValue = "0",
        description = "Slots from a sender to its receiver; 0 is the slot it is sent in (default: ${DEFAULT-VALUE}).")
    private int propagation;

    @Option(names = "--ties", paramLabel = "RULE",
        description = "Which of equally short links a cell has to take: lowest; rotating, the next after the one the "
            + "node took last in the phase; drawn or any, whichever (default: any).")
    private String ties;

    @Option(names = "--header", paramLabel = "FILE",
        description = "Description of the device's header, a line a field (see docs/rtl.md), or one that is built in: "
            + "L12, L12F, L16, shale-prototype.")
    private String header;

    @Option(names = "--header-column", paramLabel = "NAME",
        description = "With --header: the column of the header's bits (default: header).")
    private String headerColumn;

    @Option(names = "--sequence-bits", paramLabel = "K",
        description = "Width of sequence numbers, 1 to 31 (default: 14, or that of --header).")
    private Integer sequenceBits;

    @Option(names = "--from", paramLabel = "SLOT",
        description = "Begin in mid-run with this slot, from 1: what nodes hold is learnt in the slots of --settle.")
    private Integer from;

    @Option(names = "--settle", paramLabel = "K",
        description = "With --from: slots whose findings are forgotten (default: 50 epochs and 4P).")
    private Integer settle;

    @Option(names = "--permit-nothing", description = "A node may send neither a cell nor a dummy.")
    private boolean mayBeSilent;

    @Option(names = "--limit", paramLabel = "K", defaultValue = "20",
        description = "Most findings listed; a law broken again at the same link and bucket is counted only (default: "
            + "${DEFAULT-VALUE}).")
    private int limit;

    @Option(names = "--out", paramLabel = "DIR",
        description = "Where findings.txt, findings.xml (JUnit) and wave.vcd, the slots around the first finding, are "
            + "written; must not exist.")
    private Path out;

    @Mixin
    private final DeviceOptions device = new DeviceOptions();

    @Spec
    private CommandSpec spec;

    /** What binds the device among equally short links. */
    private enum Ties {
        ANY(TieRule.DRAWN), DRAWN(TieRule.DRAWN), LOWEST(TieRule.LOWEST), ROTATING(TieRule.ROTATING);

        private final TieRule rule;

        Ties(final TieRule rule) {
            this.rule = rule;
        }
    }

    /** Creates the command for picocli. */
    public ScoreCommand() {
    }

    @Override
    public Integer call() {
        final Shale shale = shale();
        final FindingLog log = new FindingLog(Choices.inRange("--limit", limit, 1, 1_000_000));
        final HeaderDescription described = header();
        final CellNames names = CellNames.pairs(shale.nodes(), sequenceBits(described));
        if (out != null) {
            OutFolder.checkFree(out);
        }
        final Scorer scorer = new Scorer(shale, names, device.rules(mayBeSilent
            || described != null && described.permitsNothing()), log);
        begin(scorer, shale);
        try (CellTrace trace = trace(described, shale.nodes());
            RegisterTrace registers = state == null ? null : new RegisterTrace(state, shale.schedule(), names)) {
            scorer.score(trace, registers);
        }
        if (scorer.slots() == 0) {
            throw new InputException("trace", cells.toString(), "it has no complete slot",
                "give a trace of at least two slots");
        }
        final ScoreReport report = new ScoreReport(scorer);
        final PrintWriter to = spec.commandLine().getOut();
        to.println(scorer.totals());
        if (log.none()) {
            to.println("no law is broken");
        } else {
            to.println(log.total() + " findings");
            to.print(log.text());
            to.println("node " + log.list().getFirst().node() + ", the slots around the first finding:");
            to.print(report.table());
        }
        if (out != null) {
            report.write(out, cells.getFileName().toString());
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
        final HeaderDescription described = HeaderFile.read(header);
        if (!described.has("sprays")) {
            throw new InputException("--header", header, "it has no field sprays", "give the header of a Shale node");
        }
        return described;
    }

    private int sequenceBits(final HeaderDescription described) {
        return described != null ? described.sequenceBits() : sequenceBits == null ? SEQUENCE_BITS
            : Choices.inRange("--sequence-bits", sequenceBits, 1, 31);
    }

    private CellTrace trace(final HeaderDescription described, final int count) {
        return described == null ? new CellTrace(cells, count)
            : new CellTrace(cells, count, described, headerColumn == null ? "header" : headerColumn);
    }

    private void begin(final Scorer scorer, final Shale shale) {
        if (from == null) {
            Choices.refuse("--settle", settle, "the trace is followed from its beginning",
                "leave it out or add --from");
            return;
        }
        Choices.inRange("--from", from, 1, Integer.MAX_VALUE);
        scorer.beginAt(from, settle == null ? 50L * shale.schedule().epochSlots() + 4L * propagation
            : Choices.inRange("--settle", settle, 0, Integer.MAX_VALUE));
    }

    private Shale shale() {
        if (!fabric.equals("shale")) {
            throw new InputException("--fabric", fabric, "only traces of Shale can be followed", "use shale");
        }
        Choices.inRange("--h", phases, 1, Phased.MAX_PHASES);
        Choices.inRange("--nodes", nodes, 2, MOST_NODES);
        Choices.inRange("--tokens", tokens, 1, Shale.MAX_TOKENS);
        final int first = firstHopTokens == null ? tokens
            : Choices.inRange("--first-hop-tokens", firstHopTokens, tokens, Shale.MAX_TOKENS);
        Choices.inRange("--propagation-slots", propagation, 0, MOST_DELAY);
        final int radix = Population.radixFor(phases, nodes);
        if (Math.round(Math.pow(radix, phases)) != nodes) {
            throw new InputException("--nodes", Integer.toString(nodes), "it is not r^" + phases + " for any r",
                "check --nodes and --h");
        }
        final Phased schedule = new Phased(phases, radix);
        return new Shale(schedule, Population.complete(schedule), mechanisms(), tokens, first, propagation, 1);
    }

    private MechanismSet mechanisms() {
        final Ties rule = Choices.of("--ties", ties, Ties.ANY, Ties.values());
        return switch (control) {
            case "hbh" -> {
                Choices.refuse("--ties", ties, "--cc hbh lets a cell take any link", "leave it out");
                yield Mechanisms.HBH;
            }
            case "hbh+spray-bucket" -> {
                Choices.refuse("--ties", ties, "with bucket spray any of the least links is accepted", "leave it out");
                yield Mechanisms.of(control);
            }
            case "hbh+priority", "hbh+spray+priority", "hbh+spray-short+priority", "hbh+spray-bucket+priority" -> {
                Choices.refuse("--ties", ties, "with priority any tie is accepted", "leave it out");
                if (!device.isFreeOrder()) {
                    throw new InputException("--cc", control, "a trace has no ranks, so the order in which cells leave "
                        + "a queue cannot be judged", "add --free-order");
                }
                yield Mechanisms.of(control);
            }
            case "hbh+spray", "hbh+spray-short" -> Mechanisms.HBH_SPRAY.with(rule.rule);
            default -> throw new InputException("--cc", control, "only devices with hop-by-hop tokens can be followed",
                "use hbh, hbh+spray or hbh+spray-bucket, and +priority");
        };
    }
}
