package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.fabric.shale.Shale;

import java.lang.foreign.Arena;

/**
 * A fabric run in lock step: every slot all nodes send, the circuits permute, all nodes receive (design decision 3).
 * Workers share out the nodes. A cell is seen its propagation delay after it was sent, so workers need to meet only
 * once in that many slots; with no delay, once between sending and receiving.
 *
 * <p>The result depends on the fabric, the flows and the seed alone, never on the number of workers. One thread builds,
 * runs and closes it; {@link #run} starts the other workers and has joined them when it returns.
 */
public final class LockStep implements AutoCloseable {
    /** Cells under way that a checked run has room for, and the bytes of each that are written and compared. */
    private static final int CHECKED_CELLS = 1 << 18;
    private static final int CHECKED_BYTES = 240;

    private final Arena arena = Arena.ofShared();
    private final Shale shale;
    private final FlowSet flows;
    private final Region flowTable;
    private final NicBank[] banks;
    private final Timeline[] timelines;
    private final SlotBarrier barrier;
    private final Audit audit;
    private final boolean check;
    private final long cellsOfFlows;
    private final long[][] completed;
    private final long[][] delivered;
    private final long[][] lost;
    private final boolean[] goOn = new boolean[2];
    private long slots;
    private long held;

    /**
     * A fabric at slot 0.
     *
     * @param shale   the fabric.
     * @param flows   what is sent across it.
     * @param workers threads that share the nodes, 1 or more; no more than there are nodes are used.
     * @param check   whether every invariant is checked in every slot, and every payload end to end.
     */
    public LockStep(final Shale shale, final FlowSet flows, final int workers, final boolean check) {
        this.shale = shale;
        this.flows = flows;
        final int count = Math.min(workers, shale.nodes());
        final CellLink link = new CellLink(arena, shale.nodes(), window(shale));
        this.flowTable = Reassembler.flowTable(arena, flows.size());
        this.banks = new NicBank[count];
        this.timelines = new Timeline[count];
        final SlabPayload[] payload = check
            ? SlabPayload.stores(arena, count, CHECKED_CELLS / Integer.highestOneBit(count), CHECKED_BYTES) : null;
        for (int w = 0; w < count; w++) {
            banks[w] = new NicBank(arena, NodeRange.share(shale.nodes(), w, count), shale, flows, flowTable, link,
                check ? payload[w] : new NoPayload());
            timelines[w] = new Timeline();
        }
        this.barrier = new SlotBarrier(arena, count);
        this.audit = new Audit(shale, banks, link);
        this.check = check;
        this.completed = new long[2][count];
        this.delivered = new long[2][count];
        this.lost = new long[2][count];
        this.cellsOfFlows = cellsOf(flows);
    }

    /** Bytes of off-heap memory that a fabric takes at the start. */
    public static long bytes(final Shale shale, final FlowSet flows) {
        return NicBank.bytes(shale, shale.nodes(), flows.size()) + CellLink.bytes(shale.nodes(), window(shale))
            + Reassembler.flowTableBytes(flows.size());
    }

    /** Sees a run go by. */
    @FunctionalInterface
    public interface Watch {
        /**
         * Called by the thread that runs, between slots.
         *
         * @param slot      slots done.
         * @param delivered cells delivered, a little behind.
         * @param completed flows completed, a little behind.
         * @return whether the run is to go on.
         */
        boolean onProgress(long slot, long delivered, long completed);
    }

    /**
     * Runs until an end. Called once.
     *
     * @param slotLimit slots of the run, 0 to run until every cell has arrived or is lost. What is in flight at the end
     *                  still arrives: the fabric goes on for the propagation delay, sending too, as the authors'
     *                  simulator does (spec/shale §11).
     * @param watch     sees the run go by.
     * @throws IllegalStateException if an invariant is broken; the message says which, where and when.
     */
    public void run(final long slotLimit, final Watch watch) {
        work(slotLimit == 0 ? Long.MAX_VALUE : slotLimit + shale.propagationSlots(), watch);
        held = slots == 0 ? 0 : audit.conserve(slots - 1);
        slots = slotLimit == 0 ? lastCompletion() : Math.min(slots, slotLimit);
    }

    /**
     * Goes on by some slots, or to the end of the last flow; for those who step a fabric themselves.
     *
     * @param more slots to go.
     * @throws IllegalStateException if an invariant is broken.
     */
    public void advance(final long more) {
        work(slots + more, (slot, delivered, done) -> true);
    }

    private void work(final long limit, final Watch watch) {
        final long from = slots;
        final Thread[] threads = new Thread[banks.length];
        for (int w = 1; w < banks.length; w++) {
            final int worker = w;
            threads[w] = Thread.ofPlatform().name("skerry-worker-" + w).daemon()
                .start(() -> guard(worker, from, limit, watch));
        }
        guard(0, from, limit, watch);
        for (int w = 1; w < banks.length; w++) {
            join(threads[w]);
        }
        if (barrier.failure() != null) {
            throw new IllegalStateException(barrier.failure().getMessage(), barrier.failure());
        }
    }

    /** The value of a counter, over all nodes; not while the fabric runs. */
    public long count(final NicCounter counter) {
        long sum = 0;
        for (final NicBank bank : banks) {
            sum += bank.count(counter);
        }
        return sum;
    }

    /** What came of the run. */
    public Outcome outcome() {
        return Outcome.of(shale, flows, flowTable, banks, timelines, slots, held);
    }

    /** Frees the memory; no worker may be running. */
    @Override
    public void close() {
        arena.close();
    }

    private static int window(final Shale shale) {
        return Math.max(2 * shale.propagationSlots(), 2);
    }

    private void guard(final int worker, final long from, final long limit, final Watch watch) {
        try {
            work(worker, from, limit, watch);
        } catch (final Throwable failure) {
            barrier.abort(failure);
        }
    }

    private void work(final int worker, final long from, final long limit, final Watch watch) {
        final NicBank bank = banks[worker];
        final long batch = check ? 1 : Math.max(shale.propagationSlots(), 1);
        long slot = from;
        for (int parity = 0;; parity ^= 1) {
            for (final long end = Math.min(slot + batch, limit); slot < end; slot++) {
                if (!step(bank, worker, slot)) {
                    return;
                }
            }
            // Written before the barrier, read after it; the other parity is written before the next one.
            completed[parity][worker] = bank.count(NicCounter.FLOWS_COMPLETED);
            delivered[parity][worker] = bank.count(NicCounter.CELLS_DELIVERED);
            lost[parity][worker] = bank.count(NicCounter.DROPPED_NO_LINK);
            if (worker == 0) {
                goOn[parity] = watch.onProgress(slot, sum(delivered[parity ^ 1]), sum(completed[parity ^ 1]));
                slots = slot;
            }
            if (!barrier.await()) {
                return;
            }
            if (!goOn[parity] || slot >= limit || sum(delivered[parity]) + sum(lost[parity]) == cellsOfFlows) {
                return;
            }
        }
    }

    private boolean step(final NicBank bank, final int worker, final long slot) {
        bank.send(slot);
        if ((shale.propagationSlots() == 0 || check) && !barrier.await()) {
            return false;
        }
        final long before = bank.count(NicCounter.CELLS_DELIVERED);
        bank.receive(slot);
        timelines[worker].add(slot, bank.count(NicCounter.CELLS_DELIVERED) - before);
        if (!check) {
            return true;
        }
        if (!barrier.await()) {
            return false;
        }
        if (worker == 0) {
            audit.check(slot);
        }
        return barrier.await();
    }

    /** The slot after the last completion, if that was the end; else what was run. */
    private long lastCompletion() {
        if (count(NicCounter.FLOWS_COMPLETED) < flows.size()) {
            return slots;
        }
        long last = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            last = Math.max(last, Reassembler.completedBefore(flowTable, flow));
        }
        return last;
    }

    /** Cells of all flows together, more than can ever arrive if one of them is endless. */
    private static long cellsOf(final FlowSet flows) {
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            cells += flows.cells(flow) == FlowSet.ENDLESS ? Long.MAX_VALUE >>> 32 : flows.cells(flow);
        }
        return cells;
    }

    private static long sum(final long[] values) {
        long sum = 0;
        for (final long value : values) {
            sum += value;
        }
        return sum;
    }

    private static void join(final Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
