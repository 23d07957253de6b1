package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/** Sums the counters and statistics of all banks into an {@link Outcome}. */
final class OutcomeBuilder {
    private OutcomeBuilder() {
    }

    /** The outcome of a run of some slots that left some cells held; {@code looked} as in {@link Bank#sampled}. */
    static Outcome of(final CircuitFabric fabric, final FlowSet flows, final FlowTable flowTable, final Bank[] banks,
        final Timeline[] timelines, final long slots, final long looked, final long held) {
        final long[] counts = new long[NicCounter.values().length];
        final SlotHistogram latency = new SlotHistogram();
        long digest = 0;
        int maxReorder = 0;
        Outcome.Drop firstDrop = null;
        Outcome.Sampled sampled = null;
        for (final Bank bank : banks) {
            for (final NicCounter counter : NicCounter.values()) {
                counts[counter.ordinal()] = counter.join(counts[counter.ordinal()], bank.count(counter));
            }
            firstDrop = Outcome.Drop.first(firstDrop, bank.firstDrop());
            sampled = Outcome.Sampled.merged(sampled, bank.sampled(slots, looked));
            final DeliveryLedger deliveries = bank.deliveries();
            digest += deliveries.digest();
            maxReorder = Math.max(maxReorder, deliveries.maxReorder());
            latency.add(deliveries.latency());
        }
        final int[] completed = inOrderOfCompletion(fabric.population(), flows, flowTable);
        final long[] completedIn = new long[completed.length];
        for (int i = 0; i < completed.length; i++) {
            completedIn[i] = flowTable.completedBefore(completed[i]) - 1;
        }
        return new Outcome(slots, counts, firstDrop, held, digest, maxReorder, completed, completedIn,
            nodes(fabric.population(), banks), Timeline.merged(timelines), latency, sampled);
    }

    /** By slot, then node, then index: a node with several channels may complete several flows in a slot. */
    private static int[] inOrderOfCompletion(final Population population, final FlowSet flows,
        final FlowTable flowTable) {
        final long[][] keys = new long[flows.size()][];
        int count = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final long before = flowTable.completedBefore(flow);
            if (before > 0) {
                keys[count++] = new long[] {before, population.nodeOf(flows.destination(flow)), flow};
            }
        }
        Arrays.sort(keys, 0, count, (a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1]));
        final int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = (int) keys[i][2];
        }
        return order;
    }

    private static Outcome.Nodes nodes(final Population population, final Bank[] banks) {
        final int count = population.listed();
        final Outcome.Nodes nodes = new Outcome.Nodes(new int[count], new int[count], new int[count]);
        for (final Bank bank : banks) {
            for (int node = 0; node < bank.range().size(); node++) {
                final int listed = population.numberOf(bank.range().first() + node);
                if (listed >= 0) {
                    nodes.bufferOccupancy()[listed] = bank.maxima().maxHeld(node);
                    nodes.queueLength()[listed] = bank.maxima().maxQueue(node);
                    nodes.activeBuckets()[listed] = bank.maxActiveBuckets(node);
                }
            }
        }
        return nodes;
    }
}
