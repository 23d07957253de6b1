package dev.skerry.tools.score;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FirstSlots;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.follow.Payloads;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.plot.Markup;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.score.CellTrace.TraceSlot;
import dev.skerry.tools.trace.VectorFiles.VcdWriter;
import dev.skerry.tools.trace.VectorSource.Scope;
import dev.skerry.tools.trace.WaveFields;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Feeds a recorded trace to the followers of a fabric and reports the findings. Not thread-safe. */
final class Scorer {
    /** Number of slots before and after the first finding that are kept for the waveform. */
    static final int AROUND = 16;

    private final FabricFollower fabric;
    private final LinkWords words;
    private final FindingLog log;
    private final long startNs = System.nanoTime();
    private final FirstSlots first = new FirstSlots();
    private final Payloads payloads = new Payloads();
    private final ArrayDeque<TraceSlot> last = new ArrayDeque<>();
    private final List<TraceSlot> wave = new ArrayList<>();
    private long from;
    private long settle;
    private long slots;
    private long cells;
    private long local;
    private long dummies;

    Scorer(final FabricFollower fabric, final LinkWords words, final FindingLog log) {
        this.fabric = fabric;
        this.words = words;
        this.log = log;
    }

    /**
     * Starts at a slot other than 0, with unknown contents of the nodes.
     *
     * @param first first slot.
     * @param slots number of slots in which the followers reconstruct the contents, and whose findings are discarded.
     */
    void beginAt(final long first, final long slots) {
        from = first;
        settle = slots;
        fabric.beginAt(first);
    }

    /** Follows a trace to its end. */
    void score(final CellTrace trace) {
        for (TraceSlot slot = trace.next(); slot != null; slot = trace.next()) {
            if (slot.slot < from) {
                continue;
            }
            if (slot.slot == from + settle) {
                log.forget();
                wave.clear();
            }
            step(slot);
            if (from == 0) {
                first.keep(slot.sent, slot.received, log);
            }
            count(slot);
            keep(slot);
        }
    }

    /** Follows a slot, and checks what its words do not contain: where cells went, and what dummies carried. */
    void step(final TraceSlot slot) {
        for (int node = 0; node < fabric.fabric().nodes(); node++) {
            for (int channel = 0; channel < fabric.fabric().channels(); channel++) {
                final Follower follower = fabric.node(node);
                final DescribedCell said = slot.said[slot.at(node, channel)];
                final int peer = fabric.peer(node, channel, slot.slot);
                if (said.destinationMac() != DescribedCell.UNKNOWN && peer != FabricFollower.NONE
                    && said.destinationMac() != peer) {
                    follower.refuse(channel, Law.SCHEDULE, "to send to node " + peer, "node " + said.destinationMac());
                }
                final int phase = fabric.phase(slot.slot);
                if (said.phase() != DescribedCell.UNKNOWN && phase != FabricFollower.NONE && said.phase() != phase) {
                    follower.refuse(channel, Law.SCHEDULE, "phase " + phase, "phase " + said.phase());
                }
                slot.refuse(node, channel, follower);
            }
        }
        checkPayloads(slot, slot.sent, slot.payloadSent, true);
        checkPayloads(slot, slot.received, slot.payloadReceived, false);
        fabric.step(slot.sent, slot.received);
    }

    private void checkPayloads(final TraceSlot slot, final NodeCells[] by, final Long[] seen, final boolean isSent) {
        final CellNames names = fabric.names();
        for (int at = 0; at < seen.length; at++) {
            final int node = at / channels();
            final int channel = at % channels();
            final long cell = by[node].cell(channel);
            if (seen[at] == null || !InFlightCells.isCell(by[node].route(channel)) || !names.exists(cell)) {
                continue;
            }
            if (isSent && names.source(cell) == node) {
                payloads.forget(cell);
            }
            final Payloads.Change change = payloads.see(names, cell, seen[at], node, slot.slot);
            if (change != null) {
                fabric.node(node).refuse(channel, Law.PAYLOAD, change.expected(), change.seen()
                    + (isSent ? " sent" : " received"));
            }
            if (!isSent && names.destination(cell) == node) {
                payloads.forget(cell);
            }
        }
    }

    private void count(final TraceSlot slot) {
        slots++;
        final CellNames names = fabric.names();
        for (int node = 0; node < fabric.fabric().nodes(); node++) {
            final NodeCells sent = slot.sent[node];
            for (int channel = 0; channel < fabric.fabric().channels(); channel++) {
                final boolean isCell = InFlightCells.isCell(sent.route(channel));
                cells += isCell ? 1 : 0;
                local += isCell && names.exists(sent.cell(channel)) && names.source(sent.cell(channel)) == node ? 1 : 0;
                dummies += sent.route(channel) == InFlightCells.NO_CELL ? 1 : 0;
            }
        }
    }

    private void keep(final TraceSlot slot) {
        if (log.none()) {
            last.add(slot);
            if (last.size() > AROUND) {
                last.poll();
            }
        } else if (wave.isEmpty()) {
            wave.addAll(last);
            wave.add(slot);
        } else if (slot.slot <= log.list().getFirst().slot() + AROUND) {
            wave.add(slot);
        }
    }

    /** Returns the number of channels of a node. */
    int channels() {
        return fabric.fabric().channels();
    }

    long slots() {
        return slots;
    }

    /** Returns the coverage of all nodes. */
    Coverage coverage() {
        final Coverage all = new Coverage(fabric.node(0).coverage().kind());
        for (int node = 0; node < fabric.fabric().nodes(); node++) {
            all.add(fabric.node(node).coverage());
        }
        return all;
    }

    /** Returns the totals in one line. */
    String totals() {
        return slots + " slots of " + fabric.fabric().nodes() + " nodes: " + cells + " cells sent, " + local
            + " of them local, " + dummies + " dummies, " + fabric.registers() + " registers; " + fabric.held()
            + " cells held at the end, at most " + fabric.mostOpen() + " of a node open";
    }

    /**
     * Writes the findings to a new folder: {@code findings.txt}, with the slots around the first finding; {@code
     * findings.xml}, a JUnit report with a test case for each law; and {@code wave.vcd}, a waveform of those slots.
     */
    void write(final Path out, final String trace) {
        OutFolder.write(out, false, folder -> {
            Files.writeString(folder.resolve("findings.txt"), trace + "\n" + text(), StandardCharsets.US_ASCII);
            Files.writeString(folder.resolve("findings.xml"), xml(trace));
            if (!wave.isEmpty()) {
                writeWave(folder.resolve("wave.vcd"));
            }
        });
    }

    /** Returns the totals and all findings. */
    String text() {
        return totals() + "\n" + (log.none() ? "no law is broken\n" : log.total() + " findings\n\n" + log.text()
            + first.explain(fabric.others()) + "\nnode " + log.list().getFirst().node()
            + ", the slots around the first finding:\n" + table());
    }

    /** Returns the recorded slots of the first finding's node, one per line and channel. */
    String table() {
        final Finding first = log.list().getFirst();
        final int node = first.node();
        final StringBuilder text = new StringBuilder(String.format("  %8s %5s %5s  %-44s %s%n", "slot", "link",
            "to", "sent", "received"));
        for (final TraceSlot slot : wave) {
            for (int channel = 0; channel < fabric.fabric().channels(); channel++) {
                text.append(String.format("%s %8d %5d %5d  %-44s %s%n", slot.slot == first.slot() ? ">" : " ",
                    slot.slot, fabric.link(node, channel, slot.slot), fabric.peer(node, channel, slot.slot),
                    fabric.text(slot.sent[node], channel), fabric.text(slot.received[node], channel)));
            }
        }
        return text.toString();
    }

    private String xml(final String trace) {
        final long failed = Arrays.stream(Law.values()).filter(law -> log.total(law) > 0).count();
        final Markup xml = new Markup().open("testsuite", "name", "skerry score " + trace.replaceAll("[^ -~]", "?"),
            "tests", Integer.toString(Law.values().length), "failures", Long.toString(failed), "errors", "0",
            "time", String.format(Locale.ROOT, "%.3f", (System.nanoTime() - startNs) / 1e9));
        for (final Law law : Law.values()) {
            final List<String> of = log.lines(law);
            xml.text("\n  ").open("testcase", "classname", "skerry.score", "name", law.toString());
            if (log.total(law) > 0) {
                xml.element("failure", "\n" + String.join("\n", of) + "\n", "message", log.total(law) + " findings"
                    + (of.isEmpty() ? " beyond the limit" : ", first: " + of.getFirst()));
            }
            xml.close();
        }
        return xml.close().finish();
    }

    private void writeWave(final Path file) throws IOException {
        final Finding first = log.list().getFirst();
        final List<Signal> signals = signals(fabric.fabric().channels());
        try (VcdWriter to = new VcdWriter(Files.newOutputStream(file),
            List.of(new Scope("node" + first.node(), signals)), 1, new WaveFields(words, fabric.names()))) {
            for (final TraceSlot slot : wave) {
                final long[] values = new long[signals.size()];
                int at = 0;
                values[at++] = slot.slot;
                values[at++] = slot.slot == first.slot() ? 1 : 0;
                for (int channel = 0; channel < fabric.fabric().channels(); channel++) {
                    values[at++] = fabric.link(first.node(), channel, slot.slot);
                    for (final NodeCells cells : List.of(slot.sent[first.node()], slot.received[first.node()])) {
                        values[at++] = cells.route(channel);
                        values[at++] = cells.cell(channel);
                        values[at++] = cells.feedback(channel);
                    }
                }
                to.time(slot.slot);
                to.vector(0, values);
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
