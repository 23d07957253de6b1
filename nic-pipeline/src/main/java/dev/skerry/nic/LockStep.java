package dev.skerry.nic;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fault.Faults;

import java.lang.foreign.Arena;

/**
 * A fabric run in lock step: every slot all nodes send, the circuits permute, all nodes receive (design decision 3).
 * Workers share out the nodes. A cell is seen its propagation delay after it was sent, so workers need to meet only
 * once in that many slots; with no delay, once between sending and receiving.
 *
 * <p>The result depends on the fabric, the flows and the seed alone, never on the number of workers. One thread builds,
 * runs and closes it; {@link #run} starts the other workers and has joined them when it returns.
 */
public final class LockStep implements Engine {
    private final Fabric fabric;
    private final Assembly assembly;
    private final SlotBarrier barrier;
    private final boolean check;
    private final long cellsOfFlows;
    private final long[][] completed;
    private final long[][] delivered;
    private final long[][] settled;
    private final boolean[] goOn = new boolean[2];
    private long slots;
    private long held;

    /** A fabric at slot 0 in which nothing ever fails. */
    public LockStep(final Fabric fabric, final FlowSet flows, final int workers, final boolean check) {
        this(fabric, flows, Faults.NONE, workers, check);
    }

    /**
     * A fabric at slot 0.
     *
     * @param fabric  the fabric.
     * @param flows   what is sent across it.
     * @param faults  what goes wrong with it.
     * @param workers threads that share the nodes, 1 or more; no more than there are nodes are used.
     * @param check   whether every invariant is checked in every slot, and every payload end to end; Shoal with faults
     *                or traffic classes carries none.
     * @throws IllegalArgumentException if the fabric has not the nodes of the faults, or not what the flows ask for.
     */
    public LockStep(final Fabric fabric, final FlowSet flows, final Faults faults, final int workers,
        final boolean check) {
        final Assembly.Traffic traffic = new Assembly.Traffic(flows, faults);
        Assembly.check(fabric, traffic);
        this.fabric = fabric;
        final Arena arena = Arena.ofShared();
        final NodeRange[] ranges = Assembly.shares(fabric, workers);
        this.assembly = new Assembly(arena, fabric, traffic, ranges, window(fabric),
            (bank, link) -> Circuits.scheduled(fabric, link), check);
        this.barrier = new SlotBarrier(arena, ranges.length);
        this.check = check;
        this.completed = new long[2][ranges.length];
        this.delivered = new long[2][ranges.length];
        this.settled = new long[2][ranges.length];
        this.cellsOfFlows = assembly.cellsOfFlows();
    }

    /** Bytes of off-heap memory that a fabric takes at the start. */
    public static long bytes(final Fabric fabric, final FlowSet flows) {
        return bytes(fabric, flows, Faults.NONE);
    }

    /** Bytes of off-heap memory that a fabric takes at the start in which something goes wrong. */
    public static long bytes(final Fabric fabric, final FlowSet flows, final Faults faults) {
        return Assembly.bytes(fabric, new Assembly.Traffic(flows, faults), window(fabric));
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        work(slotLimit == 0 ? Long.MAX_VALUE : slotLimit + fabric.propagationSlots(), watch);
        held = slots == 0 ? 0 : assembly.audit().conserve(slots - 1);
        slots = slotLimit == 0 ? assembly.lastCompletion(slots) : Math.min(slots, slotLimit);
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
        final Thread[] threads = new Thread[assembly.banks()];
        for (int w = 1; w < assembly.banks(); w++) {
            final int worker = w;
            threads[w] = Thread.ofPlatform().name("skerry-worker-" + w).daemon()
                .start(() -> guard(worker, from, limit, watch));
        }
        guard(0, from, limit, watch);
        for (int w = 1; w < assembly.banks(); w++) {
            join(threads[w]);
        }
        if (barrier.failure() != null) {
            throw new IllegalStateException(barrier.failure().getMessage(), barrier.failure());
        }
    }

    @Override
    public long count(final NicCounter counter) {
        return assembly.count(counter);
    }

    @Override
    public Outcome outcome() {
        return assembly.outcome(slots, held);
    }

    @Override
    public void close() {
        assembly.close();
    }

    private static int window(final Fabric fabric) {
        return Math.max(2 * fabric.propagationSlots(), 2);
    }

    private void guard(final int worker, final long from, final long limit, final Watch watch) {
        try {
            work(worker, from, limit, watch);
        } catch (final Throwable failure) {
            barrier.abort(failure);
        }
    }

    private void work(final int worker, final long from, final long limit, final Watch watch) {
        final Bank bank = assembly.bank(worker);
        final long batch = check ? 1 : Math.max(fabric.propagationSlots(), 1);
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
            settled[parity][worker] = bank.settled();
            if (worker == 0) {
                goOn[parity] = watch.onProgress(slot, sum(delivered[parity ^ 1]), sum(completed[parity ^ 1]));
                slots = slot;
            }
            if (!barrier.await()) {
                return;
            }
            if (!goOn[parity] || slot >= limit || sum(settled[parity]) == cellsOfFlows) {
                return;
            }
        }
    }

    private boolean step(final Bank bank, final int worker, final long slot) {
        bank.send(slot);
        if ((fabric.propagationSlots() == 0 || check) && !barrier.await()) {
            return false;
        }
        final long before = bank.count(NicCounter.CELLS_DELIVERED);
        bank.receive(slot);
        assembly.timeline(worker).add(slot, bank.count(NicCounter.CELLS_DELIVERED) - before);
        if (!check) {
            return true;
        }
        if (!barrier.await()) {
            return false;
        }
        if (worker == 0) {
            assembly.audit().check(slot);
        }
        return barrier.await();
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
