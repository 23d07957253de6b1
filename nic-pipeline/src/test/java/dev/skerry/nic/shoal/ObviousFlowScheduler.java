package dev.skerry.nic.shoal;

import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * What {@link ShoalFlowScheduler} says it does, in lists and maps: messages of flows take turns cell by cell, or the
 * shortest goes first; cells that came back go before all.
 */
final class ObviousFlowScheduler {
    /** What is left of a message: cells from one sequence number to before another. */
    private static final class Message {
        private final int index;
        private int next;
        private int end;
        private final boolean isBack;

        private Message(final int index, final int next, final int end, final boolean isBack) {
            this.index = index;
            this.next = next;
            this.end = end;
            this.isBack = isBack;
        }
    }

    /** All traffic of a row to a destination. */
    private static final class Flow {
        private final Deque<Message> messages = new ArrayDeque<>();
        private int number = -1;
        private long start;
    }

    private final NodeRange range;
    private final FlowSet flows;
    private final FlowOrder order;
    private final IntPredicate refused;
    private final List<Map<Integer, Flow>> flowsOfRow = new ArrayList<>();
    /** By row, destinations in the order in which flows became active. */
    private final List<List<Integer>> active = new ArrayList<>();
    private final int[] flowsOfNode;
    private final Map<Integer, Message> onDemand = new HashMap<>();
    private final Set<Integer> failed = new HashSet<>();
    private int coming;
    long started;
    long injected;
    long notSent;
    int open;

    /** Flows of a range of nodes; those to some destinations are refused. */
    ObviousFlowScheduler(final NodeRange range, final FlowSet flows, final FlowOrder order,
        final IntPredicate refused) {
        this.order = order;
        this.range = range;
        this.flows = flows;
        this.refused = refused;
        this.flowsOfNode = new int[range.size()];
        for (int row = 0; row < range.size() * flows.classes(); row++) {
            flowsOfRow.add(new TreeMap<>());
            active.add(new ArrayList<>());
        }
        for (int flow = 0; flow < flows.size(); flow++) {
            open += isOurs(flow) ? 1 : 0;
        }
    }

    private boolean isOurs(final int flow) {
        return range.first() <= flows.source(flow) && flows.source(flow) < range.end();
    }

    void activate(final long slot) {
        for (; coming < flows.size() && flows.startSlot(coming) <= slot; coming++) {
            if (isOurs(coming)) {
                started++;
                final Message message = new Message(coming, 0, flows.cells(coming), false);
                if (refused.test(flows.destination(coming))) {
                    giveUp(message);
                } else {
                    append(message, slot);
                }
            }
        }
    }

    void offer(final int index, final int cells, final long slot) {
        final Message message = onDemand.computeIfAbsent(index, i -> new Message(i, 0, 0, false));
        final boolean over = message.next == message.end;
        message.end += cells;
        if (over) {
            open++;
            started++;
            append(message, slot);
        }
    }

    private void append(final Message message, final long slot) {
        final int node = flows.source(message.index) - range.first();
        final int row = node * flows.classes() + flows.trafficClass(message.index);
        final int destination = flows.destination(message.index);
        final Flow flow = flowsOfRow.get(row).computeIfAbsent(destination, to -> new Flow());
        if (flow.number < 0) {
            flow.number = flowsOfNode[node]++;
        }
        if (flow.messages.isEmpty()) {
            flow.start = slot;
            active.get(row).add(destination);
        }
        flow.messages.add(message);
    }

    /** Takes the next cell of an active flow of a row. */
    long take(final int row, final int destination) {
        final Deque<Message> messages = flowsOfRow.get(row).get(destination).messages;
        final Message message = next(messages);
        final long cell = Cell.of(message.index, message.next++);
        injected++;
        if (message.next < message.end) {
            if (order == FlowOrder.ROUND_ROBIN) {
                messages.remove(message);
                messages.add(message);
            }
        } else {
            messages.remove(message);
            open--;
            if (messages.isEmpty()) {
                active.get(row).remove((Integer) destination);
            }
        }
        return cell;
    }

    private Message next(final Deque<Message> messages) {
        return order == FlowOrder.ROUND_ROBIN || messages.getFirst().isBack ? messages.getFirst()
            : messages.stream().min(Comparator.comparingInt(message -> flows.cells(message.index))).orElseThrow();
    }

    void giveBack(final int row, final int destination, final long cell) {
        final Deque<Message> messages = flowsOfRow.get(row).get(destination).messages;
        if (messages.isEmpty()) {
            active.get(row).add(destination);
        }
        messages.addFirst(new Message(Cell.flow(cell), Cell.sequence(cell), Cell.sequence(cell) + 1,
            true));
        open++;
    }

    void failRefused(final int node) {
        for (int row = node * flows.classes(); row < (node + 1) * flows.classes(); row++) {
            for (final int destination : List.copyOf(active.get(row))) {
                if (refused.test(destination)) {
                    final Deque<Message> messages = flowsOfRow.get(row).get(destination).messages;
                    messages.forEach(this::giveUp);
                    messages.clear();
                    active.get(row).remove((Integer) destination);
                }
            }
        }
    }

    private void giveUp(final Message message) {
        notSent += message.end - message.next;
        failed.add(message.index);
        open--;
    }

    /** Flows of which a message was given up. */
    int failed() {
        return failed.size();
    }

    /** The active flows of a row, as a scheduler shows them. */
    int[] active(final int row) {
        return active.get(row).stream().mapToInt(to -> ActiveFlows.flow(to, number(row, to))).toArray();
    }

    /** The only active flow of a row, if it is its node's first. */
    int only(final int row) {
        final int[] all = active(row);
        return all.length == 1 && ActiveFlows.number(all[0]) == 0 ? all[0] : ActiveFlows.NONE;
    }

    /** A bit for the number of each active flow. */
    long[] bits(final int row, final int words) {
        final long[] bits = new long[words];
        for (final int flow : active(row)) {
            bits[ActiveFlows.number(flow) / Long.SIZE] |= 1L << ActiveFlows.number(flow) % Long.SIZE;
        }
        return bits;
    }

    int number(final int row, final int destination) {
        return flowsOfRow.get(row).get(destination).number;
    }

    long start(final int row, final int destination) {
        return flowsOfRow.get(row).get(destination).start;
    }

    int flowsOf(final int node) {
        return flowsOfNode[node];
    }

    /** Messages of a flow that take turns. */
    int messages(final int row, final int destination) {
        return flowsOfRow.get(row).get(destination).messages.size();
    }
}
