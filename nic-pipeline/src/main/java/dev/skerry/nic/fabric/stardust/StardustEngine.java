package dev.skerry.nic.fabric.stardust;

import dev.skerry.dataplane.circuit.SlotBarrier;
import dev.skerry.nic.Engine;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.NicCounter;
import dev.skerry.nic.Outcome;
import dev.skerry.nic.SlotHistogram;
import dev.skerry.nic.fault.Faults;

import java.lang.foreign.Arena;
import java.util.function.ToLongFunction;

/**
 * A Stardust fabric run in lock step: every slot every device takes in what comes and every link sends (spec/stardust
 * §12). Workers share out the devices of each tier. What a device sends is seen the propagation delay later, so workers
 * meet once in that many slots.
 *
 * <p>The result depends on the fabric and the flows alone, never on the number of workers. One thread builds, runs and
 * closes it; {@link #run} and {@link #advance} start the other workers and have joined them when they return.
 */
public final class StardustEngine implements Engine {
    /** Times the longest wait for a missing cell after which a fabric in which nothing moves is done. */
    private static final int PATIENCE = 4;

    private final Stardust fabric;
    private final FlowSet flows;
    private final Arena arena;
    private final SlotBarrier barrier;
    private final StardustBank[] banks;
    private final StardustBank.Shared shared;
    private final long[][] settled;
    private final long[][] moves;
    private final boolean[] goOn = new boolean[2];
    private final boolean check;
    private long slots;

    /**
     * A fabric at slot 0.
     *
     * @param fabric  the fabric.
     * @param flows   what is sent across it, between its endpoints.
     * @param workers threads that share the devices, 1 or more; no more than there are adapters are used.
     */
    public StardustEngine(final Stardust fabric, final FlowSet flows, final int workers) {
        this(fabric, flows, Faults.NONE, Healing.USUAL, workers, false);
    }

    /**
     * A fabric at slot 0.
     *
     * @param fabric  the fabric.
     * @param flows   what is sent across it, between its endpoints.
     * @param faults  what goes wrong, nodes and links being devices by their number. An element that is down from slot
     *                0 on is one the fabric grows by when it comes up. An adapter that is down keeps what its hosts
     *                sent.
     * @param healing how devices find out; where nothing ever fails no messages are sent, as they say nothing new.
     * @param workers threads that share the devices, 1 or more; no more than there are adapters are used.
     * @param check   whether the law of conservation is looked at after every slot.
     * @throws IllegalArgumentException if the faults are of devices that there are not.
     */
    public StardustEngine(final Stardust fabric, final FlowSet flows, final Faults faults, final Healing healing,
        final int workers, final boolean check) {
        this.check = check;
        this.fabric = fabric;
        this.flows = flows;
        this.arena = Arena.ofShared();
        final int count = Math.min(workers, fabric.clos().fas());
        this.shared = StardustBank.Shared.of(arena, fabric, flows, faults, count);
        this.banks = new StardustBank[count];
        for (int bank = 0; bank < count; bank++) {
            banks[bank] = new StardustBank(arena, fabric, flows, new Share(fabric.clos(), bank, count), shared,
                faults, healing);
        }
        this.barrier = new SlotBarrier(arena, count);
        this.settled = new long[2][count];
        this.moves = new long[2][count];
    }

    /** Bytes of off-heap memory that a fabric takes at the start. */
    public static long bytes(final Stardust fabric, final FlowSet flows) {
        return Pipes.bytes(fabric.clos().ports(), 2 * fabric.linkSlots()) + Devices.bytes(fabric.clos())
            + Ingress.bytes(fabric.clos().fas(), fabric.clos().fas(), fabric.hosts().queues())
            + Egress.bytes(fabric, fabric.clos().fas()) + Egress.flowTableBytes(flows.size());
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        work(slotLimit == 0 ? Long.MAX_VALUE : slotLimit, slotLimit == 0, watch);
        checkConserved();
    }

    /**
     * Goes on by some slots, for those who step a fabric themselves.
     *
     * @param more slots to go.
     * @throws IllegalStateException if an invariant is broken.
     */
    public void advance(final long more) {
        work(slots + more, false, (slot, delivered, done) -> true);
    }

    /** Slots done. */
    public long slots() {
        return slots;
    }

    @Override
    public long count(final NicCounter counter) {
        return sum(bank -> bank.count(counter));
    }

    /** How long queues were. */
    public QueueLengths lengths() {
        final QueueLengths sum = new QueueLengths(fabric.clos().tiers());
        for (final StardustBank bank : banks) {
            sum.add(bank.devices().lengths());
        }
        return sum;
    }

    /** Forgets how long queues were and cells took: what follows is after the warm-up. */
    public void clearStatistics() {
        for (final StardustBank bank : banks) {
            bank.devices().lengths().clear();
            bank.egress().latency().clear();
        }
    }

    /** Slots from a cell's first queue to its arrival. */
    public SlotHistogram latency() {
        final SlotHistogram sum = new SlotHistogram();
        for (final StardustBank bank : banks) {
            sum.add(bank.egress().latency());
        }
        return sum;
    }

    /** 64 bits over every packet delivered: a sum of hashes of slot, endpoints, flow and number of the packet. */
    public long digest() {
        return sum(bank -> bank.egress().digest());
    }

    /** Payload bytes that the port of an endpoint took in to send to its host, in whole packets. */
    public long bytesTo(final int endpoint) {
        final StardustBank bank = bankOf(endpoint);
        return bank.egress().ports().taken(endpoint - bank.share().first(0) * fabric.hosts().ports());
    }

    /** Most bytes that the port of an endpoint held. */
    public long maxHeldAt(final int endpoint) {
        final StardustBank bank = bankOf(endpoint);
        return bank.egress().ports().maxHeld(endpoint - bank.share().first(0) * fabric.hosts().ports());
    }

    /** Most bytes that an adapter held for others. */
    public long maxWaitingAt(final int adapter) {
        final StardustBank bank = bankOf(adapter * fabric.hosts().ports());
        return bank.ingress().maxHeld(adapter - bank.share().first(0));
    }

    /** The part of its pace that an adapter hands out credits at, up to 1 (spec/stardust §5.1, FCI reaction). */
    public double creditShare(final int adapter) {
        final StardustBank bank = bankOf(adapter * fabric.hosts().ports());
        return bank.scheduler().share(adapter - bank.share().first(0));
    }

    /** Cells that were sent into a port of a device. */
    public long sentInto(final int port) {
        long cells = 0;
        for (final StardustBank bank : banks) {
            cells += bank.devices().sent(port);
        }
        return cells;
    }

    private StardustBank bankOf(final int endpoint) {
        final int adapter = endpoint / fabric.hosts().ports();
        int bank = 0;
        while (adapter >= banks[bank].share().end(0)) {
            bank++;
        }
        return banks[bank];
    }

    /**
     * Checks that no cell came from nowhere or went there: those cut are delivered, dropped under a name, or held.
     *
     * @return cells that are held in queues and on links.
     * @throws IllegalStateException if the law is broken.
     */
    public long checkConserved() {
        long held = sum(StardustBank::held);
        for (long slot = Math.max(0, slots - fabric.linkSlots()); slot < slots; slot++) {
            held += shared.pipes().cells(slot, 0, fabric.clos().ports());
        }
        final long cut = count(NicCounter.CELLS_INJECTED);
        final long known = count(NicCounter.CELLS_DELIVERED) + sum(StardustBank::dropped) + held;
        if (cut != known) {
            throw new IllegalStateException("cells are not conserved after slot " + (slots - 1) + ": injected=" + cut
                + " delivered=" + count(NicCounter.CELLS_DELIVERED) + " dropped=" + sum(StardustBank::dropped)
                + " held=" + held);
        }
        return held;
    }

    @Override
    public Outcome outcome() {
        return StardustOutcome.of(fabric, flows, banks, shared.flowTable(), slots, checkConserved());
    }

    @Override
    public void close() {
        arena.close();
    }

    private long sum(final ToLongFunction<StardustBank> value) {
        long sum = 0;
        for (final StardustBank bank : banks) {
            sum += value.applyAsLong(bank);
        }
        return sum;
    }

    private void work(final long end, final boolean untilDone, final Watch watch) {
        final long from = slots;
        final Thread[] threads = new Thread[banks.length];
        for (int w = 1; w < banks.length; w++) {
            final int worker = w;
            threads[w] = Thread.ofPlatform().name("skerry-worker-" + w).daemon()
                .start(() -> guard(worker, from, end, untilDone, watch));
        }
        guard(0, from, end, untilDone, watch);
        for (int w = 1; w < banks.length; w++) {
            try {
                threads[w].join();
            } catch (final InterruptedException e) {
                barrier.abort(e);
                Thread.currentThread().interrupt();
            }
        }
        if (barrier.failure() != null) {
            throw new IllegalStateException(barrier.failure().getMessage(), barrier.failure());
        }
    }

    private void guard(final int worker, final long from, final long end, final boolean untilDone, final Watch watch) {
        try {
            work(worker, from, end, untilDone, watch);
        } catch (final Throwable failure) {
            barrier.abort(failure);
        }
    }

    private void work(final int worker, final long from, final long end, final boolean untilDone, final Watch watch) {
        final StardustBank bank = banks[worker];
        long slot = from;
        long lastMove = from;
        long before = -1;
        for (int parity = 0; slot < end; parity ^= 1) {
            for (final long meet = Math.min(slot + fabric.linkSlots(), end); slot < meet; slot++) {
                bank.step(slot);
                if (check && !checked(worker, slot)) {
                    return;
                }
            }
            // Written before the barrier, read after it; the other parity is written before the next one.
            settled[parity][worker] = bank.count(NicCounter.FLOWS_COMPLETED) + bank.count(NicCounter.FLOWS_FAILED);
            moves[parity][worker] = bank.moves();
            if (worker == 0) {
                goOn[parity] = watch.onProgress(slot, sum(moves[parity ^ 1]), sum(settled[parity ^ 1]));
                slots = slot;
            }
            if (!barrier.await() || !goOn[parity]) {
                return;
            }
            final long now = sum(moves[parity]);
            lastMove = now == before ? lastMove : slot;
            before = now;
            if (untilDone && (sum(settled[parity]) == flows.size()
                || slot - lastMove > (long) PATIENCE * fabric.reassemblySlots() && slot > lastStart())) {
                return;
            }
        }
    }

    /** All wait while one looks at the books; false if the run is over. */
    private boolean checked(final int worker, final long slot) {
        if (!barrier.await()) {
            return false;
        }
        if (worker == 0) {
            slots = slot + 1;
            checkConserved();
        }
        return barrier.await();
    }

    private long lastStart() {
        return flows.size() == 0 ? 0 : flows.startSlot(flows.size() - 1);
    }

    private static long sum(final long[] values) {
        long sum = 0;
        for (final long value : values) {
            sum += value;
        }
        return sum;
    }
}
