package dev.skerry.nic.shale.stage;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A random fabric of Shale with random flows and a random script of faults, all of it from one seed: nodes that stop,
 * links that break in one direction, clocks that are off, corruption that begins and ends. All is mended in the end.
 *
 * @param shale  16 to 256 nodes, h of 2 to 4.
 * @param flows  some for ever, some short.
 * @param faults the script.
 * @param mended the slot of the last repair.
 */
record FaultyRun(long seed, Shale shale, FlowSet flows, Faults faults, long mended) {
    /** h and r; the smaller ones come more often. */
    private static final int[][] SIZES = {{2, 4}, {4, 2}, {2, 4}, {4, 2}, {2, 5}, {3, 3}, {2, 5}, {3, 3}, {2, 6},
        {3, 3}, {2, 8}, {3, 4}, {4, 3}, {2, 9}, {3, 5}, {2, 12}, {3, 6}, {2, 16}, {4, 4}};
    /** Cells of a flow that does not end in a test, but whose length priority can rank. */
    private static final int LONG = 1 << 20;

    static FaultyRun of(final long seed) {
        final Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        final int[] size = SIZES[random.nextInt(SIZES.length)];
        final Phased schedule = new Phased(size[0], size[1]);
        final int nodes = schedule.nodes();
        final Population population = random.nextInt(4) > 0 ? Population.complete(schedule)
            : Population.of(schedule, nodes, 1 + random.nextInt(Math.max(1, nodes / 16)));
        final MechanismSet control = random.nextInt(3) == 0 ? Mechanisms.HBH_SPRAY
            : Controls.OF_LINKS.get(random.nextInt(Controls.OF_LINKS.size()));
        final int tokens = 1 + random.nextInt(2);
        final int missLimit = random.nextBoolean() ? 1 : 1 + random.nextInt(FailureRules.MAX_MISSES);
        final Shale shale = new Shale(schedule, population, control, tokens, tokens + random.nextInt(3),
            random.nextInt(3) == 0 ? random.nextInt(2) : random.nextInt(2 * schedule.epochSlots()), seed,
            new FailureRules(missLimit, random.nextBoolean()));
        final long slots = (10 + random.nextInt(100)) * (long) schedule.epochSlots();
        final List<Fault> faults = script(random, shale, slots);
        final long mended = faults.stream().mapToLong(Fault::slot).max().orElse(0);
        return new FaultyRun(seed, shale, flows(random, population.endpoints(), slots), new Faults(
            new FaultPlan(faults), seed), mended);
    }

    /** The same fabric in which nothing fails. */
    FaultyRun sound() {
        return new FaultyRun(seed, shale, flows, Faults.NONE, 0);
    }

    /** The sound fabric with the same flows, each of them up to 300 slots later. */
    FaultyRun startedLater(final long start) {
        final Random random = new Random(start);
        final long[] starts = IntStream.range(0, flows.size()).mapToLong(flow -> flows.startSlot(flow)
            + random.nextInt(300)).toArray();
        final FlowSet later = new FlowSet();
        IntStream.range(0, starts.length).boxed().sorted(Comparator.comparing(flow -> starts[flow])).forEach(flow ->
            later.add(flow, flows.source(flow), flows.destination(flow), flows.bytes(flow), flows.cells(flow),
                starts[flow]));
        return new FaultyRun(seed, shale, later, Faults.NONE, 0);
    }

    /** Nodes whose flow never ends send to each other, and all send some short flows. */
    private static FlowSet flows(final Random random, final int endpoints, final long slots) {
        final FlowSet flows = new FlowSet();
        final int apart = 1 + random.nextInt(endpoints - 1);
        for (int from = 0; from < endpoints; from++) {
            flows.add(from, from, (from + apart) % endpoints, 244L * LONG, LONG, 0);
        }
        final long[] starts = random.longs(random.nextInt(4 * endpoints), 0, slots).sorted().toArray();
        for (final long start : starts) {
            final int from = random.nextInt(endpoints);
            final int cells = 1 + random.nextInt(30);
            flows.add(flows.size(), from, (from + 1 + random.nextInt(endpoints - 1)) % endpoints, 244L * cells, cells,
                start);
        }
        return flows;
    }

    private static List<Fault> script(final Random random, final Shale shale, final long slots) {
        final List<Fault> faults = new ArrayList<>();
        final int nodes = shale.nodes();
        final List<Integer> order = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
        Collections.shuffle(order, random);
        for (final int node : order.subList(0, random.nextInt(1 + Math.max(2, nodes / 12)))) {
            final long[] at = times(random, slots);
            for (int i = 0; i < at.length; i++) {
                faults.add(new Fault.Node(at[i], node, i % 2 == 1));
            }
        }
        Collections.shuffle(order, random);
        for (final int from : order.subList(0, random.nextInt(1 + nodes / 4))) {
            final int to = shale.schedule().peerOf(from, random.nextInt(shale.schedule().epochSlots()));
            final long[] at = times(random, slots);
            for (int i = 0; i < at.length; i++) {
                faults.add(new Fault.Link(at[i], from, to, i % 2 == 1));
            }
        }
        // Of a seed of its own: the other faults of a seed stay what they are.
        final Random clocks = new Random(~shale.seed());
        if (clocks.nextInt(2) == 0) {
            final int node = clocks.nextInt(nodes);
            final long[] at = times(clocks, slots);
            for (int i = 0; i < at.length; i++) {
                faults.add(new Fault.Clock(at[i], node, i % 2 == 1));
            }
        }
        if (random.nextInt(3) > 0 || faults.isEmpty()) {
            final long[] at = times(random, slots);
            for (int i = 0; i < at.length; i++) {
                faults.add(new Fault.Corruption(at[i], i % 2 == 1 ? 0 : Math.pow(10, -1.5 - 3 * random.nextDouble())));
            }
        }
        return faults;
    }

    /** When something fails and is repaired, in turn: once or some times, for long or only for a slot. */
    private static long[] times(final Random random, final long slots) {
        final int count = 2 * (1 + random.nextInt(random.nextInt(3) + 1));
        final long[] at = random.longs(count, 0, slots).sorted().toArray();
        if (random.nextInt(4) == 0) {
            at[1] = at[0] + random.nextInt(2);
        }
        return Arrays.stream(at).sorted().toArray();
    }

    @Override
    public String toString() {
        return "seed=" + seed + " h=" + shale.schedule().phases() + " r=" + shale.schedule().coordinates().radix()
            + " endpoints=" + shale.population().endpoints() + " cc=" + shale.mechanisms() + " T=" + shale.tokens()
            + "/" + shale.firstHopTokens() + " P=" + shale.propagationSlots() + " " + shale.failures() + " faults="
            + faults.plan().faults().size() + " mended=" + mended;
    }
}
