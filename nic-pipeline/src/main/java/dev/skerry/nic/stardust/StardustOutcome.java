package dev.skerry.nic.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.FlowOutcomes;
import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;

/** Sums the counters and statistics of all banks into an {@link Outcome}, once no bank runs. */
final class StardustOutcome {
    private StardustOutcome() {
    }

    static Outcome of(final Stardust fabric, final FlowSet flows, final StardustBank[] banks,
        final FlowOutcomes flowOutcomes, final long slots, final long held) {
        final long[] counts = new long[NicCounter.values().length];
        final SlotHistogram latency = new SlotHistogram();
        long digest = 0;
        int maxReorder = 0;
        Outcome.Drop firstDrop = null;
        for (final StardustBank bank : banks) {
            for (final NicCounter counter : NicCounter.values()) {
                counts[counter.ordinal()] = counter.join(counts[counter.ordinal()], bank.count(counter));
            }
            firstDrop = Outcome.Drop.first(firstDrop, bank.tally().firstDrop());
            if (bank.egress() != null) {
                digest += bank.egress().digest();
                maxReorder = Math.max(maxReorder, bank.egress().maxWaiting());
                latency.add(bank.egress().latency());
            }
        }
        // A flow is complete with the last byte its port sends; what is still to be sent at the end is not.
        final Integer[] completed = completed(fabric, flows, banks, flowOutcomes, slots);
        counts[NicCounter.FLOWS_COMPLETED.ordinal()] = completed.length;
        final int[] order = new int[completed.length];
        final long[] completedIn = new long[completed.length];
        long end = slots;
        for (int i = 0; i < order.length; i++) {
            order[i] = completed[i];
            completedIn[i] = flowOutcomes.completedBefore(order[i]) - 1;
            end = Math.max(end, completedIn[i] + 1);
        }
        final Timeline[] timelines = Arrays.stream(banks).map(StardustBank::timeline).toArray(Timeline[]::new);
        return new Outcome(end, counts, firstDrop, held, digest, maxReorder, order, completedIn,
            nodes(fabric, banks), Timeline.merged(timelines), latency, null);
    }

    /** Flows to these banks that are complete, in order of completion. */
    private static Integer[] completed(final Stardust fabric, final FlowSet flows, final StardustBank[] banks,
        final FlowOutcomes flowOutcomes, final long slots) {
        final int ports = fabric.hosts().ports();
        final int first = banks[0].share().first(0) * ports;
        final int end = Arrays.stream(banks).mapToInt(bank -> bank.share().end(0)).max().orElseThrow() * ports;
        final Integer[] found = new Integer[flows.size()];
        int count = 0;
        final boolean all = allArrived(flows, flowOutcomes);
        for (int flow = 0; flow < flows.size(); flow++) {
            final long before = flowOutcomes.completedBefore(flow);
            final int to = flows.destination(flow);
            if (before > 0 && (all || before <= slots) && to >= first && to < end) {
                found[count++] = flow;
            }
        }
        final Integer[] order = Arrays.copyOf(found, count);
        Arrays.sort(order, (a, b) -> {
            final int bySlot = Long.compare(flowOutcomes.completedBefore(a),
                flowOutcomes.completedBefore(b));
            return bySlot != 0 ? bySlot : Integer.compare(flows.destination(a), flows.destination(b));
        });
        return order;
    }

    private static boolean allArrived(final FlowSet flows, final FlowOutcomes flowOutcomes) {
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flowOutcomes.completedBefore(flow) == 0) {
                return false;
            }
        }
        return true;
    }

    private static void lastStage(final Stardust fabric, final StardustBank bank, final int element,
        final int[] queueLength) {
        final int first = fabric.clos().firstPort(element);
        for (int port = first; port < first + fabric.clos().downPorts(element); port++) {
            if (fabric.clos().peer(port) != FoldedClos.NONE) {
                final int node = fabric.clos().deviceOf(fabric.clos().peer(port)) * fabric.hosts().ports();
                queueLength[node] = Math.max(queueLength[node], bank.devices().longestAt(port));
            }
        }
    }

    /** What an adapter held in its own queues and what waited in front of its links is told of its first port. */
    private static Outcome.Nodes nodes(final Stardust fabric, final StardustBank[] banks) {
        final int ports = fabric.hosts().ports();
        final Outcome.Nodes nodes = new Outcome.Nodes(new int[fabric.nodes()], new int[fabric.nodes()],
            new int[fabric.nodes()]);
        for (final StardustBank bank : banks) {
            for (int adapter = bank.share().first(0); adapter < bank.share().end(0); adapter++) {
                nodes.bufferOccupancy()[adapter * ports] = bank.devices().maxHeld(adapter);
                final int longest = bank.devices().longest(adapter);
                nodes.queueLength()[adapter * ports] = Math.max(nodes.queueLength()[adapter * ports], longest);
            }
            for (int element = bank.share().first(1); element < bank.share().end(1); element++) {
                lastStage(fabric, bank, element, nodes.queueLength());
            }
        }
        return nodes;
    }
}
