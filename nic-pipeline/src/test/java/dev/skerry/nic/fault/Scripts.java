package dev.skerry.nic.fault;

import dev.skerry.schedule.Wiring;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Fault scripts for tests. */
public final class Scripts {
    private Scripts() {
    }

    public static Faults of(final Fault... faults) {
        return new Faults(new FaultPlan(List.of(faults)), 1);
    }

    /**
     * Random failures and repairs within some slots, all repaired at their end: links in one direction or both, and
     * nodes.
     *
     * @param links   links that fail and are repaired.
     * @param crashes nodes that fail and start again.
     * @param damage  probability that a cell is damaged, from slot 0 to the end.
     */
    public static Faults random(final long seed, final int nodes, final long slots, final int links, final int crashes,
        final double damage) {
        final Random random = new Random(seed);
        final List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            final int from = i % nodes;
            final int to = (from + 1 + (i / nodes + random.nextInt(nodes)) % (nodes - 1)) % nodes;
            final long down = random.nextLong(slots);
            final long up = down + 1 + random.nextLong(slots - down);
            addLink(faults, from, to, down, up);
            if (random.nextBoolean()) {
                addLink(faults, to, from, down, up);
            }
        }
        for (int i = 0; i < crashes; i++) {
            final int node = random.nextInt(nodes);
            final long down = random.nextLong(slots);
            final long up = down + 1 + random.nextLong(slots - down);
            if (faults.stream().noneMatch(f -> f instanceof Fault.Node other && other.node() == node)) {
                faults.add(new Fault.Node(down, node, false));
                faults.add(new Fault.Node(up, node, true));
            }
        }
        if (damage > 0) {
            faults.add(new Fault.Corruption(0, damage));
            faults.add(new Fault.Corruption(slots, 0));
        }
        return new Faults(new FaultPlan(faults), seed);
    }

    /** The same, with switches of a wiring that stop and start again, each at most once. */
    public static Faults random(final long seed, final Wiring wiring, final long slots, final int links,
        final int crashes, final int switches, final double damage) {
        final Random random = new Random(~seed);
        final List<Fault> faults = new ArrayList<>(random(seed, wiring.schedule().nodes(), slots, links, crashes,
            damage).plan().faults());
        final List<Integer> some = new ArrayList<>(IntStream.range(0, wiring.switches()).boxed().toList());
        Collections.shuffle(some, random);
        for (final int index : some.subList(0, Math.min(switches, some.size()))) {
            final long down = random.nextLong(slots);
            final long[] ways = wiring.pairsThrough(index);
            faults.add(new Fault.Switch(down, index, false, ways));
            faults.add(new Fault.Switch(down + 1 + random.nextLong(slots - down), index, true, ways));
        }
        return new Faults(new FaultPlan(faults), seed);
    }

    /** The same faults, and clocks of random nodes that leave their window and come back, each at most once. */
    public static Faults withClocks(final Faults faults, final int nodes, final long slots, final int clocks) {
        final Random random = new Random(faults.seed() * 31);
        final List<Fault> more = new ArrayList<>(faults.plan().faults());
        final List<Integer> some = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
        Collections.shuffle(some, random);
        for (final int node : some.subList(0, Math.min(clocks, nodes))) {
            final long off = random.nextLong(slots);
            more.add(new Fault.Clock(off, node, false));
            more.add(new Fault.Clock(off + 1 + random.nextLong(slots - off), node, true));
        }
        return new Faults(new FaultPlan(more), faults.seed());
    }

    private static void addLink(final List<Fault> faults, final int from, final int to, final long down,
        final long up) {
        if (faults.stream().noneMatch(f -> f instanceof Fault.Link l && l.from() == from && l.to() == to)) {
            faults.add(new Fault.Link(down, from, to, false));
            faults.add(new Fault.Link(up, from, to, true));
        }
    }
}
