package dev.skerry.nic.fault;

import dev.skerry.dataplane.random.CounterRandom;
import org.agrona.collections.LongHashSet;

import java.util.List;

/**
 * The faults of a slot. They depend on the plan and the seed alone, so every bank may have its own state and all agree.
 * One thread.
 */
public final class FaultState {
    /** Use of the random numbers that decide damage; the stages' own uses lie below. */
    private static final int USE_DAMAGE = 200;
    private static final long NOISE = 0x9E3779B97F4A7C15L;
    private static final double TWO_TO_32 = 0x1p32;

    private final List<Fault> faults;
    private final long seed;
    private final boolean[] down;
    private int nodesDown;
    private final LongHashSet cut = new LongHashSet();
    private int next;
    private long slotKey;
    private long damageBelow;
    private long loseBelow;
    private long repeatBelow;
    private final LongHashSet stopped = new LongHashSet();
    private final LongHashSet rogues = new LongHashSet();

    /**
     * Nothing faulty, before slot 0.
     *
     * @param plan  the plan.
     * @param seed  decides which cells are damaged.
     * @param nodes nodes of the fabric; every node of the plan is one of them.
     * @throws IllegalArgumentException if a node of the plan is not.
     */
    public FaultState(final FaultPlan plan, final long seed, final int nodes) {
        this.faults = plan.faults();
        this.seed = seed;
        this.down = new boolean[nodes];
        for (final Fault fault : faults) {
            final boolean known = switch (fault) {
                case Fault.Node node -> node.node() >= 0 && node.node() < nodes;
                case Fault.Link link -> link.from() >= 0 && link.from() < nodes && link.to() >= 0 && link.to() < nodes;
                case Fault.Rogue rogue -> rogue.node() >= 0 && rogue.node() < nodes;
                case Fault.Corruption corruption -> true;
                case Fault.Control control -> true;
                case Fault.HostPort port -> port.endpoint() >= 0;
            };
            if (!known) {
                throw new IllegalArgumentException("no such node: nodes=" + nodes + " " + fault);
            }
        }
    }

    /**
     * Turns to a slot; slots come in order.
     *
     * @return whether anything changed since the slot before.
     */
    public boolean turnTo(final long slot) {
        final int before = next;
        while (next < faults.size() && faults.get(next).slot() <= slot) {
            apply(faults.get(next++));
        }
        slotKey = CounterRandom.slotKey(seed, slot);
        return next != before;
    }

    /** Whether anything may go wrong in this slot. */
    public boolean any() {
        return next > 0;
    }

    /** Whether nothing that a cell needs is faulty now: no node, no way, and none is damaged. */
    public boolean isCalm() {
        return nodesDown == 0 && cut.isEmpty() && damageBelow == 0;
    }

    /** Whether a node is down. */
    public boolean isDown(final int node) {
        return down[node];
    }

    /** Whether what one node sends to another gets lost: either of them is down, or the way between. */
    public boolean isLost(final int from, final int to) {
        return down[from] || down[to] || !cut.isEmpty() && cut.contains((long) from << 32 | to);
    }

    /** Whether the cell that a node sends on a channel in this slot is damaged on its way. */
    public boolean isDamaged(final int from, final int channel) {
        return damageBelow > 0 && CounterRandom.bits(slotKey, from, USE_DAMAGE + channel) >>> 32 < damageBelow;
    }

    /** How often a control message that was sent in a slot arrives: once if all is well, not at all or twice. */
    public int copies(final long slot, final long message) {
        if ((loseBelow | repeatBelow) == 0) {
            return 1;
        }
        final long bits = CounterRandom.mix(CounterRandom.slotKey(seed, slot) + CounterRandom.mix(message));
        return bits >>> 32 < loseBelow ? 0 : (bits & 0xFFFF_FFFFL) < repeatBelow ? 2 : 1;
    }

    /** Whether the host at a port of an adapter takes nothing. */
    public boolean isStopped(final int endpoint) {
        return stopped.contains((long) endpoint);
    }

    /** Whether an adapter hands out credits without end. */
    public boolean isRogue(final int node) {
        return rogues.contains((long) node);
    }

    /** 64 random bits for the cell that a node sends on a channel in this slot: how it is damaged if it is. */
    public long noise(final int from, final int channel) {
        return CounterRandom.mix(CounterRandom.bits(slotKey, from, USE_DAMAGE + channel) + NOISE);
    }

    private void apply(final Fault fault) {
        switch (fault) {
            case Fault.Node node -> {
                down[node.node()] = !node.up();
                nodesDown += node.up() ? -1 : 1;
            }
            case Fault.Link link -> {
                final long way = (long) link.from() << 32 | link.to();
                if (link.up()) {
                    cut.remove(way);
                } else {
                    cut.add(way);
                }
            }
            case Fault.Corruption corruption -> damageBelow = (long) (corruption.probability() * TWO_TO_32);
            case Fault.Control control -> {
                loseBelow = (long) (control.loss() * TWO_TO_32);
                repeatBelow = (long) (control.repeat() * TWO_TO_32);
            }
            case Fault.HostPort port -> {
                if (port.up()) {
                    stopped.remove((long) port.endpoint());
                } else {
                    stopped.add((long) port.endpoint());
                }
            }
            case Fault.Rogue rogue -> rogues.add((long) rogue.node());
        }
    }
}
