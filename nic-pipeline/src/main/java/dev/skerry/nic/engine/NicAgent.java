package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.Agent;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A bank of NICs as an agent: it sends a slot when every link has room for it, and receives one when every link has
 * brought it, and never waits.
 *
 * <p>Every link carries every slot once and in order, so the cells a bank gets do not depend on who runs when.
 */
final class NicAgent implements Agent {
    /** What {@link #doWork} returns when the last slot is done. */
    private static final int DONE = -1;
    /** Slots a call does at most, so that the other agents of its thread have their turn. */
    static final int BATCH_SLOTS = 16;

    private final Bank bank;
    /** Says how far to go where cells come from outside; else null. */
    private final Edge edge;
    private final NicPorts ports;
    private final int propagationSlots;
    private final Timeline timeline;
    private final AgentCrew.Member member;
    private final AtomicLong settledSeen = new AtomicLong();
    private final AtomicLong movesSeen = new AtomicLong();
    private long slot;
    private boolean sent;

    /**
     * An agent at slot 0.
     *
     * @param bank             the bank.
     * @param edge             its edge, or null.
     * @param ports            its links.
     * @param propagationSlots P of the fabric.
     * @param timeline         the bank's own.
     * @param member           says where to stop, and is told how far the agent is.
     */
    NicAgent(final Bank bank, final Edge edge, final NicPorts ports, final int propagationSlots,
        final Timeline timeline, final AgentCrew.Member member) {
        this.bank = bank;
        this.edge = edge;
        this.ports = ports;
        this.propagationSlots = propagationSlots;
        this.timeline = timeline;
        this.member = member;
    }

    @Override
    public int doWork() {
        final long asked = member.limit();
        // At its end a run goes to the slot it is told to, whatever comes from outside.
        final long end = edge == null || asked != Edge.ANY_SLOT ? asked : edge.poll(slot);
        if (end == AgentCrew.PAUSE) {
            member.stopBefore(sent ? slot + 1 : slot);
            return 0;
        }
        int steps = 0;
        while (slot < end && steps < BATCH_SLOTS && step()) {
            steps++;
        }
        if (steps > 0) {
            publish();
        }
        if (slot < asked || steps > 0) {
            return steps;
        }
        member.stopBefore(slot);
        return DONE;
    }

    @Override
    public String roleName() {
        return "nic-" + bank.range().first();
    }

    /** Slots done, a little behind. Any thread may call. */
    long slots() {
        return member.slots();
    }

    /** What {@link Bank#settled} says, a little behind. Any thread may call. */
    long settled() {
        return settledSeen.get();
    }

    /** What {@link Bank#moves} says, a little behind. Any thread may call. */
    long moves() {
        return movesSeen.get();
    }

    private void publish() {
        settledSeen.set(bank.settled());
        movesSeen.set(bank.moves());
        member.publish(slot, bank.count(NicCounter.CELLS_DELIVERED), bank.count(NicCounter.FLOWS_COMPLETED));
    }

    /** One slot, or what is left of it; false if it has to wait for a link. */
    private boolean step() {
        if (!sent) {
            if (!ports.hasRoom(slot)) {
                return false;
            }
            bank.send(slot);
            ports.put(slot);
            sent = true;
        }
        final long arriving = slot - propagationSlots;
        if (arriving >= 0) {
            if (!ports.hasCome(arriving)) {
                return false;
            }
            ports.take(arriving);
        }
        final long before = bank.count(NicCounter.CELLS_DELIVERED);
        bank.receive(slot);
        timeline.add(slot, bank.count(NicCounter.CELLS_DELIVERED) - before);
        if (arriving >= 0) {
            ports.free(arriving);
        }
        sent = false;
        slot++;
        return true;
    }
}
