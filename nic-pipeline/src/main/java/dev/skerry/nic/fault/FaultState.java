package dev.skerry.nic.fault;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.LongHashSet;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The parts of a fabric that are faulty in a slot. The state depends only on the plan and the seed, so every bank can
 * keep a separate copy and all agree. Slots must be in ascending order. One thread.
 */
public final class FaultState {
    /** Stream of the random numbers for damage. The stages use smaller numbers. */
    private static final int USE_DAMAGE = 200;
    private static final long NOISE = 0x9E3779B97F4A7C15L;
    private static final double TWO_TO_32 = 0x1p32;

    private final List<Fault> faults;
    /** Whether another component decides the fate of transmissions. */
    private final boolean leavesLinks;
    private final long seed;
    private final boolean[] down;
    private int nodesDown;
    /** Nodes whose clocks are outside their window. */
    private final BitSet strayClocks = new BitSet();
    /** Nodes whose clocks are one or more slots late, and the lateness of each node in slots. */
    private final BitSet lateClocks = new BitSet();
    private final int[] lateSlots;
    /** Links that are cut, and the number of cuts of each. */
    private final LongHashSet cut = new LongHashSet();
    private final Map<Long, Integer> cuts = new HashMap<>();
    private int next;
    private long slotKey;
    private long damageBelow;
    /** Links with an individual damage probability. */
    private final Map<Long, Long> damageOfWays = new HashMap<>();
    private long loseBelow;
    private long repeatBelow;
    private final LongHashSet stopped = new LongHashSet();
    private final LongHashSet rogues = new LongHashSet();

    /**
     * Creates the state before slot 0, in which nothing is faulty.
     *
     * @param plan  the plan.
     * @param seed  determines which cells are damaged.
     * @param nodes number of nodes of the fabric, an upper bound of the plan's node ids.
     * @throws IllegalArgumentException if a node of the plan is out of range.
     */
    public FaultState(final FaultPlan plan, final long seed, final int nodes) {
        this(plan.faults(), seed, nodes, false);
    }

    /**
     * Creates the state before slot 0 for faults that may be extended.
     *
     * @param faults      in order of slots; more faults may be added for slots that {@link #turnTo} has not reached.
     * @param leavesLinks see {@link #leavesLinks()}.
     */
    FaultState(final List<Fault> faults, final long seed, final int nodes, final boolean leavesLinks) {
        this.faults = faults;
        this.leavesLinks = leavesLinks;
        this.seed = seed;
        this.down = new boolean[nodes];
        this.lateSlots = new int[nodes];
        for (final Fault fault : faults) {
            final boolean known = switch (fault) {
                case Fault.Node node -> node.node() >= 0 && node.node() < nodes;
                case Fault.Link link -> link.from() >= 0 && link.from() < nodes && link.to() >= 0 && link.to() < nodes;
                case Fault.Switch element -> LongStream.of(element.ways()).allMatch(way -> way >= 0
                    && way >>> Integer.SIZE < nodes && (int) way >= 0 && (int) way < nodes);
                case Fault.LinkCorruption link -> link.from() >= 0 && link.from() < nodes && link.to() >= 0
                    && link.to() < nodes;
                case Fault.Clock clock -> clock.node() >= 0 && clock.node() < nodes;
                case Fault.Rogue rogue -> rogue.node() >= 0 && rogue.node() < nodes;
                case Fault.Corruption corruption -> true;
                case Fault.Control control -> true;
                case Fault.HostPort port -> port.endpoint() >= 0;
            };
            Bounds.refuseIf(!known, "no such node: nodes=", nodes, " ", fault);
        }
    }

    /**
     * Applies the faults up to a slot. Slots must be in ascending order.
     *
     * @return whether anything changed since the previous slot.
     */
    public boolean turnTo(final long slot) {
        final int before = next;
        while (next < faults.size() && faults.get(next).slot() <= slot) {
            apply(faults.get(next++));
        }
        slotKey = CounterRandom.slotKey(seed, slot);
        return next != before;
    }

    /** Whether any fault of the plan has taken effect so far; for a node on its own, whether one may have. */
    public boolean any() {
        return next > 0 || leavesLinks;
    }

    /** Whether the fate of transmissions is decided elsewhere. A node that is down sends nothing in any case. */
    public boolean leavesLinks() {
        return leavesLinks;
    }

    /**
     * Whether no node and no link is down, no clock is off and no cell is damaged now. Control messages may still be
     * lost.
     */
    public boolean isCalm() {
        return nodesDown == 0 && cut.isEmpty() && damageBelow == 0 && damageOfWays.isEmpty()
            && strayClocks.isEmpty() && lateClocks.isEmpty();
    }

    /** The first node at or after {@code from} whose clock is one or more slots late, or -1. */
    public int nextLate(final int from) {
        return lateClocks.nextSetBit(from);
    }

    /** Slots by which the clock of a node is late; 0 if it is in the window of its own slots or in no window. */
    public int lateSlots(final int node) {
        return lateSlots[node];
    }

    /** Whether a node sends outside the windows of its slots because its clock is off. */
    public boolean isOutOfWindow(final int node) {
        return strayClocks.get(node);
    }

    /** Whether a node is down. */
    public boolean isDown(final int node) {
        return down[node];
    }

    /** Whether cells from one node to another are lost now: either node or the link between them is down. */
    public boolean isLost(final int from, final int to) {
        return down[from] || down[to] || !cut.isEmpty() && cut.contains((long) from << 32 | to);
    }

    /**
     * Whether the cell that one node sends to another in this slot is damaged.
     *
     * @param sender number of the sending node or port that determines damage.
     */
    public boolean isDamaged(final int from, final int to, final int sender, final int channel) {
        final long below = damageBelow(from, to);
        return below > 0 && CounterRandom.bits(slotKey, sender, USE_DAMAGE + channel) >>> 32 < below;
    }

    /** Whether any cell that one node sends to another may be damaged now. */
    public boolean mayDamage(final int from, final int to) {
        return damageBelow(from, to) > 0;
    }

    private long damageBelow(final int from, final int to) {
        return damageOfWays.isEmpty() ? damageBelow
            : Math.max(damageBelow, damageOfWays.getOrDefault((long) from << 32 | to, 0L));
    }

    /**
     * Number of copies of a control message sent in {@code slot} that arrive: 0 if it is lost, 2 if it is repeated,
     * else 1.
     */
    public int copies(final long slot, final long message) {
        if ((loseBelow | repeatBelow) == 0) {
            return 1;
        }
        final long bits = CounterRandom.mix(CounterRandom.slotKey(seed, slot) + CounterRandom.mix(message));
        return bits >>> 32 < loseBelow ? 0 : (bits & 0xFFFF_FFFFL) < repeatBelow ? 2 : 1;
    }

    /** Whether the host at a port of an adapter has stopped accepting packets. */
    public boolean isStopped(final int endpoint) {
        return stopped.contains((long) endpoint);
    }

    /** Whether an adapter sends far more credits than its ports can carry. */
    public boolean isRogue(final int node) {
        return rogues.contains((long) node);
    }

    /**
     * 64 random bits that determine how the cell that {@code from} sends on a channel in this slot is damaged, if it
     * is.
     */
    public long noise(final int from, final int channel) {
        return CounterRandom.mix(CounterRandom.bits(slotKey, from, USE_DAMAGE + channel) + NOISE);
    }

    private void apply(final Fault fault) {
        switch (fault) {
            case Fault.Node node -> {
                down[node.node()] = !node.up();
                nodesDown += node.up() ? -1 : 1;
            }
            case Fault.Link link -> cut((long) link.from() << 32 | link.to(), link.up());
            case Fault.Switch element -> {
                for (final long way : element.ways()) {
                    cut(way, element.up());
                }
            }
            case Fault.Corruption corruption -> damageBelow = (long) (corruption.probability() * TWO_TO_32);
            case Fault.LinkCorruption link -> {
                final long way = (long) link.from() << 32 | link.to();
                if (link.probability() == 0) {
                    damageOfWays.remove(way);
                } else {
                    damageOfWays.put(way, (long) (link.probability() * TWO_TO_32));
                }
            }
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
            case Fault.Clock clock -> {
                strayClocks.set(clock.node(), !clock.inWindow());
                lateClocks.set(clock.node(), clock.lateSlots() > 0);
                lateSlots[clock.node()] = clock.lateSlots();
            }
            case Fault.Rogue rogue -> rogues.add((long) rogue.node());
        }
    }

    /** Adds or repairs one of possibly several cuts of a link. */
    private void cut(final long way, final boolean up) {
        final int left = cuts.merge(way, up ? -1 : 1, Integer::sum);
        if (left == 0) {
            cut.remove(way);
            cuts.remove(way);
        } else {
            cut.add(way);
        }
    }
}
