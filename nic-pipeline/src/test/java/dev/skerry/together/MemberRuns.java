package dev.skerry.together;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Members of a fabric in this process. */
public final class MemberRuns {
    private MemberRuns() {
    }

    /** What each of some members does, each on a thread of its own. */
    public static <T> List<T> of(final int members, final Function<MemoryExchange, T> member) {
        try (ExecutorService threads = Executors.newFixedThreadPool(members)) {
            final List<Future<T>> running = new ArrayList<>();
            for (final MemoryExchange exchange : MemoryExchange.of(members)) {
                running.add(threads.submit(() -> {
                    try {
                        return member.apply(exchange);
                    } catch (final Throwable failure) {
                        exchange.abort(exchange.member(), failure.toString());
                        throw failure;
                    }
                }));
            }
            final List<T> all = new ArrayList<>();
            for (final Future<T> each : running) {
                all.add(each.get());
            }
            return all;
        } catch (final InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
