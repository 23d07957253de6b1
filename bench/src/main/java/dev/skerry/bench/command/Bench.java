package dev.skerry.bench.command;

import dev.skerry.bench.Compare;
import dev.skerry.bench.fabric.Load;
import dev.skerry.bench.port.MemifRates;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.WholeFile;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code skerry bench}. Exit codes as for every command: 0 done, 1 a gate failed, 2 wrong input, reported in one line
 * on standard error.
 */
@Command(
    name = "skerry bench",
    subcommands = {Load.class, MemifRates.class, Peers.class},
    description = {
        "Runs benchmarks and compares Skerry with the baselines beside it.",
        "",
        "NAME is part of the name of a benchmark; without NAME, all are run. In the output, 'ns' is wall time per "
            + "unit, the median of the iterations, followed by minimum and maximum; 'cpu ns' is CPU time of all "
            + "threads, including those that wait by spinning, and is hardly affected by other load on the machine; "
            + "'ours is' is the speed of Skerry's line (*) as a multiple of this line's. Calls that find a queue "
            + "full or empty take time but are no units. Without --full a result takes about three seconds and "
            + "shows the order of magnitude only.",
        ""
    }, footer = {
        "",
        "Example: passing handles between two threads in bursts of 32",
        "  ./skerry bench SpscRing --param burst=32"
    })
public final class Bench extends ToolCommand {
    private static final int GATE_FAILED = 1;
    private static final int WRONG_INPUT = 2;

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Benchmarks to run (default: all).")
    private List<String> names = new ArrayList<>();

    @Option(names = "--list", description = "List the benchmarks and the question that each answers.")
    private boolean list;

    @Option(names = "--param", paramLabel = "NAME=VALUE", description = "Only these values of a parameter, separated "
        + "by commas; can be given several times.")
    private Map<String, String> params = new LinkedHashMap<>();

    @Option(names = "--full", description = "Run all forks and iterations, for results to keep.")
    private boolean full;

    @Option(names = "--out", paramLabel = "FILE", description = "Write the results to this new file, as JMH JSON.")
    private Path out;

    @Option(names = "--profile", paramLabel = "PROFILER", split = ",", description = "Attach profilers of JMH, for "
        + "example stack, jfr:dir=DIR, comp, perfnorm.")
    private List<String> profilers = new ArrayList<>();

    @Option(names = "--gate", description = "Check the ratios in the file of gates; exit code 1 if one fails twice.")
    private boolean gate;

    @Option(names = "--gates", paramLabel = "FILE", description = "File of gates (default: bench/gates.txt).")
    private Path gates = Path.of(System.getProperty("skerry.home", "."), "bench", "gates.txt");

    @Option(names = "--verbose", description = "On error, print a stack trace.")
    private boolean verbose;

    private final BenchmarkCatalogue catalogue = new BenchmarkCatalogue();

    private Bench() {
    }

    public static void main(final String[] arguments) {
        System.exit(execute(new PrintWriter(System.out, true), new PrintWriter(System.err, true), arguments));
    }

    static int execute(final PrintWriter out, final PrintWriter err, final String... arguments) {
        // JMH's lock would stop a second run on this machine with an error. Without it both run, and each disturbs the
        // other.
        System.setProperty("jmh.ignoreLock", "true");
        final Bench bench = new Bench();
        return new CommandLine(bench).setOut(out).setErr(err).setUsageHelpWidth(100)
            .setParameterExceptionHandler((e, args) -> bench.failed(err, WRONG_INPUT, "skerry: command line: bench: "
                + e.getMessage() + ", see './skerry bench --help'", e))
            .setExecutionExceptionHandler((e, command, parsed) -> e instanceof InputException
                ? bench.failed(err, WRONG_INPUT, e.getMessage(), e)
                : bench.failed(err, GATE_FAILED, "skerry: bench: internal error: " + e + ", please report it with the "
                    + "command line and --verbose", e))
            .execute(arguments);
    }

    private int failed(final PrintWriter err, final int code, final String line, final Exception failure) {
        err.println(line.replaceAll("\\p{Cntrl}+", " "));
        if (verbose) {
            failure.printStackTrace(err);
        }
        err.flush();
        return code;
    }

    @Override
    public Integer call() {
        final PrintWriter text = out();
        final PrintWriter progress = err();
        final List<Class<?>> chosen = catalogue.named(names);
        if (list) {
            for (final Class<?> type : chosen) {
                final Compare compare = BenchmarkCatalogue.compare(type);
                text.printf("%-24s %s%n%-24s %s beside %s%n", type.getSimpleName(), compare.question(), "",
                    compare.ours(), String.join(", ", compare.baselines()));
            }
            text.flush();
            return 0;
        }
        if (gate) {
            final List<Gates.Gate> all = Gates.Gate.read(gates, catalogue).stream()
                .filter(one -> chosen.contains(one.type())).toList();
            return new Gates(new Session(Session.Effort.GATE, profilers, progress), text).hold(all) ? 0 : GATE_FAILED;
        }
        Choices.refuseIf(out != null && Files.exists(out), "--out", out, "it exists", "give another name or remove it");
        return run(chosen, text, progress);
    }

    private int run(final List<Class<?>> chosen, final PrintWriter text, final PrintWriter progress) {
        final Session session = new Session(full ? Session.Effort.FULL : Session.Effort.SHORT, profilers, progress);
        final Map<String, String[]> values = new LinkedHashMap<>();
        params.forEach((name, value) -> values.put(name, value.split(",")));
        final List<RunResult> results = new ArrayList<>();
        for (final Class<?> type : chosen) {
            final List<RunResult> some = List.copyOf(session.run(type, List.of(), values));
            results.addAll(some);
            Row.print(text, type, some.stream().map(result -> Row.of(type, result)).toList());
        }
        if (out != null) {
            write(results);
        }
        return 0;
    }

    private void write(final List<RunResult> results) {
        try {
            WholeFile.write(out, to -> {
                final PrintStream stream = new PrintStream(to, false, StandardCharsets.UTF_8);
                ResultFormatFactory.getInstance(ResultFormatType.JSON, stream).writeOut(results);
                if (stream.checkError()) {
                    throw new IOException("its disk may be full");
                }
            });
        } catch (final IOException e) {
            throw InputException.notWritten("--out", out, e, "give another file");
        }
    }
}
