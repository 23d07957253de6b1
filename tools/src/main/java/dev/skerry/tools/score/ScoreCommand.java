package dev.skerry.tools.score;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules.Room;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Shale;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.trace.Scope;
import dev.skerry.tools.trace.VcdWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** {@code skerry score}: follows recorded hardware, all nodes at once. */
@Command(
    name = "score",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
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
        if (described != null && !described.has("sprays")) {
            throw new InputException("--header", header, "it has no field sprays", "give the header of a Shale node");
        }
        final CellNames names = CellNames.pairs(nodes, sequenceBits(described));
        if (faults != null) {
            WITHOUT_FAULTS.forEach(option -> refuseMatched(option, "with faults nobody judges it"));
            return score(new Scorer(new FollowedFailures(of, names, shale.faults(faults, of), log), log), described,
                TraceWords.SHALE, CellColumns::ofShale);
        }
        try (RegisterTrace registers = state == null ? null : new RegisterTrace(state, of.schedule(), names)) {
            final Scorer scorer = new Scorer(new FollowedShale(of, names, device.rules(maySilent(described)), log,
                registers), log);
            begin(scorer, of);
            return score(scorer, described, TraceWords.SHALE, CellColumns::ofShale);
        }
    }

    private int ofShoal(final FindingLog log) {
        ShaleOfTrace.OPTIONS.forEach(this::refuseForeign);
        final HeaderDescription described = header();
        final CellNames names = CellNames.pairs(nodes, sequenceBits(described));
        final Scorer scorer = new Scorer(new FollowedShoal(shoal.fabric(nodes, propagation), names,
            new FollowRules(maySilent(described)), log), log);
        return score(scorer, described, TraceWords.SHOAL, CellColumns::ofShoal);
    }

    /** An option of the other fabric. */
    private void refuseForeign(final String option) {
        refuseMatched(option, "a trace of that fabric has no such thing");
    }

    private void refuseMatched(final String option, final String why) {
        if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
            throw new InputException(option, fabric, why, "leave it out");
        }
    }

    private boolean maySilent(final HeaderDescription described) {
        return mayBeSilent || described != null && described.permitsNothing();
    }

    private int score(final Scorer scorer, final HeaderDescription described, final TraceWords words,
        final Function<TraceLines, CellColumns> columns) {
        final String column = headerColumn == null ? "header" : headerColumn;
        try (CellTrace trace = new CellTrace(cells, words, nodes, scorer.fabric().channels(),
            described == null ? columns : lines -> new HeaderColumn(lines, described, column))) {
            scorer.score(trace);
        }
        if (scorer.slots() == 0) {
            throw new InputException("trace", cells.toString(), "it has no complete slot",
                "give a trace of at least two slots");
        }
        return report(scorer, scorer.log());
    }

    private int report(final Scorer scorer, final FindingLog log) {
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
            if (choice == Full.STALL && (owedFifo == null || queueCells != null)) {
                throw new InputException("--full", full, "tokens wait for room, cells that come cannot",
                    "give --owed-fifo alone");
            }
            return new FollowRules(mayBeSilent, freeOrder, Choices.inRange("--tokens-a-slot", tokensASlot, 1, 2),
                room("--owed-fifo", owedFifo, choice), room("--queue-cells", queueCells, choice),
                Choices.inRange("--register-bits", registerBits, 1, Integer.SIZE));
        }

        private static Room room(final String option, final Integer places, final Full full) {
            return places == null ? Room.ENDLESS : new Room(Choices.inRange(option, places, 1, Integer.MAX_VALUE),
                full.rule);
        }
    }

    /** What a line of a trace says of its cell, as the bits of the device's own header, in hex. One thread. */
    static final class HeaderColumn extends CellColumns {
        private final HeaderDescription header;
        private final int column;
        private final int reportField;
        private int report;
        private List<String> faults = List.of();

        HeaderColumn(final TraceLines lines, final HeaderDescription header, final String column) {
            super(lines);
            this.header = header;
            this.column = lines.column(column);
            this.reportField = header.indexOf("feedback");
        }

        /** A field without digits is nothing, too. */
        @Override
        DescribedCell read() {
            final String text = lines.text(column);
            faults = List.of();
            report = 0;
            if (text.isEmpty()) {
                return DescribedCell.NOTHING;
            }
            if (text.length() != 2 * header.bytes()) {
                throw lines.refuse(lines.columns().get(column) + " has " + text.length() + " digits",
                    "header " + header.name() + " has " + 2 * header.bytes() + " of them");
            }
            final byte[] bytes;
            try {
                bytes = HexFormat.of().parseHex(text);
            } catch (final IllegalArgumentException e) {
                throw lines.refuse(lines.columns().get(column) + " is no hex number", "write digits 0-9 and a-f");
            }
            final long[] values = header.unpack(bytes);
            final DescribedCell cell = header.cell(values);
            report = reportField < 0 ? 0 : (int) Math.min(values[reportField], MOST_REPORT);
            faults = cell.equals(DescribedCell.NOTHING) ? faults : header.faults(bytes, null);
            return cell;
        }

        @Override
        int report() {
            return report;
        }

        @Override
        List<String> faults() {
            return faults;
        }
    }

    /**
     * What was found, as files: {@code findings.txt} for readers, with the slots around the first finding; {@code
     * findings.xml}, a JUnit report with a test case for each law; {@code wave.vcd}, those slots as a wave.
     */
    static final class ScoreReport {
        private final Scorer scorer;
        private final FindingLog log;

        ScoreReport(final Scorer scorer) {
            this.scorer = scorer;
            this.log = scorer.log();
        }

        /** Writes the files into a new folder. */
        void write(final Path out, final String trace) {
            OutFolder.write(out, false, folder -> {
                Files.writeString(folder.resolve("findings.txt"), text(trace), StandardCharsets.US_ASCII);
                Files.writeString(folder.resolve("findings.xml"), xml(trace), StandardCharsets.US_ASCII);
                if (!scorer.wave().isEmpty()) {
                    writeWave(folder.resolve("wave.vcd"));
                }
            });
        }

        private String text(final String trace) {
            final StringBuilder text = new StringBuilder(trace).append('\n').append(scorer.totals()).append('\n');
            if (log.none()) {
                return text.append("no law is broken\n").toString();
            }
            text.append(log.total()).append(" findings\n\n").append(log.text()).append("\nnode ")
                .append(log.list().getFirst().node()).append(", the slots around the first finding:\n").append(table());
            return text.toString();
        }

        /** A line for each slot of the first finding's node. */
        String table() {
            final Finding first = log.list().getFirst();
            final int node = first.node();
            final StringBuilder text = new StringBuilder(String.format("  %8s %5s %5s  %-44s %s%n", "slot", "link",
                "to",
                "sent", "received"));
            final FollowedFabric fabric = scorer.fabric();
            for (final TraceSlot slot : scorer.wave()) {
                for (int channel = 0; channel < fabric.channels(); channel++) {
                    text.append(String.format("%s %8d %5d %5d  %-44s %s%n", slot.slot == first.slot() ? ">" : " ",
                        slot.slot, fabric.link(node, channel, slot.slot), fabric.peer(node, channel, slot.slot),
                        fabric.text(slot.sent[node], channel), fabric.text(slot.received[node], channel)));
                }
            }
            return text.toString();
        }

        private String xml(final String trace) {
            final StringBuilder text = new StringBuilder("<?xml version=\"1.0\" encoding=\"US-ASCII\"?>\n");
            final long failed = log.list().stream().map(Finding::law).distinct().count();
            text.append("<testsuite name=\"skerry score ").append(escaped(trace)).append("\" tests=\"")
                .append(Law.values().length).append("\" failures=\"").append(failed).append("\" errors=\"0\">\n");
            for (final Law law : Law.values()) {
                final List<Finding> of = log.list().stream().filter(each -> each.law() == law).toList();
                text.append("  <testcase classname=\"skerry.score\" name=\"").append(law).append('"');
                if (of.isEmpty()) {
                    text.append("/>\n");
                    continue;
                }
                text.append(">\n    <failure message=\"").append(escaped(of.getFirst().toString())).append("\">");
                of.forEach(each -> text.append('\n').append(escaped(each.toString())));
                text.append("\n    </failure>\n  </testcase>\n");
            }
            return text.append("</testsuite>\n").toString();
        }

        private static String escaped(final String text) {
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")
                .replaceAll("[^ -~]", "?");
        }

        private void writeWave(final Path file) throws IOException {
            final Finding first = log.list().getFirst();
            final FollowedFabric fabric = scorer.fabric();
            final List<Signal> signals = signals(fabric.channels());
            try (VcdWriter wave = new VcdWriter(Files.newOutputStream(file),
                List.of(new Scope("node" + first.node(), signals)), 1)) {
                for (final TraceSlot slot : scorer.wave()) {
                    final long[] values = new long[signals.size()];
                    int at = 0;
                    values[at++] = slot.slot;
                    values[at++] = slot.slot == first.slot() ? 1 : 0;
                    for (int channel = 0; channel < fabric.channels(); channel++) {
                        values[at++] = fabric.link(first.node(), channel, slot.slot);
                        for (final NodeCells cells : List.of(slot.sent[first.node()], slot.received[first.node()])) {
                            values[at++] = cells.route(channel);
                            values[at++] = cells.cell(channel);
                            values[at++] = cells.feedback(channel);
                        }
                    }
                    wave.time(slot.slot);
                    wave.vector(0, values);
                }
            }
        }

        private static List<Signal> signals(final int channels) {
            final List<Signal> signals = new ArrayList<>(List.of(new Signal("slot", 32), new Signal("finding", 1)));
            for (int channel = 0; channel < channels; channel++) {
                final String by = channels == 1 ? "" : Integer.toString(channel);
                signals.add(new Signal("link" + by, 16));
                for (final String way : List.of("sent", "received")) {
                    signals.add(new Signal(way + by + "_route", 64));
                    signals.add(new Signal(way + by + "_cell", 64));
                    signals.add(new Signal(way + by + "_tokens", 64));
                }
            }
            return signals;
        }
    }
}
