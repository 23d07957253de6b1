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
 * CPU time per operation, summed over all Java threads that exist before and after an iteration, without compiler
 * and collector. On a busy machine, clock time includes waiting, and a ratio of two clock times means little; processor
 * time hardly changes. It is read thread by thread, because the time of a whole process comes in steps of 10 ms. JMH
 * creates the profiler in the forked process.
 */
public final class CpuProfiler implements InternalProfiler {
    /** Name of the result. */
    public static final String LABEL = "cpu";

    private final ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private long[] ids;
    private long[] before;

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
            // The time is -1 for a thread that has ended.
            used += Math.max(0, after[i] - before[i]);
        }
        final long operations = result.getMetadata().getAllOps();
        return operations == 0 ? List.of()
            : List.of(new ScalarResult(LABEL, (double) used / operations, "ns/op", AggregationPolicy.AVG));
    }
}
