package dev.skerry.bench.queue;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.dataplane.pieo.PieoList;
import dev.skerry.dataplane.pieo.PieoTournament;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.Iterator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongToIntFunction;

/**
 * The cost of an operation of a PIEO with {@code size} elements of random rank. Enqueues and dequeues alternate; if no
 * element leaves, none is enqueued. Time advances by one with each dequeue. At the end every element must have left
 * once, and none before its time.
 */
@Compare(question = "an enqueue or dequeue of a PIEO", unit = "operation",
    by = "pieo", ours = "tournament", baselines = {"two-heaps", "tree-map", "reference"})
public class PieoBenchmark extends PerOperation {
    private static final int PAIRS = 1024;
    private static final int RANKS = 1 << 16;
    private static final long LATE = 3L << 30;

    /**
     * The fast form; the hardware's structure; a heap by time beside one by rank; or a tree map by rank, which is
     * searched for the first eligible element.
     */
    @Param({"tournament", "reference", "two-heaps", "tree-map"})
    public String pieo;

    /** Elements held. */
    @Param({"64", "1024", "30000"})
    public int size;

    /**
     * The elements that may leave: all; each after a random wait of up to {@code size} dequeues; none; only the last in
     * order.
     */
    @Param({"eligible", "waiting", "none", "late"})
    public String when;

    private final int[] ranks = new int[RANKS];
    private Arena arena;
    private PieoSubject subject;
    private long now;
    private int drawn;
    private long entered;
    private long left;
    /** Time from which each element may leave, by id; ids are reused after elements leave. */
    private long[] times;
    private long wait;
    private boolean stays;

    /** Fills the PIEO. */
    @Setup(Level.Trial)
    public void fill() {
        final SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < RANKS; i++) {
            ranks[i] = random.nextInt(1 << 16);
        }
        arena = Arena.ofShared();
        subject = PieoSubject.of(pieo, arena, size);
        times = new long[size];
        wait = when.equals("waiting") ? size : 0;
        stays = when.equals("none") || when.equals("late");
        for (int id = 0; id < size; id++) {
            enqueue(id);
        }
        if (when.equals("none") && subject.dequeue.applyAsInt(0) != 0) {
            throw new IllegalStateException("the only element that may leave does not");
        }
        entered = when.equals("none") ? size - 1 : size;
        left = 0;
    }

    private void enqueue(final int id) {
        final int random = ranks[drawn++ & RANKS - 1];
        final boolean last = id == 0;
        times[id] = stays & !last ? LATE : now + (random * wait >>> 16);
        // In another order, so that rank and wait are independent.
        subject.enqueue.of(id, stays & last ? RANKS : ranks[drawn * 5 & RANKS - 1], times[id]);
    }

    /** Takes out all remaining elements and checks that none was lost or came twice. */
    @TearDown(Level.Trial)
    public void drain() {
        final boolean[] seen = new boolean[size];
        long rest = 0;
        for (int id = subject.dequeue.applyAsInt(LATE); id >= 0; id = subject.dequeue.applyAsInt(LATE)) {
            if (seen[id]) {
                throw new IllegalStateException("held twice: id=" + id);
            }
            seen[id] = true;
            rest++;
        }
        if (entered - left != rest) {
            throw new IllegalStateException("lost: entered=" + entered + " left=" + left + " held=" + rest);
        }
        arena.close();
    }

    /** Runs a thousand pairs of operations. */
    @Benchmark
    @OperationsPerInvocation(2 * PAIRS)
    public long operation() {
        if (when.equals("none")) {
            return look();
        }
        long gone = 0;
        int tries = 0;
        while (gone < PAIRS) {
            final int id = subject.dequeue.applyAsInt(++now);
            if (id < 0) {
                if (++tries > 4 * (size + PAIRS)) {
                    throw new IllegalStateException("nothing ever leaves: now=" + now);
                }
                continue;
            }
            if (times[id] > now) {
                throw new IllegalStateException("too early: id=" + id + " now=" + now + " time=" + times[id]);
            }
            enqueue(id);
            gone++;
        }
        entered += gone;
        left += gone;
        if (now > LATE - 2 * RANKS) {
            throw new IllegalStateException("time is over: now=" + now);
        }
        return gone;
    }

    private long look() {
        // No element may leave before LATE: the time restarts before it is reached.
        now = now + 2 * PAIRS < LATE ? now : 0;
        for (int i = 0; i < 2 * PAIRS; i++) {
            if (subject.dequeue.applyAsInt(++now) >= 0) {
                throw new IllegalStateException("left before its time: now=" + now);
            }
        }
        return now;
    }

    /** A PIEO for the benchmark. Each fork loads one implementation, so that the calls stay monomorphic. */
    private record PieoSubject(Enqueue enqueue, LongToIntFunction dequeue) {
        private static final int NONE = -1;
        private static final int RANK_BITS = 17;
        private static final int TIME_BITS = 32;

        @FunctionalInterface
        private interface Enqueue {
            void of(int id, long rank, long sendTime);
        }

        static PieoSubject of(final String name, final Arena arena, final int size) {
            final PieoLayout layout = new PieoLayout(size, 16, RANK_BITS, TIME_BITS);
            return switch (name) {
                case "tournament" -> {
                    final PieoTournament pieo = new PieoTournament(arena, layout);
                    yield new PieoSubject(pieo::enqueue, now -> pieo.dequeue(now) == Pieo.DONE ? pieo.id() : NONE);
                }
                case "reference" -> {
                    final Pieo pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
                    yield new PieoSubject(pieo::enqueue, now -> pieo.dequeue(now) == Pieo.DONE ? pieo.id() : NONE);
                }
                case "tree-map" -> tree();
                case "two-heaps" -> heaps();
                default -> throw new IllegalArgumentException("no such PIEO: pieo=" + name);
            };
        }

        /**
         * Elements in a heap by time until they are eligible, then in one by rank and arrival. Time must not go back.
         */
        private static PieoSubject heaps() {
            final PriorityQueue<PieoList.Element> waiting =
                new PriorityQueue<>(Comparator.comparingLong(PieoList.Element::sendTime));
            final PriorityQueue<PieoList.Element> eligible =
                new PriorityQueue<>(Comparator.comparingLong(PieoList.Element::rank));
            final long[] arrival = {0};
            return new PieoSubject((id, rank, sendTime) -> waiting.add(
                new PieoList.Element(id, rank << Long.SIZE - 1 - RANK_BITS | arrival[0]++, sendTime)),
                now -> {
                    while (!waiting.isEmpty() && waiting.peek().sendTime() <= now) {
                        eligible.add(waiting.poll());
                    }
                    return eligible.isEmpty() ? NONE : eligible.poll().id();
                });
        }

        /** A tree map with rank and arrival in one key; takes the first eligible entry in order. */
        private static PieoSubject tree() {
            final TreeMap<Long, PieoList.Element> tree = new TreeMap<>();
            final long[] arrival = {0};
            return new PieoSubject((id, rank, sendTime) ->
                tree.put(rank << Long.SIZE - 1 - RANK_BITS | arrival[0]++, new PieoList.Element(id, rank, sendTime)),
                now -> {
                    final Iterator<PieoList.Element> elements = tree.values().iterator();
                    while (elements.hasNext()) {
                        final PieoList.Element element = elements.next();
                        if (element.sendTime() <= now) {
                            elements.remove();
                            return element.id();
                        }
                    }
                    return NONE;
                });
        }
    }
}
