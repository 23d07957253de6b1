package dev.skerry.bench.nic;

import dev.skerry.bench.Compare;
import dev.skerry.bench.PerOperation;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.CongestionControl.Requests;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.agrona.collections.Long2LongHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The cost of a token that is requested, spent and later returned, with the active buckets kept (Shale §3.3.2). Links
 * of many nodes are visited in turn, a block of nodes together, as in a slot; three tokens of each link are always
 * spent. The time is per token. The baseline keeps the same counts in hash maps of primitive longs (Agrona). At the end
 * every token has been returned, and one more would be refused.
 */
@Compare(question = "a token asked for, spent and taken back", unit = "token",
    ours = "ledger", baselines = "hashMaps")
public class TokenBenchmark extends PerOperation {
    private static final int OUT = 3;
    private static final int TOKENS = 1024;
    private static final int SPILL = 1 << 16;

    /** Nodes whose links are visited in turn, with h = 2. */
    @Param({"64", "1024"})
    public int nodes;

    private Arena arena;
    private HopByHop tokens;
    private Long2LongHashMap out;
    private Long2LongHashMap active;
    /** Tokens spent so far with the ledger and with the maps; a fork uses only one of the two. */
    private long turn;
    private long mapTurn;
    private int visits;
    private int block;
    private CellBatch joined;
    /** By node of a block: the token that returns, the cell that requests one, and whether it got one. */
    private long[] feedback;
    private Requests asks;
    /** All nodes of a block. */
    private int[] all;

    /** Spends three tokens on each link. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofShared();
        final Phased schedule = new Phased(2, 32);
        final Shale shale =
            new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 4, 89, 1);
        visits = nodes * schedule.epochSlots();
        tokens = new HopByHop(arena, shale, nodes, new SpillPool(arena, SPILL));
        out = new Long2LongHashMap(4 * OUT * visits, 0.5f, 0);
        active = new Long2LongHashMap(4 * OUT * visits, 0.5f, 0);
        block = CellBatch.block(nodes);
        joined = new CellBatch(block);
        feedback = new long[block];
        asks = new Requests(block);
        all = IntStream.range(0, block).toArray();
        Arrays.fill(asks.waiting(), 1);
        for (turn = 0; turn < (long) OUT * visits; turn += block) {
            spend(turn);
        }
        for (mapTurn = 0; mapTurn < turn; mapTurn++) {
            spendInMaps(mapTurn);
        }
    }

    /** Returns every token. */
    @TearDown(Level.Trial)
    public void close() {
        for (long back = turn - (long) OUT * visits; back < turn; back++) {
            tokens.onNotice(queue(back), queue(back) % nodes, Route.bucket(entry(back)));
        }
        for (int node = 0; node < nodes; node++) {
            if (tokens.maxActiveBuckets(node) < 1) {
                throw new IllegalStateException("buckets were not counted: node=" + node);
            }
        }
        if (out.size() != OUT * visits) {
            throw new IllegalStateException("the maps hold " + out.size() + " tokens, not " + OUT * visits);
        }
        tokens.onNotice(0, 0, Route.bucket(entry(turn)));
        if (tokens.anomalies() != 1) {
            throw new IllegalStateException("tokens too many: " + tokens.anomalies() + ", not the one at the end");
        }
        arena.close();
    }

    private int queue(final long at) {
        return (int) (at % visits);
    }

    /** Tokens of a link that are spent at the same time are of different buckets. */
    private long entry(final long at) {
        final int destination = (int) (at / visits % 1021);
        return Route.queued(Route.first(destination, 1, 0), 0, false, 0);
    }

    /** A cell of each queue of a block leaves, the next arrives, and the oldest token of each link returns. */
    private void spend(final long at) {
        final int first = queue(at) % nodes;
        final long entry = entry(at);
        joined.clear();
        for (int i = 0; i < block; i++) {
            joined.add(first + i, 0, queue(at) + i, entry);
            asks.oldest()[i] = (int) entry;
        }
        tokens.trySpend(queue(at), all, block, asks);
        for (int i = 0; i < block; i++) {
            if (asks.paid()[i] == 0) {
                throw new IllegalStateException("no token left: turn=" + (at + i));
            }
        }
        final long back = at - (long) OUT * visits;
        Arrays.fill(feedback, back < 0 ? InFlightCells.NO_FEEDBACK : -1L << Integer.SIZE | Route.bucket(entry(back)));
        tokens.onReceive(queue(at), first, all, back < 0 ? 0 : block, joined, feedback);
    }

    private void spendInMaps(final long at) {
        final int queue = queue(at);
        final int bucket = Route.bucket(entry(at));
        final long activeKey = (long) (queue % nodes) << 32 | bucket;
        active.put(activeKey, active.get(activeKey) + 1);
        final long key = (long) queue << 32 | bucket;
        if (out.get(key) >= 1) {
            throw new IllegalStateException("no token left: turn=" + at);
        }
        out.put(key, 1);
    }

    /** Our ledger: the entries of a link are compared all at once, active buckets are noted and counted later. */
    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public void ledger() {
        for (int done = 0; done < TOKENS; done += block) {
            spend(turn);
            turn += block;
        }
    }

    /** Two maps of primitives. */
    @Benchmark
    @OperationsPerInvocation(TOKENS)
    public void hashMaps() {
        for (int i = 0; i < TOKENS; i++) {
            final long back = mapTurn - (long) OUT * visits;
            final int queue = queue(back);
            final int bucket = Route.bucket(entry(back));
            out.remove((long) queue << 32 | bucket);
            final long activeKey = (long) (queue % nodes) << 32 | bucket;
            final long left = active.get(activeKey) - 1;
            if (left == 0) {
                active.remove(activeKey);
            } else {
                active.put(activeKey, left);
            }
            spendInMaps(mapTurn++);
        }
    }
}
