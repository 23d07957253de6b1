package dev.skerry.tools.cosim;

import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.Coverage.Point;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.CoverageFile;
import dev.skerry.tools.report.CoverageFile.Run;
import dev.skerry.tools.report.Numbers;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.ResourceTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** {@code skerry coverage}: merges the coverage of several runs, and lists holes and how to close them. */
@Command(name = "coverage", description = {
        "Merges coverage files of cosim, score and the library, and shows which laws, choices and cases were "
            + "exercised.",
        "",
        "Each case that never occurred is a hole. For each hole, the command runs the stimulus of cosim on the model "
            + "alone, raising one weight at a time, and prints the --weight with which the case occurs most often.",
        "",
        "The exit code is 0 even if there are holes.",
        ""
    },
    footer = {
        "",
        "Example:",
        "  ./skerry cosim tools/cosim/target/shale-node.so --operations 200000 --coverage a.json",
        "  ./skerry coverage a.json --out covered"
    })
public final class CoverageCommand extends ToolCommand {
    private static final int TRIED_STEPS = 20_000;
    private static final int RAISED = 100;
    /** Settings of a follower that a node does not have. */
    private static final Set<String> OF_FOLLOWERS = Set.of("mayBeSilent", "silence", "saturated", "limit", "payload",
        "faults", "failures", "full", "order");

    @Parameters(paramLabel = "FILE", arity = "0..*", description = "Coverage files.")
    List<Path> files = List.of();

    @Option(names = "--out", paramLabel = "DIR",
        description = "New folder for coverage.json, the merged file, and coverage.html.")
    Path out;

    @Option(names = "--covergroups", paramLabel = "MODEL",
        description = "Instead, print a SystemVerilog class with covergroups of a model's points, for example "
            + "'shale-follower node=4 nodes=9'.")
    String covergroups;

    /** Models on which weights were tried, and their kinds. */
    private final Set<String> tried = new HashSet<>();

    /** Weight that closes a hole, and how often the case then occurs. */
    private record Closing(String weight, long times) {
    }

    /** A case that never occurred. */
    private record Hole(String kind, String point, String bin) {
        String name() {
            return kind + " " + point + " " + bin;
        }
    }

    @Override
    public Integer call() {
        if (covergroups != null) {
            Choices.refuseIf(!files.isEmpty(), "--covergroups", covergroups, "it needs no files", "leave them out");
            out().print(covergroups(covergroups));
            out().flush();
            return 0;
        }
        Choices.refuseIf(files.isEmpty(), "coverage", "", "there is no file", "name files that --coverage has written");
        if (out != null) {
            OutFolder.checkFree(out);
        }
        final CoverageFile merged = new CoverageFile();
        files.forEach(file -> merged.add(CoverageFile.read(file)));
        final List<Hole> holes = new ArrayList<>();
        for (final Coverage kind : merged.kinds()) {
            for (final Point point : kind.points()) {
                IntStream.range(0, point.bins().size()).filter(bin -> point.hits(bin) == 0)
                    .forEach(bin -> holes.add(new Hole(kind.kind(), point.name(), point.bins().get(bin))));
            }
        }
        final Map<Hole, Closing> closings = closings(merged, holes);
        print(merged, holes, closings);
        if (out != null) {
            final String page = page(merged, holes, closings);
            OutFolder.write(out, false, folder -> {
                Files.writeString(folder.resolve("coverage.json"), merged.text(), StandardCharsets.UTF_8);
                Files.writeString(folder.resolve("coverage.html"), page, StandardCharsets.UTF_8);
            });
            out().println("written: " + out);
        }
        out().flush();
        return 0;
    }

    private void print(final CoverageFile merged, final List<Hole> holes, final Map<Hole, Closing> closings) {
        final PrintWriter to = out();
        final List<List<String>> lines = new ArrayList<>(List.of(List.of("kind", "point", "covered")));
        for (final Coverage kind : merged.kinds()) {
            kind.points().forEach(point -> lines.add(List.of(kind.kind(), point.name(), covered(point))));
        }
        to.print(ResourceTable.aligned(lines, _ -> true));
        final int bins = bins(merged);
        to.println();
        to.println(bins - holes.size() + " of " + bins + " cases covered, " + holes.size() + " holes");
        holes.forEach(hole -> to.println("hole: " + hole.name() + ": " + text(hole, closings.get(hole))));
    }

    private static int bins(final CoverageFile merged) {
        return merged.kinds().stream().mapToInt(kind -> kind.counts().length).sum();
    }

    private static String covered(final Point point) {
        return IntStream.range(0, point.bins().size()).filter(bin -> point.hits(bin) > 0).count() + "/"
            + point.bins().size();
    }

    private String text(final Hole hole, final Closing closing) {
        return closing == null && !tried.contains(hole.kind) ? "no run names a model to try weights on"
            : closing == null ? "no single weight closes it" : "--weight " + closing.weight + " (" + closing.times
            + " of " + TRIED_STEPS + " steps)";
    }

    /** Returns the weight that makes the case of each hole most frequent. Holes that no weight closes are omitted. */
    private Map<Hole, Closing> closings(final CoverageFile merged, final List<Hole> holes) {
        final Map<Hole, Closing> best = new LinkedHashMap<>();
        for (final Run run : merged.runs()) {
            final Description model = drawn(run.model());
            if (model != null && tried.add(model.line())
                && holes.stream().anyMatch(hole -> hole.kind.equals(model.kind()) && !best.containsKey(hole))) {
                tried.add(model.kind());
                tryWeights(model, holes, best);
            }
        }
        return best;
    }

    /** Returns the model of a run, or of the device that it follows; null if rows cannot be drawn for it. */
    private static Description drawn(final String line) {
        try {
            final Description described = Description.of(line.replaceFirst("-follower ", "-node "));
            final Map<String, String> values = new TreeMap<>(described.values());
            if (line.contains("-follower ")) {
                values.keySet().removeAll(OF_FOLLOWERS);
            }
            final Description node = new Description(described.kind(), values);
            final Description drawn = node.isNode() ? node.with(Description.COVERAGE, "1") : node;
            try (Arena arena = Arena.ofConfined()) {
                final Twin twin = drawn.twin(arena);
                twin.stimulus(Map.of());
                twin.close();
            }
            return drawn;
        } catch (final IllegalArgumentException e) {
            return null;
        }
    }

    private static void tryWeights(final Description model, final List<Hole> holes, final Map<Hole, Closing> best) {
        for (final String choice : choices(model)) {
            final Coverage covered = explore(model, Map.of(choice, RAISED));
            for (final Hole hole : holes) {
                final Point point = covered.point(hole.point);
                final int bin = point.bins().indexOf(hole.bin);
                final long times = hole.kind.equals(model.kind()) && bin >= 0 ? point.hits(bin) : 0;
                if (times > (best.containsKey(hole) ? best.get(hole).times : 0)) {
                    best.put(hole, new Closing(choice + "=" + RAISED, times));
                }
            }
        }
    }

    private static Set<String> choices(final Description model) {
        try (Arena arena = Arena.ofConfined()) {
            final Twin twin = model.twin(arena);
            final Set<String> choices = twin.stimulus(Map.of()).weights.choices();
            twin.close();
            return choices;
        }
    }

    /** Returns the coverage of steps without a device, in sequences of the usual lengths. */
    private static Coverage explore(final Description model, final Map<String, Integer> weights) {
        final SplittableRandom seeds = new SplittableRandom(1);
        final Coverage covered = new Coverage(model.kind());
        Stimulus stimulus = null;
        int made = 0;
        for (int sequence = 1; made < TRIED_STEPS; sequence++) {
            try (Arena arena = Arena.ofConfined()) {
                final Twin twin = model.twin(arena);
                stimulus = stimulus == null ? twin.stimulus(weights) : stimulus;
                final long[] row = new long[twin.names().inputs().length];
                final long[] answer = new long[twin.names().outputs().length];
                final MemorySegment in = arena.allocate(ValueLayout.JAVA_LONG, row.length);
                final MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, answer.length);
                final SplittableRandom random = seeds.split();
                stimulus.begin(twin);
                for (int left = CosimCommand.usualLength(sequence); left > 0 && made < TRIED_STEPS; left--, made++) {
                    stimulus.draw(random, row);
                    MemorySegment.copy(row, 0, in, ValueLayout.JAVA_LONG, 0, row.length);
                    twin.resolve(in, 0);
                    twin.step(in, 0, to, 0);
                    MemorySegment.copy(to, ValueLayout.JAVA_LONG, 0, answer, 0, answer.length);
                    stimulus.covered(row, answer);
                }
                covered.add(twin.coverage());
                twin.close();
            }
        }
        covered.add(stimulus.cases);
        return covered;
    }

    private String page(final CoverageFile merged, final List<Hole> holes, final Map<Hole, Closing> closings) {
        final long steps = merged.runs().stream().mapToLong(Run::steps).sum();
        final int bins = bins(merged);
        final Page page = new Page("Coverage").heading("Coverage", merged.runs().size() + " runs");
        page.tiles(List.of(new Page.Tile("Cases covered", Numbers.percent(1 - (double) holes.size() / bins), (bins
            - holes.size()) + " of " + bins), new Page.Tile("Holes", String.valueOf(holes.size()), closings.size()
            + " can be closed by a weight"), new Page.Tile("Steps", Numbers.grouped(steps), "rows or slots"),
            new Page.Tile("Findings", Numbers.grouped(merged.runs().stream().mapToLong(Run::findings).sum()),
            "differences and broken laws")));
        page.section("Holes", "Cases that never occurred, and the weight of cosim's stimulus with which they occur "
            + "most often.");
        if (holes.isEmpty()) {
            page.none("There are no holes.");
        } else {
            page.table(List.of("Kind", "Point", "Case", "To close it"), holes.stream()
                .map(hole -> List.of(hole.kind, hole.point, hole.bin, text(hole, closings.get(hole)))).toList(), false);
        }
        page.end();
        for (final Coverage kind : merged.kinds()) {
            page.section(kind.kind(), "The first part of a point's name is the law or choice that it exercises.");
            final List<List<String>> rows = new ArrayList<>();
            for (final Point point : kind.points()) {
                for (int bin = 0; bin < point.bins().size(); bin++) {
                    rows.add(List.of(bin == 0 ? point.name() : "", bin == 0 ? covered(point) : "",
                        point.bins().get(bin), Numbers.grouped(point.hits(bin))));
                }
            }
            page.table(List.of("Point", "Covered", "Case", "Times"), rows, false).end();
        }
        page.section("Runs", "What was merged.");
        page.table(List.of("Tool", "Model or trace", "Options", "Steps", "Findings"),
            merged.runs().stream().map(run -> List.of(run.tool(), run.model(), run.options(),
            Numbers.grouped(run.steps()), Numbers.grouped(run.findings()))).toList(), false).end();
        return page.finish();
    }

    /**
     * Returns a class with a coverpoint for each point. A bin is the number of its case among all cases of the model.
     */
    private static String covergroups(final String line) {
        try (Arena arena = Arena.ofConfined()) {
            final Description described = Description.of(line);
            final Twin twin = (described.isNode() ? described.with(Description.COVERAGE, "1") : described).twin(arena);
            final Coverage covered = twin.coverage();
            if (covered.points().isEmpty()) {
                throw new IllegalArgumentException("only followers and nodes of Shale have points");
            }
            final String name = covered.kind().replace('-', '_') + "_covergroups";
            final StringBuilder text = new StringBuilder("// Covergroups of \"").append(line)
                .append("\". Written by skerry coverage --covergroups.\n").append("class ").append(name)
                .append(";\n    covergroup points with function sample(int number);\n");
            int number = 0;
            for (final Point point : covered.points()) {
                text.append("        ").append(point.name().replace('.', '_')).append(": coverpoint number {\n");
                for (final String bin : point.bins()) {
                    text.append("            bins ").append(Character.isDigit(bin.charAt(0)) ? "n" : "").append(bin)
                        .append(" = {").append(number++).append("};\n");
                }
                text.append("        }\n");
            }
            twin.close();
            return text.append("    endgroup\n\n    local longint before[").append(number).append("];\n\n")
                .append("    function new();\n        points = new;\n    endfunction\n\n")
                .append("    // Samples the cases that occurred since the last call; counts are those of ")
                .append("board.get_coverage(counts).\n")
                .append("    function void sample(input longint counts[]);\n")
                .append("        foreach (before[i]) begin\n            if (counts[i] > before[i]) points.sample(i);\n")
                .append("            before[i] = counts[i];\n        end\n    endfunction\nendclass\n").toString();
        } catch (final IllegalArgumentException e) {
            throw new InputException("--covergroups", line, e.getMessage(), "see tools/cosim/c/skerry.h");
        }
    }
}
