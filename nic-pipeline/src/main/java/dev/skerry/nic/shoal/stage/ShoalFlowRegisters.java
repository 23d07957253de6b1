package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.schedule.Population;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The flows of a node of Shoal as registers, where nothing can fail: its messages and their order. One thread. */
final class ShoalFlowRegisters {
    private static final int NONE = ShoalMessages.NONE;

    private final ShoalFlowScheduler scheduler;
    private final FlowSet flows;
    private final Population population;
    private final FlowStarts arrivals;
    private final ShoalFlows shoalFlows;
    private final ShoalMessages messages;

    ShoalFlowRegisters(final ShoalFlowScheduler scheduler) {
        this.scheduler = scheduler;
        this.flows = scheduler.flows;
        this.population = scheduler.population;
        this.arrivals = scheduler.arrivals;
        this.shoalFlows = scheduler.shoalFlows;
        this.messages = scheduler.messages;
    }

    /** The flows of all nodes. */
    FlowSet set() {
        return flows;
    }

    /** Before the first slot: messages that start before a slot are there. */
    void begin(final long slot) {
        if (slot > 0) {
            scheduler.activate(slot - 1);
        }
    }

    /** Cells of a message that have joined a queue; 0 for one of another node, or one that is still to come. */
    int sent(final int index) {
        final int i = place(index);
        return i == NONE ? 0 : messages.sent(i);
    }

    /**
     * Sets them; if it is all, the message is over.
     *
     * @throws IllegalArgumentException if it has not come yet, is over, or has fewer cells.
     */
    void setSent(final int index, final long cells) {
        final int i = place(index);
        if (i == NONE && cells == 0) {
            return;
        }
        if (i == NONE || cells < 0 || cells > flows.cells(index)
            || messages.sent(i) == messages.cells(i) && cells < messages.cells(i)) {
            throw new IllegalArgumentException("not a flow of this node that has started and is not over, or not so "
                + "many cells: flow=" + index + " cells=" + cells);
        }
        if (messages.sent(i) < messages.cells(i) && cells == messages.cells(i)) {
            messages.close(i);
        }
        messages.setSent(i, (int) cells);
    }

    /** The messages to a destination that have cells to send, the next one first: indices of the flow set. */
    long[] messages(final int row, final int destination) {
        final List<Long> list = new ArrayList<>();
        for (int i = shoalFlows.head(shoalFlows.at(row, destination)); i != NONE; i = messages.next(i)) {
            list.add((long) messages.index(i));
        }
        return list.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * Sets their order.
     *
     * @throws IllegalArgumentException if one has no cells to send, goes elsewhere, or stands twice.
     */
    void setMessages(final int row, final int destination, final long... indices) {
        final int[] places = new int[indices.length];
        final Set<Integer> known = new HashSet<>();
        for (int k = 0; k < places.length; k++) {
            places[k] = indices[k] < 0 || indices[k] >= flows.size() ? NONE : place((int) indices[k]);
            if (places[k] == NONE || messages.sent(places[k]) == messages.cells(places[k])
                || population.nodeOf(flows.destination((int) indices[k])) != destination || !known.add(places[k])) {
                throw new IllegalArgumentException("not a flow of this node to that destination with cells to send, or "
                    + "twice: flow=" + indices[k] + " destination=" + destination);
            }
        }
        final long at = shoalFlows.at(row, destination);
        shoalFlows.setHead(at, places.length == 0 ? NONE : places[0]);
        for (int k = 0; k < places.length; k++) {
            messages.setNext(places[k], k + 1 < places.length ? places[k + 1] : NONE);
            shoalFlows.setTail(at, places[k]);
        }
        scheduler.note(row);
    }

    /** The destinations to which there are cells to send, in the order of the search, and since which slot each. */
    long[] active(final int row) {
        final long[] words = new long[2 * scheduler.active().size(row)];
        for (int k = 0; k < words.length; k += 2) {
            final int flow = scheduler.active().get(row, k / 2);
            words[k] = ActiveFlows.destination(flow);
            words[k + 1] = scheduler.startSlot(row, flow);
        }
        return words;
    }

    /**
     * Sets them, after the messages.
     *
     * @throws IllegalArgumentException if they are not the destinations that have messages.
     */
    void setActive(final int row, final int nodes, final long... words) {
        final Set<Long> named = new HashSet<>();
        for (int k = 0; k < words.length / 2; k++) {
            named.add(words[2 * k]);
        }
        final Set<Long> busy = new HashSet<>();
        for (int to = 0; to < nodes; to++) {
            if (shoalFlows.head(shoalFlows.at(row, to)) != NONE) {
                busy.add((long) to);
            }
        }
        if (words.length % 2 != 0 || named.size() != words.length / 2 || !named.equals(busy)) {
            throw new IllegalArgumentException("two words for each destination that has messages, once: destinations="
                + busy);
        }
        while (scheduler.active().size(row) > 0) {
            scheduler.active().remove(row, scheduler.active().get(row, 0));
        }
        for (int k = 0; k < words.length; k += 2) {
            final int to = (int) words[k];
            shoalFlows.setStartSlot(shoalFlows.at(row, to), words[k + 1]);
            scheduler.active().add(row, ActiveFlows.flow(to, scheduler.numberOf(row, to)));
        }
        scheduler.note(row);
    }

    /** The bank's number of a message that has started, -1 for none. */
    private int place(final int index) {
        for (int i = 0; i < arrivals.started(); i++) {
            if (arrivals.flow(i) == index) {
                return i;
            }
        }
        return NONE;
    }
}
