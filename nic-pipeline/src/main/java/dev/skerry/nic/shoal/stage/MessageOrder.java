package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.shoal.FlowOrder;

/**
 * The order in which the messages of a flow send their cells: the first of the flow's list sends the next one. A cell
 * that came back goes before all messages. Callers pass the offset of a flow in {@link ShoalFlows}. One thread.
 */
abstract sealed class MessageOrder {
    private static final int NONE = ShoalMessages.NONE;

    final ShoalFlows flows;
    final ShoalMessages messages;

    private MessageOrder(final ShoalFlows flows, final ShoalMessages messages) {
        this.flows = flows;
        this.messages = messages;
    }

    static MessageOrder of(final FlowOrder order, final ShoalFlows flows, final ShoalMessages messages) {
        return switch (order) {
            case ROUND_ROBIN -> new TurnByTurn(flows, messages);
            case SHORTEST -> new ShortestFirst(flows, messages);
        };
    }

    /** A message joins the others of an active flow. */
    abstract void join(long at, int message);

    /** The first message has sent a cell and has more, and others wait. */
    abstract void pass(long at, int message);

    /** A message becomes the only one of a flow. */
    final void begin(final long at, final int message) {
        flows.setHead(at, message);
        flows.setTail(at, message);
    }

    /** A cell has come back: it is the first. */
    final void putFirst(final long at, final int message) {
        final int head = flows.head(at);
        messages.setNext(message, head);
        flows.setHead(at, message);
        if (head == NONE) {
            flows.setTail(at, message);
        }
    }

    final void append(final long at, final int message) {
        messages.setNext(message, NONE);
        messages.setNext(flows.tail(at), message);
        flows.setTail(at, message);
    }

    /** Messages take turns cell by cell: the first goes to the end. */
    private static final class TurnByTurn extends MessageOrder {
        TurnByTurn(final ShoalFlows flows, final ShoalMessages messages) {
            super(flows, messages);
        }

        @Override
        void join(final long at, final int message) {
            append(at, message);
        }

        @Override
        void pass(final long at, final int message) {
            flows.setHead(at, messages.next(message));
            append(at, message);
        }
    }

    /**
     * Messages lie in order of their length, equal ones as they came, and the first stays until it is sent or a shorter
     * one comes: as the authors' simulator does if built with SHORTEST_FLOW_FIRST. Takes time for each that waits.
     */
    private static final class ShortestFirst extends MessageOrder {
        ShortestFirst(final ShoalFlows flows, final ShoalMessages messages) {
            super(flows, messages);
        }

        @Override
        void join(final long at, final int message) {
            int before = NONE;
            int after = flows.head(at);
            while (after != NONE && (messages.isBack(after) || messages.cells(after) <= messages.cells(message))) {
                before = after;
                after = messages.next(after);
            }
            if (after == NONE) {
                append(at, message);
            } else if (before == NONE) {
                putFirst(at, message);
            } else {
                messages.setNext(message, after);
                messages.setNext(before, message);
            }
        }

        @Override
        void pass(final long at, final int message) {
            // It is still the shortest.
        }
    }
}
