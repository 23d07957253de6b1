package dev.skerry.bench.command;

import com.sun.management.OperatingSystemMXBean;
import dev.skerry.bench.Compare;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs the gates and judges them. A gate that fails runs a second time, and only the second result counts. */
final class Gates {
    private final Session session;
    private final PrintWriter out;

    Gates(final Session session, final PrintWriter out) {
        this.session = session;
        this.out = out;
    }

    /**
     * Tells whether all gates hold. Wall times mean nothing on cores that other processes use: if these use more
     * than a quarter of the cores, gates by wall time are listed and skipped.
     */
    boolean hold(final List<Gate> all) {
        final int cores = Runtime.getRuntime().availableProcessors();
        final double used = cores * shareOfOthers();
        final boolean busy = used > cores / 4.0;
        final Map<String, List<Gate>> sets = new LinkedHashMap<>();
        final List<Gate> gates = new ArrayList<>();
        for (final Gate gate : all) {
            if (busy && gate.measure() == Gate.Measure.CLOCK) {
                out.printf(Locale.ROOT, "skip   %s %s: other processes use %.1f of %d cores%n",
                    gate.type().getSimpleName(), gate.params(), used, cores);
                continue;
            }
            gates.add(gate);
            sets.computeIfAbsent(gate.set(), set -> new ArrayList<>()).add(gate);
        }
        int failed = 0;
        for (final List<Gate> set : sets.values()) {
            final List<Gate> again = new ArrayList<>();
            for (final Gate.Verdict verdict : judge(session, set)) {
                report(verdict.passed() ? "pass" : "again", verdict);
                if (!verdict.passed()) {
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

    /**
     * Returns the share of the cores that other processes use, measured over two seconds in which this process is idle;
     * a load average would still count processes that have ended.
     */
    private static double shareOfOthers() {
        final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        system.getCpuLoad();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
        return system.getCpuLoad();
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

    /**
     * One line of the gates file: {@code BENCHMARK PARAMETERS MEASURE VARIANT LIMIT BASELINES}.
     *
     * @param type benchmark class.
     * @param params {@code name=value}, separated by commas; {@code -} for none.
     * @param measure quantity that is compared.
     * @param variant variant under test.
     * @param limit for speed, the minimum ratio to the fastest baseline; for bytes, the maximum per operation.
     * @param baselines variants to compare with.
     * @param where file and line.
     */
    record Gate(Class<?> type, Map<String, String> params, Measure measure, String variant, double limit,
        List<String> baselines, String where) {
        private static final int FIELDS = 6;

        enum Measure {
            /** Operations per CPU time, for single-threaded work. */
            CPU,
            /** Operations per wall-clock time, for work of several threads. */
            CLOCK,
            /** Bytes allocated per operation. */
            BYTES
        }

        static List<Gate> read(final Path file, final BenchmarkCatalogue catalogue) {
            final List<String> lines;
            try {
                lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            } catch (final IOException e) {
                throw new InputException("--gates", file.toString(), "it cannot be read: " + e,
                    "give the file of gates, bench/gates.txt in the source");
            }
            final List<Gate> gates = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                final String line = lines.get(i).strip();
                if (!line.isEmpty() && !line.startsWith("#")) {
                    gates.add(parse(line, file + ":" + (i + 1), catalogue));
                }
            }
            Choices.refuseIf(gates.isEmpty(), "--gates", file, "there is no gate in it", "add one a line");
            return gates;
        }

        static Gate parse(final String line, final String where, final BenchmarkCatalogue catalogue) {
            final String[] field = line.split("\\s+");
            refuseIf(field.length != FIELDS, where, "a gate has " + FIELDS + " fields, not " + field.length);
            final Class<?> type = catalogue.exactly(field[0]);
            refuseIf(type == null, where, "there is no benchmark " + field[0]);
            final Map<String, String> params = new TreeMap<>();
            if (!field[1].equals("-")) {
                for (final String pair : field[1].split(",")) {
                    final int equals = pair.indexOf('=');
                    refuseIf(equals < 1, where, "a parameter is NAME=VALUE: " + pair);
                    params.put(pair.substring(0, equals), pair.substring(equals + 1));
                }
            }
            try {
                final Measure measure = Measure.valueOf(field[2].toUpperCase(Locale.ROOT));
                final List<String> baselines = measure == Measure.BYTES ? List.of()
                    : Arrays.asList(field[5].split(","));
                return new Gate(type, params, measure, field[3], Double.parseDouble(field[4]), baselines, where);
            } catch (final IllegalArgumentException e) {
                throw wrong(where, "no measure (cpu, clock, bytes) or no number: " + e.getMessage());
            }
        }

        private static void refuseIf(final boolean wrong, final String where, final String why) {
            if (wrong) {
                throw wrong(where, why);
            }
        }

        private static InputException wrong(final String where, final String why) {
            return new InputException("gates", where, why,
                "write BENCHMARK PARAMETERS cpu|clock|bytes VARIANT LIMIT BASELINES");
        }

        /** Returns the key of the run: gates with equal keys are measured in one run. */
        String set() {
            return type.getName() + params;
        }

        /** Returns the variants to run. */
        List<String> variants() {
            final List<String> all = new ArrayList<>(baselines);
            all.add(variant);
            return all;
        }

        /** Judges the gate by the results of its run. */
        Verdict judge(final List<Row> rows) {
            final Row of = find(rows, variant);
            if (measure == Measure.BYTES) {
                final double bytes = of.allocated();
                return new Verdict(this, bytes <= limit, bytes, "nothing");
            }
            Row best = null;
            for (final String baseline : baselines) {
                final Row row = find(rows, baseline);
                best = best == null || speed(row) > speed(best) ? row : best;
            }
            final double ratio = speed(of) / speed(best);
            return new Verdict(this, ratio >= limit, ratio, best.variant());
        }

        private double speed(final Row row) {
            return measure == Measure.CPU ? row.bestCpuSpeed() : row.bestSpeed();
        }

        private Row find(final List<Row> rows, final String name) {
            return rows.stream().filter(row -> row.variant().equals(name)).findFirst().orElseThrow(
                () -> wrong(where, "there is no variant " + name + " of " + type.getSimpleName()));
        }

        /** Returns the methods to run; empty if the variants are values of a parameter. */
        static List<String> methods(final Class<?> type, final List<String> variants) {
            return BenchmarkCatalogue.compare(type).by().isEmpty() ? variants : List.of();
        }

        /** Returns the values of the parameters to run. */
        static Map<String, String[]> values(final Class<?> type, final Map<String, String> params,
            final List<String> variants) {
            final Map<String, String[]> values = new TreeMap<>();
            params.forEach((name, value) -> values.put(name, new String[] {value}));
            final Compare compare = BenchmarkCatalogue.compare(type);
            if (!compare.by().isEmpty()) {
                values.put(compare.by(), variants.toArray(String[]::new));
            }
            return values;
        }

        /** The result of a gate: the ratio or the bytes measured, and the fastest baseline. */
        record Verdict(Gate gate, boolean passed, double found, String baseline) {
            @Override
            public String toString() {
                final String what = gate.type.getSimpleName() + (gate.params.isEmpty() ? "" : " " + gate.params) + ": "
                    + gate.variant;
                return gate.measure == Measure.BYTES
                    ? String.format(Locale.ROOT, "%s allocates %.3f B an operation, at most %.3f", what, found,
                    gate.limit)
                    : String.format(Locale.ROOT, "%s is %.2f x %s by %s, at least %.2f", what, found, baseline,
                        gate.measure.name().toLowerCase(Locale.ROOT), gate.limit);
            }
        }
    }
}
