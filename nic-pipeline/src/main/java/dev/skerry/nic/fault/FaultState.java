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
 * keep its own and all agree. Slots come in ascending order. One thread.
 */
public final class FaultState {
    /** Stream of the random numbers that decide damage. The stages use smaller numbers. */
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
    /** Nodes whose clocks are whole slots late, and by how many each is. */
    private final BitSet lateClocks = new BitSet();
    private final int[] lateSlots;
    /** Ways that are cut, and how often each is. */
    private final LongHashSet cut = new LongHashSet();
    private final Map<Long, Integer> cuts = new HashMap<>();
    private int next;
    private long slotKey;
    private long damageBelow;
    /** Ways with a damage of their own. */
    private final Map<Long, Long> damageOfWays = new HashMap<>();
    private long loseBelow;
    private long repeatBelow;
    private final LongHashSet stopped = new LongHashSet();
    private final LongHashSet rogues = new LongHashSet();

    /**
     * The state before slot 0: nothing is faulty.
     *
     * @param plan  the plan.
     * @param seed  decides which cells are damaged.
     * @param nodes nodes of the fabric, an upper bound of the plan's node ids.
     * @throws IllegalArgumentException if a node of the plan is out of range.
     */
    public FaultState(final FaultPlan plan, final long seed, final int nodes) {
        this(plan.faults(), seed, nodes, false);
    }

    /**
     * The same.
     *
     * @param faults      in order of slots; more may come, of slots to which it has not been turned.
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
     * Applies the faults up to a slot. Slots come in ascending order.
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

    /** Whether any fault of the plan has taken effect so far; of a node on its own, whether one may have. */
    public boolean any() {
        return next > 0 || leavesLinks;
    }

    /** Whether the fate of transmissions is decided elsewhere. A node that is down sends nothing by itself. */
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

    /** The first node from one on whose clock is whole slots late, -1 if there is none. */
    public int nextLate(final int from) {
        return lateClocks.nextSetBit(from);
    }

    /** Slots by which the clock of a node is late, 0 if it is in the window of its own slots or in none. */
    public int lateSlots(final int node) {
        return lateSlots[node];
    }

    /** Whether a node sends outside the windows of its slots, as its clock is off. */
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
     * @param sender number of the sending node or port that decides damage.
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
     * How many copies of a control message sent in {@code slot} arrive: 0 if it is lost, 2 if it is repeated, else 1.
     */
    public int copies(final long slot, final long message) {
        if ((loseBelow | repeatBelow) == 0) {
            return 1;
        }
        final long bits = CounterRandom.mix(CounterRandom.slotKey(seed, slot) + CounterRandom.mix(message));
        return bits >>> 32 < loseBelow ? 0 : (bits & 0xFFFF_FFFFL) < repeatBelow ? 2 : 1;
    }

    /** Whether the host at a port of an adapter takes no packets. */
    public boolean isStopped(final int endpoint) {
        return stopped.contains((long) endpoint);
    }

    /** Whether an adapter sends far more credits than its ports can carry. */
    public boolean isRogue(final int node) {
        return rogues.contains((long) node);
    }

    /** 64 random bits that say how the cell that {@code from} sends on a channel in this slot is damaged, if it is. */
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

    /** Cuts a way once more, or repairs one of its cuts. */
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
