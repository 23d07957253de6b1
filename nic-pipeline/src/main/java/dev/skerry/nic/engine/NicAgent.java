package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.Agent;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A bank of NICs as an agent. It sends a slot when every link has room for it and receives a slot when it has arrived
 * on every link; it never blocks. Every link carries every slot once and in order, so the cells that a bank gets do not
 * depend on thread timing.
 */
final class NicAgent implements Agent {
    /** Result of {@link #doWork} after the last slot. */
    private static final int DONE = -1;
    /** Most slots of one call, so that the thread's other agents get their turn. */
    static final int BATCH_SLOTS = 16;

    private final Bank bank;
    /** Says how far to go if cells come from outside; else null. */
    private final Edge edge;
    private final NicPorts ports;
    private final int propagationSlots;
    /** Slots that leave together: half of the lead a bank may have, so that others work meanwhile. */
    private final int batchSlots;
    private final Timeline timeline;
    private final AgentCrew.Member member;
    private final AtomicLong settledSeen = new AtomicLong();
    private final AtomicLong movesSeen = new AtomicLong();
    private volatile boolean idleSeen;
    private long slot;
    private boolean sent;
    /** Slots given to the links, and slots they have given back. */
    private long published;
    private long freed;

    /**
     * An agent at slot 0.
     *
     * @param bank             the bank.
     * @param edge             its edge, or null.
     * @param ports            its ends of the links.
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
        this.batchSlots = batchSlots(propagationSlots);
        this.timeline = timeline;
        this.member = member;
    }

    /** Slots that leave a bank together. */
    static int batchSlots(final int propagationSlots) {
        return Math.clamp(propagationSlots / 2, 1, BATCH_SLOTS);
    }

    @Override
    public int doWork() {
        final long asked = member.limit();
        // A run that is being ended goes to its last slot, whatever the edge says.
        final long end = edge == null || asked != Edge.ANY_SLOT ? asked : edge.poll(slot);
        if (end == AgentCrew.PAUSE) {
            member.stopBefore(sent ? slot + 1 : slot);
            return 0;
        }
        int steps = 0;
        while (slot < end && steps < BATCH_SLOTS && step()) {
            steps++;
        }
        exchange();
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

    /** Slots done, a little behind. Any thread. */
    long slots() {
        return member.slots();
    }

    /** {@link Bank#settled}, a little behind. Any thread. */
    long settled() {
        return settledSeen.get();
    }

    /** {@link Bank#moves}, a little behind. Any thread. */
    long moves() {
        return movesSeen.get();
    }

    /** {@link Bank#isIdle}, a little behind. Any thread. */
    boolean isIdle() {
        return idleSeen;
    }

    private void publish() {
        idleSeen = bank.isIdle(slot);
        settledSeen.setRelease(bank.settled());
        movesSeen.setRelease(bank.moves());
        member.publish(slot, bank.count(NicCounter.CELLS_DELIVERED), bank.count(NicCounter.FLOWS_COMPLETED));
    }

    /** Does a slot or its second half; false if a link is not ready. */
    private boolean step() {
        if (!sent) {
            if (!ports.hasRoom(slot)) {
                return false;
            }
            bank.send(slot);
            ports.put(slot);
            sent = true;
            if (slot + 1 - published >= batchSlots) {
                exchange();
            }
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
        sent = false;
        slot++;
        return true;
    }

    /** Publishes the slots sent and frees those received, if there are any. */
    private void exchange() {
        final long done = sent ? slot + 1 : slot;
        if (done > published) {
            ports.publish(done);
            published = done;
        }
        final long received = slot - propagationSlots;
        if (received > freed) {
            ports.free(received);
            freed = received;
        }
    }
}
