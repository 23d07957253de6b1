package dev.skerry.bench.command;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Runs the gates and judges them. A gate that fails runs once more, and only the second result counts. */
final class Gates {
    private final Session session;
    private final PrintWriter out;
    private final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    Gates(final Session session, final PrintWriter out) {
        this.session = session;
        this.out = out;
    }

    /**
     * Whether all gates hold. Clock times mean nothing on cores that other processes use: above a load average of half
     * the cores, gates by the clock are listed and skipped.
     */
    boolean hold(final List<Gate> all) {
        final int cores = Runtime.getRuntime().availableProcessors();
        final boolean busy = load > cores / 2.0;
        final Map<String, List<Gate>> sets = new LinkedHashMap<>();
        final List<Gate> gates = new ArrayList<>();
        for (final Gate gate : all) {
            if (busy && gate.measure() == Gate.Measure.CLOCK) {
                out.printf(Locale.ROOT, "skip   %s %s: the machine is busy, load average %.1f on %d cores%n",
                    gate.type().getSimpleName(), gate.params(), load, cores);
                continue;
            }
            gates.add(gate);
            sets.computeIfAbsent(gate.set(), set -> new ArrayList<>()).add(gate);
        }
        int failed = 0;
        for (final List<Gate> set : sets.values()) {
            final List<Gate> again = new ArrayList<>();
            for (final Gate.Verdict verdict : judge(session, set)) {
                if (verdict.passed()) {
                    report("pass", verdict);
                } else {
                    report("again", verdict);
                    again.add(verdict.gate());
                }
            }
            if (!again.isEmpty()) {
                for (final Gate.Verdict verdict : judge(session.with(Session.Effort.AGAIN), again)) {
                    report(verdict.passed() ? "pass" : "FAIL", verdict);
                    failed += verdict.passed() ? 0 : 1;
                }
            }
        }
        out.println((failed == 0 ? gates.size() + " gates, all hold" : failed + " of " + gates.size() + " gates failed")
            + (gates.size() == all.size() ? "" : ", " + (all.size() - gates.size()) + " left out"));
        out.flush();
        return failed == 0;
    }

    private static List<Gate.Verdict> judge(final Session session, final List<Gate> set) {
        final Gate first = set.getFirst();
        final Set<String> needed = new LinkedHashSet<>();
        set.forEach(gate -> needed.addAll(gate.variants()));
        final List<String> variants = List.copyOf(needed);
        final List<Row> rows = session.run(first.type(), Gate.methods(first.type(), variants),
            Gate.values(first.type(), first.params(), variants)).stream()
            .map(result -> Row.of(first.type(), result)).toList();
        return set.stream().map(gate -> gate.judge(rows)).toList();
    }

    private void report(final String word, final Gate.Verdict verdict) {
        final double found = verdict.found();
        final double limit = verdict.gate().limit();
        final String lacks = verdict.passed() || verdict.gate().measure() == Gate.Measure.BYTES ? ""
            : String.format(Locale.ROOT, ", %.0f %% short (%s)", 100 * (1 - found / limit), verdict.gate().where());
        out.printf(Locale.ROOT, "%-5s  %s%s%n", word, verdict, lacks);
        out.flush();
    }
}
