package dev.skerry.bench.command;

import dev.skerry.tools.input.InputException;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Runs benchmarks with JMH. Every fork gets the JVM settings of the launcher, so that all results of a session are
 * comparable.
 */
final class Session {
    private static final String[] JVM = {
        "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "-XX:+UseParallelGC", "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:+UseTransparentHugePages", "-XX:FreqInlineSize=150",
        "-XX:Tier4BackEdgeThreshold=400000", "-XX:Tier4MinInvocationThreshold=100",
        "-XX:Tier4InvocationThreshold=100000", "-XX:Tier4CompileThreshold=300000"};

    private final Effort effort;
    private final List<String> profilers;
    private final PrintWriter progress;

    /**
     * The length of a measurement.
     *
     * @param forks number of forks; 0 for the settings of the class.
     * @param warmUps iterations before the measured ones.
     * @param warmUpMs duration of each, ms.
     * @param measurements measured iterations.
     * @param measurementMs duration of each, ms.
     */
    record Effort(int forks, int warmUps, int warmUpMs, int measurements, int measurementMs) {
        /** The settings of the annotations of the class. */
        static final Effort FULL = new Effort(0, 0, 0, 0, 0);
        /** A few seconds for each result. */
        static final Effort SHORT = new Effort(1, 4, 400, 5, 300);
        /** For gates, which use the best of many short iterations of two forks. */
        static final Effort GATE = new Effort(2, 4, 250, 6, 150);
        /** For gates that failed: a slow machine needs a longer warm-up. */
        static final Effort AGAIN = new Effort(2, 4, 1500, 6, 150);
    }

    Session(final Effort effort, final List<String> profilers, final PrintWriter progress) {
        this.effort = effort;
        this.profilers = profilers;
        this.progress = progress;
    }

    /** Returns this session with another effort. */
    Session with(final Effort other) {
        return new Session(other, profilers, progress);
    }

    /**
     * Runs the methods of a class.
     *
     * @param methods names of the methods; empty for all.
     * @param params values of parameters, by name; a parameter without an entry takes all values that the class lists.
     */
    Collection<RunResult> run(final Class<?> type, final List<String> methods, final Map<String, String[]> params) {
        progress.println("running " + type.getSimpleName() + (methods.isEmpty() ? "" : " " + methods));
        progress.flush();
        final ChainedOptionsBuilder options = new OptionsBuilder()
            .include("^" + Pattern.quote(type.getName()) + "\\."
                + (methods.isEmpty() ? ".*" : "(" + String.join("|", methods) + ")") + "$")
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true)
            .jvmArgsPrepend(JVM)
            .addProfiler(GCProfiler.class)
            .addProfiler(CpuProfiler.class);
        params.forEach(options::param);
        for (final String profiler : profilers) {
            final int colon = profiler.indexOf(':');
            if (colon < 0) {
                options.addProfiler(profiler);
            } else {
                options.addProfiler(profiler.substring(0, colon), profiler.substring(colon + 1));
            }
        }
        if (effort.forks > 0) {
            options.forks(effort.forks)
                .warmupIterations(effort.warmUps).warmupTime(TimeValue.milliseconds(effort.warmUpMs))
                .measurementIterations(effort.measurements)
                .measurementTime(TimeValue.milliseconds(effort.measurementMs));
        }
        try {
            return new Runner(options.build()).run();
        } catch (final RunnerException e) {
            final Throwable cause = first(e);
            if (cause instanceof final IllegalStateException wrong) {
                // A check of the benchmark failed, which is not an error of the user.
                throw new IllegalStateException(type.getSimpleName() + ": " + wrong.getMessage(), e);
            }
            throw new InputException("bench", type.getSimpleName(),
                String.valueOf(cause.getMessage()).strip().replaceAll("\\s*\\R\\s*", " "),
                "see './skerry bench --list' and './skerry bench --help'");
        }
    }

    /** Returns the root cause. JMH wraps the failure of a fork and keeps it among the suppressed exceptions. */
    private static Throwable first(final Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null || at.getSuppressed().length > 0) {
            at = at.getCause() != null ? at.getCause() : at.getSuppressed()[0];
        }
        return at;
    }
}
