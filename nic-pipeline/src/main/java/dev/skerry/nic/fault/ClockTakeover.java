package dev.skerry.nic.fault;

import dev.skerry.dataplane.random.CounterRandom;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Behaviour of clocks when the master node, which all others follow, stops (docs/spec/shoal.md §7). From then on each
 * clock runs freely and drifts at an individual rate, until the lowest node that is up takes over and all follow it. If
 * a clock leaves its window meanwhile, its node loses the cells that it sends. Everything follows from the script and
 * the seed, so it is computed before the run, as part of the plan. Immutable; any thread may call.
 *
 * @param plan      the script, with clocks that leave their windows and return.
 * @param takeovers in order of slots.
 */
public record ClockTakeover(FaultPlan plan, List<Takeover> takeovers) {
    /** Stream of the random numbers for drift rates. The stages and damage use other numbers. */
    private static final int USE_RATE = 260;

    /**
     * Clock parameters of a fabric.
     *
     * @param master        node whose clock all follow at the start.
     * @param windowNs      maximum permitted clock error in ns.
     * @param driftPpm      maximum drift of a free clock in parts per million, fast or slow.
     * @param slotNs        length of a slot in ns.
     * @param takeoverSlots slots from the stop of a master until another node has taken over.
     */
    public record Clocks(int master, double windowNs, double driftPpm, double slotNs, long takeoverSlots) {
    }

    /**
     * A takeover by one node from another.
     *
     * @param stopped the slot in which the master stopped.
     * @param from    the master that stopped.
     * @param slot    the slot from which all follow another node.
     * @param to      that node.
     * @param strayed number of nodes whose clocks left their windows meanwhile.
     */
    public record Takeover(long stopped, int from, long slot, int to, int strayed) {
    }

    /**
     * Computes the clock faults that follow from a script.
     *
     * @param script scheduled faults.
     * @param nodes  number of nodes of the fabric.
     * @param clocks clock parameters of the fabric.
     * @param seed   determines the rates of free clocks.
     */
    public static ClockTakeover of(final FaultPlan script, final int nodes, final Clocks clocks, final long seed) {
        final List<Fault> faults = new ArrayList<>(script.faults());
        final List<Takeover> takeovers = new ArrayList<>();
        final boolean[] down = new boolean[nodes];
        int master = clocks.master();
        int next = 0;
        for (int i = 0; i < script.faults().size(); i++) {
            if (!(script.faults().get(i) instanceof final Fault.Node node) || node.up() || node.node() != master) {
                continue;
            }
            final long slot = node.slot() + clocks.takeoverSlots();
            while (next < script.faults().size() && script.faults().get(next).slot() <= slot) {
                if (script.faults().get(next++) instanceof final Fault.Node change) {
                    down[change.node()] = !change.up();
                }
            }
            final int successor = lowestUp(down);
            if (successor < 0) {
                break;
            }
            takeovers.add(new Takeover(node.slot(), master, slot, successor,
                drift(faults, nodes, clocks, seed, node.slot(), slot)));
            master = successor;
            // A successor that stopped before it took over is not chosen; one that stops later is found in a later
            // iteration.
        }
        return new ClockTakeover(new FaultPlan(faults), List.copyOf(takeovers));
    }

    private static int lowestUp(final boolean[] down) {
        for (int node = 0; node < down.length; node++) {
            if (!down[node]) {
                return node;
            }
        }
        return -1;
    }

    /** Adds the clocks that leave their windows between two slots; returns their number. */
    private static int drift(final List<Fault> faults, final int nodes, final Clocks clocks, final long seed,
        final long from, final long to) {
        final Map<Integer, Fault.Clock> last = new HashMap<>();
        for (final Fault fault : faults) {
            if (fault instanceof final Fault.Clock clock && clock.slot() <= to) {
                last.put(clock.node(), clock);
            }
        }
        int strayed = 0;
        for (int node = 0; node < nodes; node++) {
            final double nsASlot = clocks.slotNs() * clocks.driftPpm() * 1e-6 * rate(seed, node);
            final double slots = Math.floor(clocks.windowNs() / nsASlot) + 1;
            if (slots < to - from) {
                strayed++;
                faults.add(new Fault.Clock(from + (long) slots, node, false));
                final Fault.Clock before = last.getOrDefault(node, new Fault.Clock(to, node, true));
                faults.add(new Fault.Clock(to, node, before.inWindow(), before.lateSlots()));
            }
        }
        return strayed;
    }

    /** Drift of a free clock relative to the maximum: 0 to 1, regardless of the direction. */
    private static double rate(final long seed, final int node) {
        return (CounterRandom.bits(CounterRandom.mix(seed), node, USE_RATE) >>> 11) * 0x1p-53;
    }
}
