package dev.skerry.tools.score;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.score.FollowedKind.Recording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** {@code skerry score}: follows recorded hardware, all nodes at once. */
@Command(name = "score", description = {
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
        "  ./skerry score $D/n9-h2-p0.cells.csv.gz --state $D/n9-h2-p0.state.csv.gz --nodes 9 \\",
        "    --propagation-slots 0"
    })
public final class ScoreCommand extends ToolCommand {
    private static final int MOST_NODES = 4096;
    private static final int MOST_DELAY = 1 << 16;
    private static final int SEQUENCE_BITS = 14;

    @Parameters(paramLabel = "CELLS.csv", description = "The trace, as text or gzip.")
    Path cells;

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

    private final List<FollowedKind> kinds = FollowedKind.all();

    /** Creates the command for picocli. */
    public ScoreCommand() {
    }

    /** Adds the options of all fabrics. */
    @Spec
    void join(final CommandSpec command) {
        kinds.forEach(kind -> command.addMixin(kind.name(), CommandSpec.forAnnotatedObjectLenient(kind)));
    }

    @Override
    public Integer call() {
        final FindingLog log = new FindingLog(Choices.inRange("--limit", limit, 1, 1_000_000));
        Choices.inRange("--nodes", nodes, 2, MOST_NODES);
        Choices.inRange("--propagation-slots", propagation, 0, MOST_DELAY);
        if (out != null) {
            OutFolder.checkFree(out);
        }
        final FollowedKind kind = kinds.stream().filter(each -> each.name().equals(fabric)).findFirst().orElseThrow(
            () -> new InputException("--fabric", fabric, "score cannot follow traces of this fabric", "use "
                + kinds.stream().map(FollowedKind::name).collect(Collectors.joining(" or "))));
        kinds.stream().filter(each -> each != kind).forEach(this::refuseForeign);
        final HeaderDescription described = header();
        final Recording recording = new Recording(nodes, propagation, CellNames.pairs(nodes, sequenceBits(described)),
            mayBeSilent || described != null && described.permitsNothing(), described, this::isTyped);
        try (FabricFollower follower = kind.follower(recording, log)) {
            final Scorer scorer = new Scorer(follower, log);
            begin(scorer, follower);
            return score(scorer, log, described, kind.words());
        }
    }

    private boolean isTyped(final String option) {
        return spec().commandLine().getParseResult().hasMatchedOption(option);
    }

    private void refuseForeign(final FollowedKind kind) {
        for (final OptionSpec option : CommandSpec.forAnnotatedObjectLenient(kind).options()) {
            Choices.refuseIf(isTyped(option.longestName()), option.longestName(), option.<Object>getValue(),
                "an option of " + kind.name() + "; the fabric is " + fabric, "leave it out");
        }
    }

    private int score(final Scorer scorer, final FindingLog log, final HeaderDescription described,
        final LinkWords words) {
        final String column = headerColumn == null ? "header" : headerColumn;
        try (CellTrace trace = new CellTrace(new TraceLines("trace", cells), words, nodes, scorer.channels(),
            described, column)) {
            scorer.score(trace);
        }
        Choices.refuseIf(scorer.slots() == 0, "trace", cells, "it has no complete slot", "give a trace of at least two "
            + "slots");
        return report(scorer, log);
    }

    private int report(final Scorer scorer, final FindingLog log) {
        final PrintWriter to = out();
        to.print(scorer.text());
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

    private void begin(final Scorer scorer, final FabricFollower follower) {
        if (from == null) {
            Choices.refuse("--settle", settle, "the trace is followed from its beginning",
                "leave it out or add --from");
            return;
        }
        Choices.inRange("--from", from, 1, Integer.MAX_VALUE);
        final long slots = settle == null
            ? 50L * follower.fabric().schedule().epochSlots() + 4L * propagation
            : Choices.inRange("--settle", settle, 0, Integer.MAX_VALUE);
        try {
            scorer.beginAt(from, slots);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--from", String.valueOf(from), "nodes of this fabric are followed from slot 0 on",
                "leave it out");
        }
    }
}
