package dev.skerry.nic.edge;

import dev.skerry.nic.edge.BankArrivals.NamedCells;
import dev.skerry.nic.edge.EdgePort.PortGuard;
import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.packet.PacketCounter.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow.WindowConfig;

import java.lang.foreign.Arena;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * The ports at the nodes of one bank. Called by the bank's thread, except where any thread may call. A delivered cell
 * waits in a queue until the ports are polled, so delivery has no other effect. A cell travels as its handle.
 */
final class BankPorts implements CellEdge {
    /** Slots that a bank with cells requests beyond the arrival of its last cell. */
    private static final int AHEAD = 16;
    /** Minimum time between two full checks of ports and streams, in ns; they are too expensive for every poll. */
    private static final long LOOK_NS = 100_000;
    private static final long TASK_MS = 20;
    private static final long SHOW_NS = 50_000_000;

    private final PacketEdges plan;
    private final int bank;
    /** Number, in the fabric, of the port at each place. */
    final int[] ports;
    private final EdgeMemory memory;
    private final PortGuard[] guards;
    private final PacketIngress[] ingress;
    private final PacketEgress[] egress;
    final BankArrivals arrivals;
    /** Null if cells travel as handles. */
    private final NamedCells names;
    final PacketCounts packets = new PacketCounts();
    private final Pace pace;
    final SlotTarget target;
    private final long propagationSlots;
    /**
     * The slot that all banks must reach so that the cells sent by this one arrive. Any thread reads this and the next
     * fields.
     */
    final AtomicLong horizon = new AtomicLong();
    /** As of the last check: cells cut, cells that have reached a port or were lost, slots done, number of checks. */
    final AtomicLong cut = new AtomicLong();
    final AtomicLong ended = new AtomicLong();
    final AtomicLong slots = new AtomicLong();
    final AtomicLong looks = new AtomicLong();
    /** Whether the last check was after the end of the intake. */
    final AtomicBoolean closed = new AtomicBoolean();
    /** A task of another thread, to be run between two slots. */
    private final AtomicReference<FutureTask<?>> asked = new AtomicReference<>();
    /** Number of the next cell of each flow that does not cross the fabric. */
    private final int[] crossed;
    private Intake intake;
    private long lookedNs;
    private long shownNs;
    private long sentBefore;
    /** Whether cells that travel by name were missing at the last check. */
    private boolean isWaitedFor;

    BankPorts(final Arena arena, final PacketEdges plan, final int bank, final int[] ports,
        final BankArrivals.Shared shared, final WindowConfig windows, final Fabric fabric) {
        this.plan = plan;
        this.bank = bank;
        this.ports = ports;
        this.memory = shared.memory();
        this.names = shared.names();
        this.propagationSlots = fabric.propagationSlots();
        this.target = new SlotTarget(plan.config, fabric.emptySlots());
        this.guards = new PortGuard[ports.length];
        this.ingress = new PacketIngress[ports.length];
        this.egress = new PacketEgress[ports.length];
        this.crossed = new int[plan.between.size() - plan.between.flows.size()];
        this.pace = new Pace(plan.config.slotsPerSecond());
        for (int place = 0; place < ports.length; place++) {
            guards[place] = plan.guard(ports[place]);
            ingress[place] = new PacketIngress(arena, ports[place], plan, guards[place], memory, this::cross, packets);
            egress[place] = new PacketEgress(arena, ports[place], plan, guards[place], memory, this::free, packets);
        }
        this.arrivals = new BankArrivals(arena, plan, bank, ports, egress, shared, windows, packets);
    }

    @Override
    public void join(final Intake to) {
        intake = to;
    }

    /**
     * Removes the next cell of a flow from its queue, or notes that a cell is sent again; returns the word that
     * travels.
     */
    @Override
    public long inject(final long identity) {
        final int flow = Cell.flow(identity);
        if (names != null && !names.isNext(identity)) {
            return identity;
        }
        final int cell = ingressOf(plan.between.source(flow)).pop(plan.between.queueOf(flow));
        memory.setIdentity(cell, identity);
        if (names == null) {
            return cell;
        }
        names.add(flow, cell);
        return identity;
    }

    /** Delivers the next cells of a flow to another port of the same node immediately. */
    private void cross(final int flow, final int cells) {
        final int local = flow - plan.between.flows.size();
        for (int cell = 0; cell < cells; cell++) {
            arrivals.deliver(inject(Cell.of(flow, crossed[local]++)));
        }
    }

    /** Bytes, in whole cells, that have arrived for an endpoint and that its ports have not taken yet. */
    long waitingAt(final int endpoint) {
        long cells = 0;
        for (final int port : plan.between.portsAt(endpoint)) {
            cells += arrivedCells(port);
        }
        return cells * plan.config.format().payloadBytes();
    }

    /** Number of cells that have arrived for a port and that it has not taken yet. */
    int arrivedCells(final int port) {
        return arrivals.arrivedCells(plan.placeOf[port]);
    }

    @Override
    public long deliver(final long cell) {
        return arrivals.deliver(cell);
    }

    @Override
    public long identify(final long cell) {
        return arrivals.identify(cell);
    }

    @Override
    public void discard(final long cell) {
        arrivals.discard(cell);
    }

    @Override
    public long poll(final long slot) {
        final long nowNs = System.nanoTime();
        final boolean open = plan.isOpen();
        target.poll(nowNs);
        arrivals.poll(slot);
        int waiting = 0;
        for (int place = 0; place < ports.length; place++) {
            egress[place].poll(nowNs);
            ingress[place].poll(intake, slot, nowNs, open && guards[place].isServed());
            waiting += ingress[place].waiting;
        }
        final long sent = intake.sent();
        // A cell that arrived and was sent on since the last poll is in no queue, but it is still in flight.
        if (waiting > 0 || intake.held() > 0 || sent != sentBefore || isWaitedFor) {
            sentBefore = sent;
            horizon.set(slot + propagationSlots + 1 + AHEAD);
        }
        if (nowNs - lookedNs >= LOOK_NS) {
            look(slot, nowNs, open);
        }
        final long until = Math.min(plan.horizon(), pace.until(slot, nowNs));
        return target.until(slot, plan.within(until));
    }

    PacketEgress egressOf(final int port) {
        return egress[plan.placeOf[port]];
    }

    PacketIngress ingressOf(final int port) {
        return ingress[plan.placeOf[port]];
    }

    /**
     * Runs a task on the bank's thread between two slots, and waits for it. Called by any other thread; the bank's
     * thread never waits for the caller.
     *
     * @param work   the task; its exceptions are rethrown.
     * @param isOver whether the bank's thread has ended.
     * @return false if the thread ended before; the task was not started.
     */
    synchronized boolean ask(final Runnable work, final BooleanSupplier isOver) throws InterruptedException {
        final FutureTask<?> task = new FutureTask<>(work, null);
        asked.set(task);
        while (true) {
            try {
                task.get(TASK_MS, TimeUnit.MILLISECONDS);
                return true;
            } catch (final TimeoutException waitsOn) {
                if (isOver.getAsBoolean() && asked.compareAndSet(task, null)) {
                    return false;
                }
            } catch (final InterruptedException e) {
                if (asked.compareAndSet(task, null)) {
                    throw e;
                }
                // The task is already running; an interrupt must not hide its result.
                Thread.currentThread().interrupt();
                return true;
            } catch (final ExecutionException e) {
                throw e.getCause() instanceof final RuntimeException thrown ? thrown
                    : new IllegalStateException(e.getCause());
            }
        }
    }

    private void free(final int cell) {
        memory.free(bank, cell);
    }

    /** Sets the windows of the ports according to the current slot rate. */
    private void aim(final long slot, final long nowNs) {
        for (int place = target.pass(slot, nowNs) ? 0 : ports.length; place < ports.length; place++) {
            memory.shares[ports[place]].target.setWindow(target.windowSlots());
            egress[place].markNs = plan.config.isMarking() ? target.windowNs() : Long.MAX_VALUE;
        }
    }

    private void look(final long slot, final long nowNs, final boolean open) {
        lookedNs = nowNs;
        if (asked.get() != null) {
            asked.getAndSet(null).run();
        }
        aim(slot, nowNs);
        isWaitedFor = arrivals.look(slot);
        long cells = 0;
        long done = arrivals.ended();
        boolean pending = false;
        for (int place = 0; place < ports.length; place++) {
            guards[place].poll(nowNs);
            memory.collect(ports[place]);
            cells += ingress[place].cut;
            done += egress[place].taken;
            pending |= ingress[place].pending() > 0 || egress[place].pending() > 0;
        }
        // While a port holds packets the fabric is not drained, so this reports one more in-flight cell.
        cut.set(pending ? cells + 1 : cells);
        ended.set(done);
        slots.set(slot);
        if (!open) {
            closed.set(true);
        }
        looks.set(looks.get() + 1);
        if (nowNs - shownNs >= SHOW_NS) {
            shownNs = nowNs;
            for (final int port : ports) {
                plan.counts(port).settle(plan.port(port).port().counts());
                plan.watch.onPort(port);
            }
            plan.watch.onBank(bank, slot);
        }
    }

    /**
     * Converts the queue target, a time, into slots at the current slot rate of a bank; only busy time counts. A window
     * is never shorter than twice the transit time of a cell in an empty fabric; otherwise cells would be held back
     * that the fabric could carry. Called by the bank's thread.
     */
    static final class SlotTarget {
        private static final long MEASURE_NS = 2_000_000;
        private static final int SMOOTH = 4;
        private static final int EMPTY_FACTOR = 2;
        /** Engines poll edges at least every 16 slots: a cell waits for two polls, into the fabric and out of it. */
        private static final int POLL_SLOTS = 32;

        private final long targetNs;
        private final long emptySlots;
        private final double mostPerNs;
        private double slotsPerNs;
        private long busyNs;
        private long slots;
        private long beforeNs;
        private long beforeSlot;
        /** Time of the last poll, and whether the bank was idle after it. */
        private long polledNs;
        private boolean isIdle;
        /** Time in ns in which no slot passed. Any thread may read; may lag. */
        long idleNs;
        private long idleBefore;

        /**
         * Creates a target without measurements.
         *
         * @param config     has the target and the pace.
         * @param emptySlots maximum transit time of a cell in an empty fabric, in slots.
         */
        SlotTarget(final EdgeConfig config, final long emptySlots) {
            this.targetNs = config.queueTargetNs();
            this.emptySlots = emptySlots + POLL_SLOTS;
            this.mostPerNs = config.slotsPerSecond() == 0 ? Double.MAX_VALUE : config.slotsPerSecond() / 1e9;
            this.beforeNs = System.nanoTime();
        }

        /** Accounts for a poll of the bank. */
        void poll(final long nowNs) {
            idleNs += isIdle ? nowNs - polledNs : 0;
            polledNs = nowNs;
        }

        /**
         * Records the slot to which the bank may proceed until the next poll; returns it. The bank is idle if it may
         * not proceed.
         */
        long until(final long slot, final long until) {
            isIdle = until <= slot;
            return until;
        }

        /** Accounts for elapsed time and slots; returns whether the window has changed. */
        boolean pass(final long slot, final long nowNs) {
            busyNs += nowNs - beforeNs - (idleNs - idleBefore);
            idleBefore = idleNs;
            slots += slot - beforeSlot;
            beforeNs = nowNs;
            beforeSlot = slot;
            if (targetNs == 0 || busyNs < MEASURE_NS) {
                return false;
            }
            final double measured = Math.min(mostPerNs, (double) slots / busyNs);
            slotsPerNs += slotsPerNs == 0 ? measured : (measured - slotsPerNs) / SMOOTH;
            busyNs = 0;
            slots = 0;
            return true;
        }

        /** Length of a window in slots. */
        long windowSlots() {
            return Math.max(EMPTY_FACTOR * emptySlots, (long) Math.ceil(targetNs * slotsPerNs));
        }

        /** Length of a window in ns: the target, unless the fabric itself takes longer. */
        long windowNs() {
            return Math.max(targetNs, (long) (EMPTY_FACTOR * emptySlots / Math.max(slotsPerNs, Double.MIN_NORMAL)));
        }
    }

    /**
     * Limits the slots to a rate in wall time. After a delay, at most a millisecond's worth of slots is caught up. One
     * thread.
     */
    static final class Pace {
        private static final double MIN_ALLOWANCE = 16;
        private static final double CATCH_UP_SECONDS = 1e-3;

        private final double slotsPerNs;
        private final double maxAllowance;
        private double allowance;
        private long slotBefore;
        private long timeBefore;

        /**
         * Creates a pace.
         *
         * @param slotsPerSecond the rate; 0 for no limit.
         */
        Pace(final double slotsPerSecond) {
            this.slotsPerNs = slotsPerSecond / 1e9;
            this.maxAllowance = Math.max(MIN_ALLOWANCE, slotsPerSecond * CATCH_UP_SECONDS);
            this.timeBefore = System.nanoTime();
        }

        /** The slot before which the bank must stop now. */
        long until(final long slot, final long nowNs) {
            if (slotsPerNs == 0) {
                return Long.MAX_VALUE;
            }
            allowance = Math.min(maxAllowance, allowance - (slot - slotBefore) + (nowNs - timeBefore) * slotsPerNs);
            slotBefore = slot;
            timeBefore = nowNs;
            return slot + Math.max(0, (long) allowance);
        }
    }
}
