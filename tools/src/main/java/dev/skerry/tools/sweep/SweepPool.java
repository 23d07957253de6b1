package dev.skerry.tools.sweep;

import dev.skerry.tools.input.StopSignal;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.ToLongFunction;

/** Runs what is not finished, as many at a time as there are jobs and memory. One thread; the runs are processes. */
final class SweepPool {
    private static final long POLL_MS = 20;

    private final SweepStore store;
    private final String version;
    private final int jobs;
    private final long memory;
    private final ToLongFunction<SweepPoint> bytes;
    private final SweepTarget target;
    private final String child;
    private final List<SweptRun> running = new ArrayList<>();
    private int failed;

    /**
     * A pool.
     *
     * @param jobs   processes at a time.
     * @param memory bytes that they may take together.
     * @param bytes  that a run takes.
     * @param target whose commands run.
     * @param child  the class that runs a command until its input ends.
     */
    SweepPool(final SweepStore store, final String version, final int jobs, final long memory,
        final ToLongFunction<SweepPoint> bytes, final SweepTarget target, final String child) {
        this.store = store;
        this.version = version;
        this.jobs = jobs;
        this.memory = memory;
        this.bytes = bytes;
        this.target = target;
        this.child = child;
    }

    /**
     * Runs them until all have ended or the user stops it; then no process is left.
     *
     * @return runs that failed.
     */
    int run(final List<SweepPoint> points, final StopSignal stop, final PrintWriter err, final boolean terminal)
        throws IOException, InterruptedException {
        final Deque<SweepPoint> left = new ArrayDeque<>(points);
        left.removeIf(point -> store.has(point.id()));
        final int before = points.size() - left.size();
        final SweepProgress progress = new SweepProgress(err, terminal, points.size(), before, System::nanoTime);
        try {
            while (!stop.requested() && (!left.isEmpty() || !running.isEmpty())) {
                boolean news = keepSome(err);
                news |= startSome(left);
                if (news) {
                    progress.show(points.size() - left.size() - running.size() - failed, running.size(), failed);
                }
                Thread.sleep(POLL_MS);
            }
        } finally {
            running.forEach(SweptRun::kill);
            progress.end();
        }
        return failed;
    }

    private boolean startSome(final Deque<SweepPoint> left) throws IOException {
        boolean some = false;
        while (!left.isEmpty() && running.size() < jobs) {
            final long next = bytes.applyAsLong(left.getFirst());
            if (!running.isEmpty() && running.stream().mapToLong(SweptRun::bytes).sum() + next > memory) {
                break;
            }
            final SweepPoint point = left.removeFirst();
            running.add(SweptRun.start(point, next, store.begin(point.id()),
                target.keeping(point.command(), store.kept()), child));
            some = true;
        }
        return some;
    }

    private boolean keepSome(final PrintWriter err) throws IOException {
        boolean some = false;
        for (final Iterator<SweptRun> runs = running.iterator(); runs.hasNext();) {
            final SweptRun run = runs.next();
            if (run.isOver()) {
                runs.remove();
                some = true;
                final String failure = run.keep(store, version);
                if (failure != null) {
                    failed++;
                    err.println("skerry: sweep: " + run.point().line() + ": " + failure);
                }
            }
        }
        return some;
    }
}
