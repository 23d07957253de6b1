package dev.skerry.tools.score;

import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.trace.Scope;
import dev.skerry.tools.trace.VcdWriter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What was found, as files: {@code findings.txt} for readers, with the slots around the first finding; {@code
 * findings.xml}, a JUnit report with a test case for each law; {@code wave.vcd}, those slots as a wave.
 */
final class ScoreReport {
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
        final StringBuilder text = new StringBuilder(String.format("  %8s %5s %5s  %-44s %s%n", "slot", "link", "to",
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
