package dev.skerry.tools.score;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.CoverageFile;
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
        "Checks recorded hardware of Shale or Shoal and reports the first broken rule.",
        "",
        "CELLS.csv (or .gz) has one line per cell. Its first line names the columns:",
        "  Shale   kind (T sent, R received), slot, node, src, dst, seq, sprays (spraying hops left at the",
        "          receiver), tok1_dst, tok1_n, tok2_dst, tok2_n (-1 for no token), dummy (1: no cell,",
        "          2: nothing sent, the same as no line); optional: dst_mac, the neighbour, and phase",
        "  Shoal   kind, slot, node, src, dst, seq, report, dummy; with several channels also channel",
        "'skerry trace --cells' writes such a file for a run. With --header, one column has the bits of the "
            + "device's own header in hex instead; an empty field means that nothing was sent.",
        "",
        "All nodes are checked at once. Every legal choice of a device is accepted: the links of spraying hops, "
            + "which local flow is next, and whether a local cell is sent at all. The last slot is not checked.",
        "",
        "The output is a line of totals (exit code 0) or the findings, the first cause first (exit code 1): rule, "
            + "slot, node, link, bucket, what was expected and what was recorded. A wrong file or option is reported "
            + "on standard error (exit code 2).",
        ""
    },
    footer = {
        "",
        "Example, traces of the NIC of Shale's authors that come with the source:",
        "  D=tools/src/test/resources/oracle/shale-rtl",
        "  ./skerry score $D/n9-h2-p0.cells.csv.gz --nodes 9 \\",
        "    --state $D/n9-h2-p0.state.csv.gz"
    })
public final class ScoreCommand extends ToolCommand {
    private static final int MOST_NODES = 4096;
    private static final int MOST_DELAY = 1 << 16;
    private static final int SEQUENCE_BITS = 14;

    @Parameters(paramLabel = "CELLS.csv", description = "Recording, as text or gzip.")
    Path cells;

    @Option(names = "--fabric", paramLabel = "FABRIC", defaultValue = "shale",
        description = "Fabric that the device belongs to: shale or shoal (default: ${DEFAULT-VALUE}).")
    String fabric;

    @Option(names = "--nodes", paramLabel = "N", required = true,
        description = "Number of nodes, 2 to 4096; for Shale r^H.")
    int nodes;

    @Option(names = "--propagation-slots", paramLabel = "P", defaultValue = "0",
        description = "One-way propagation delay in slots; 0: a cell arrives in the slot in which it is sent "
            + "(default: ${DEFAULT-VALUE}).")
    int propagation;

    @Option(names = "--header", paramLabel = "FILE",
        description = "Description of the device's header, one line per field (docs/rtl.md), or the name of a "
            + "built-in one: L12, L12F, L16, shale-prototype; for Shoal shoal.")
    String header;

    @Option(names = "--header-column", paramLabel = "NAME",
        description = "With --header: column that has the bits of the header (default: header).")
    String headerColumn;

    @Option(names = "--sequence-bits", paramLabel = "K",
        description = "Width of sequence numbers in bits, 1 to 31 (default: 14, or that of --header).")
    Integer sequenceBits;

    @Option(names = "--from", paramLabel = "SLOT",
        description = "Start in the middle of a recording, at this slot, 1 or later; queue contents are "
            + "reconstructed during --settle.")
    Integer from;

    @Option(names = "--settle", paramLabel = "K",
        description = "With --from: slots whose findings are ignored (default: 50 epochs plus 4P).")
    Integer settle;

    @Option(names = "--permit-nothing",
        description = "Accept slots in which a node sends neither a cell nor a dummy.")
    boolean mayBeSilent;

    @Option(names = "--silence", paramLabel = "K",
        description = "Like --permit-nothing, but a token or cell that could leave may wait for at most K silent "
            + "turns of its link, 1 or more "
            + "(default with --permit-nothing: 64).")
    Integer silence;

    @Option(names = "--limit", paramLabel = "K", defaultValue = "20",
        description = "Maximum number of findings listed; a rule that is broken again at the same link and bucket is "
            + "only counted (default: ${DEFAULT-VALUE}).")
    int limit;

    @Option(names = "--coverage", paramLabel = "FILE",
        description = "Write the laws and choices that the trace exercised to this file; 'skerry coverage' merges such "
            + "files.")
    Path coverage;

    @Option(names = "--out", paramLabel = "DIR",
        description = "New folder for findings.txt, findings.xml (JUnit) and wave.vcd, which shows the slots around "
            + "the first finding.")
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
        if (coverage != null) {
            CoverageFile.checkPlace(coverage);
        }
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
            silence(described), described, this::isTyped);
        try (FabricFollower follower = kind.follower(recording, log)) {
            final Scorer scorer = new Scorer(follower, kind.words(), log);
            Choices.refuseIf(coverage != null && scorer.coverage().points().isEmpty(), "--coverage", coverage,
                "only traces of Shale are counted", "leave it out");
            begin(scorer, follower);
            return score(scorer, log, described, kind.words());
        }
    }

    private int silence(final HeaderDescription described) {
        return mayBeSilent || silence != null || described != null && described.permitsNothing()
            ? Choices.inRange("--silence", silence, 1, Integer.MAX_VALUE, FollowRules.USUAL_SILENCE) : 0;
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
        if (coverage != null) {
            new CoverageFile(new CoverageFile.Run("score", cells.toString(), "--nodes " + nodes, scorer.slots(),
                log.total()), scorer.coverage()).write(coverage);
        }
        return log.none() ? 0 : 1;
    }

    /** Returns the description of the header, null for columns. */
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
