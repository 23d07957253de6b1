package dev.skerry.nic.edge;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

/**
 * Changes the ports of a running fabric. Any thread may call; one that runs a bank must not, as it would wait for
 * itself. What has to be done by the thread of a port is done between two of its slots.
 */
public final class EdgeControl {
    /** Slots ahead of all banks, at first. */
    private static final long AHEAD_SLOTS = 64;
    /** Slots that pass after a change, so that a fabric at rest takes note of it. */
    private static final long NOTE_SLOTS = 4_096;

    private final PacketEdges plan;
    private final PortGuard[] guards;
    private final BankPorts[] banks;
    private final int[] bankOf;
    private final EdgeMemory memory;
    private final AtomicBoolean over = new AtomicBoolean();

    EdgeControl(final PacketEdges plan, final PortGuard[] guards, final BankPorts[] banks,
        final int[] bankOf, final EdgeMemory memory) {
        this.plan = plan;
        this.guards = guards;
        this.banks = banks;
        this.bankOf = bankOf;
        this.memory = memory;
    }

    /** The fabric runs no more: tasks that wait are not carried out. */
    public void end() {
        over.set(true);
    }

    /**
     * Does something on the thread of a port, between two slots, and waits for it. It must be short: the fabric stands
     * still meanwhile.
     *
     * @param port number of the port.
     * @param work what it throws is thrown here.
     * @return false if the fabric has ended before; then nothing was done.
     */
    public boolean inTurn(final int port, final Runnable work) throws InterruptedException {
        return banks[bankOf[port]].tasks().ask(work, over::get);
    }

    /**
     * Does something that has to be known to all banks before a slot, which none of them has begun. Banks that come to
     * it wait meanwhile. One thread at a time.
     *
     * @param work is given the slot; what it throws is thrown here.
     */
    public void beforeSlot(final LongConsumer work) {
        for (long ahead = AHEAD_SLOTS;; ahead *= 2) {
            final long slot = plan.horizon() + ahead;
            plan.bounds().limit(slot);
            try {
                // What a bank was allowed before it saw the limit was the horizon of that time or less.
                if (plan.horizon() < slot) {
                    work.accept(slot);
                    plan.bounds().want(slot + NOTE_SLOTS);
                    return;
                }
            } finally {
                plan.bounds().unlimit();
            }
        }
    }

    /** Whether packets are taken from a port and sent to it. */
    public boolean isServed(final int port) {
        return guards[port].isServed();
    }

    /**
     * From now on packets are taken from a port and sent to it, or not: those for it alone are then dropped where they
     * come in ({@link EdgeCounter#DROPPED_NOWHERE}), and floods leave it out. What is under way goes on.
     */
    public void serve(final int port, final boolean isServed) {
        guards[port].serve(isServed);
    }

    /** Forgets that a port failed, as another one has taken its place. Within {@link #inTurn}. */
    public void revive(final int port) {
        guards[port].revive();
    }

    /** Cells from and to a port that are under way, and packets of it that wait to be cut. Within {@link #inTurn}. */
    public long underWay(final int port) {
        final BankPorts bank = banks[bankOf[port]];
        long sum = bank.ingressOf(port).pending() + bank.egressOf(port).pending() + memory.shares(port).held();
        for (int from = 0; from < guards.length; from++) {
            sum += memory.held(from, port);
        }
        return sum;
    }
}
