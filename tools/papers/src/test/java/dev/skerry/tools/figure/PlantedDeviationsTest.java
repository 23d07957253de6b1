package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Effort.Extent;
import dev.skerry.tools.figure.Effort.Numbers;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.StardustUtilization.Run;
import dev.skerry.tools.plot.PlotFigure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rules that hold can fail: the series times 1.25, or off by twice the tolerance, turns them red; where a sentence
 * orders two values or prints a bound, a value that far beyond the bound does. The numbers behind a figure were
 * recorded at quick scale, so that its rules are asked again without a run; figures that take a second or two are
 * measured.
 */
final class PlantedDeviationsTest {
    /**
     * {@code figure | the number of the seed | numbers}, in the order in which the figure asks for them; of a run of
     * Stardust behind them its queues by length, and its latencies: the shortest, and how many took so long and longer.
     */
    private static final List<String[]> RECORDED = PlotFigure.resource(PlantedDeviationsTest.class, "measured.txt")
        .lines().filter(line -> !line.startsWith("#")).map(line -> line.split(" \\| ")).toList();
    /** Minutes of a short version that a test has time for. */
    private static final double NO_TIME = 0.1;

    @TempDir
    Path folder;

    private static Stream<Figure> figures() {
        return FiguresCommand.ALL.stream().filter(figure -> figure.paper().equals("Shoal")
            || figure.minutes() < NO_TIME / 2 || RECORDED.stream().anyMatch(row -> row[0].equals(figure.name())));
    }

    /** Prints the lines of {@code measured.txt} for what {@code figures --quick --keep FOLDER} has kept in a folder. */
    public static void main(final String[] folder) throws IOException, ClassNotFoundException {
        final Map<String, String> lines = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of(folder[0]))) {
            for (final Path file : files.toList()) {
                try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
                    final List<String> known = in.readUTF().lines().toList();
                    final String seed = known.getLast();
                    if (seed.startsWith("seed ")) {
                        final String figure = known.get(known.size() - 6);
                        lines.put(String.format("%s %5s", figure, known.get(known.size() - 2)), figure + " | "
                            + seed.substring("seed ".length()) + " | "
                            + text(KeptRuns.read(in, Class.forName(known.get(1)))));
                    }
                }
            }
        }
        lines.values().forEach(System.out::println);
    }

    private static String text(final Object kept) {
        if (kept instanceof final Numbers numbers) {
            return text(DoubleStream.of(numbers.values()));
        }
        final Run run = (Run) kept;
        final double[] latency = new double[QueueLengths.MOST];
        run.latency().forEach((slots, count) -> latency[(int) slots] = count);
        return text(DoubleStream.concat(DoubleStream.of(run.dropped(), run.pauses()), DoubleStream.of(run.numbers())))
            + " | " + text(Arrays.stream(run.last()).asDoubleStream().limit(run.lengths().longest(1, true) + 1))
            + " | 0 " + text(Arrays.stream(latency)).replaceAll("( 0)+$", "");
    }

    /** Numbers to seven digits, as {@link #numbers} reads them. */
    private static String text(final DoubleStream numbers) {
        return numbers.mapToObj(number -> number == Math.rint(number) ? Long.toString(Math.round(number))
            : Float.toString((float) number)).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @MethodSource("figures")
    void shouldSeeAPlantedDeviation(final Figure figure) {
        // With 10,000 nodes a point has one seed.
        final Extent extent = new Extent(0, figure.choices().containsKey(Choice.NODES) ? 10_000 : 0, new TreeSet<>(),
            new TreeSet<>());
        final Effort effort = new Effort(true, 1, extent, 1, KeptRuns.in(folder, "recorded", "recorded"),
            _ -> assertTrue(figure.quickMinutes() <= NO_TIME, "numbers of a run are not recorded"));
        final KeptRuns kept = effort.of(figure).kept();
        RECORDED.stream().filter(row -> row[0].equals(figure.name())).forEach(row -> record(kept, row));
        assertEquals(List.of(), figure.measure(effort.of(figure)).checks().stream().filter(Check::blind).toList());
    }

    /** Figure 4 takes a minute, and all that it asks is that every flow ends. */
    @Test
    void shouldLeaveOutOneFigure() {
        final List<Figure> asked = figures().toList();
        assertEquals(List.of("shale-fig4"), FiguresCommand.ALL.stream().filter(figure -> !asked.contains(figure))
            .map(Figure::name).toList());
    }

    private static void record(final KeptRuns kept, final String... row) {
        final double[] numbers = numbers(row[2]);
        if (row.length == 3) {
            kept.numbers(Numbers.class, "seed " + row[1], () -> new Numbers(numbers));
            return;
        }
        final SlotHistogram latency = new SlotHistogram();
        final double[] counts = numbers(row[4]);
        IntStream.range(1, counts.length).forEach(i -> latency.record((int) counts[0] + i - 1, (long) counts[i]));
        kept.numbers(Run.class, "seed " + row[1], () -> new Run(Arrays.copyOf(Arrays.stream(numbers(row[3]))
            .mapToLong(Math::round).toArray(), QueueLengths.MOST + 1), latency, (long) numbers[0], (long) numbers[1],
            Arrays.copyOfRange(numbers, 2, numbers.length)));
    }

    /** Numbers; {@code 3*5} is 3 five times. */
    private static double[] numbers(final String text) {
        return Arrays.stream(text.split(" ")).map(word -> word.split("[*]")).flatMapToDouble(word ->
            DoubleStream.generate(() -> Double.parseDouble(word[0])).limit(word.length == 1 ? 1
                : Long.parseLong(word[1]))).toArray();
    }

    @Test
    void shouldKnowWhichRulesAreBlind() {
        final List<Check> blind = new Findings().near("x", 1.2, 0.2, 1.1).atMost("x", "11", 11, 6)
            .atLeast("x", "3", 3, 4).between("x", "", 0, 1, new Sample(0.5)).checks();
        blind.forEach(check -> assertTrue(check.blind(), check.toString()));
        assertEquals(List.of(), new Findings().near("x", 1.2, 0.1, 1.1).within("x", 10, 0.5, 10.4).exactly("x", 0, 0)
            .exactly("x", 7, 7).atMost("x", "2", 2, 2).atLeast("x", "3", 3, 3.7).reported("x", 1).within("x", 0, 1, 0)
            .atMost("trend", "falls", 0, -3).planted(2.0).atMost("missed", "1", 1, 2).checks().stream()
            .filter(Check::blind).toList());
    }
}
