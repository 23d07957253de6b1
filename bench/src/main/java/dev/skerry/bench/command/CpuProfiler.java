package dev.skerry.bench.command;

import com.sun.management.ThreadMXBean;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;

/**
 * Processor time of an operation, of all Java threads that are there before and after an iteration, compiler and
 * collector left out. On a machine with other work the time on the clock counts the waiting too, and a ratio of two
 * such times is worth little; this one it hardly touches. It is taken thread by thread, as the time of a whole process
 * comes in steps of 10 ms. JMH makes it in the forked process.
 */
public final class CpuProfiler implements InternalProfiler {
    /** What the result is called. */
    public static final String LABEL = "cpu";

    private final ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private long[] ids;
    private long[] before;

    /** By JMH. */
    public CpuProfiler() {
    }

    @Override
    public String getDescription() {
        return "Processor time of an operation";
    }

    @Override
    public void beforeIteration(final BenchmarkParams benchmark, final IterationParams iteration) {
        ids = threads.getAllThreadIds();
        before = threads.getThreadCpuTime(ids);
    }

    @Override
    public Collection<? extends Result> afterIteration(final BenchmarkParams benchmark,
        final IterationParams iteration, final IterationResult result) {
        final long[] after = threads.getThreadCpuTime(ids);
        long used = 0;
        for (int i = 0; i < ids.length; i++) {
            // -1 of a thread that is gone.
            used += Math.max(0, after[i] - before[i]);
        }
        final long operations = result.getMetadata().getAllOps();
        return operations == 0 ? List.of()
            : List.of(new ScalarResult(LABEL, (double) used / operations, "ns/op", AggregationPolicy.AVG));
    }
}
