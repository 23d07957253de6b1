package dev.skerry.nic.flow;

import dev.skerry.schedule.Population;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * Releases the flows that wait for others ({@link FlowWaits}, docs/spec/waiting-flows.md). If a flow completes at its
 * destination in slot t, a waiting node is notified in slot t + 1 if it is the destination, and otherwise in slot
 * t + {@link #noticeSlots}. In every engine, a bank reaches that slot only after the other banks have finished slot t
 * and made their edges visible, so results do not depend on threads or processes:
 * <ul>
 *   <li>lock step: edges are visible from the barrier on, and a stride is at most P slots; if P is 0 or 1, workers
 *       synchronise in every slot.
 *   <li>threads: edges are visible when their bank has published slot t. With Shale and Shoal, all banks must have
 *       published slot t before an agent begins slot t + {@code noticeSlots}; with Stardust, banks of adapters are at
 *       most two link delays apart.
 *   <li>members: edges of slot s are sent with the rows of slot s + 1, and rows of slot s arrive before slot s + P + 1.
 * </ul>
 *
 * <p>The thread of a destination {@linkplain #completed posts} an edge to the bank of the waiting flow, with the slot
 * of the notification. Each edge is posted once, so the lists of all banks share one array. The thread of the receiving
 * bank takes its list and keeps the released flows in order of their slots. With interleaved schedules, a node has a
 * queue per schedule; the first one to be polled takes the list for all of them.
 */
public final class Releases {
    private static final int NONE = -1;
    /** Value used instead of a bank if the node is in another process. */
    private static final int AWAY = -1;
    /**
     * Values used instead of the number of missing edges of a released flow that waits for its delay, or for its turn
     * at its node.
     */
    private static final int DELAYED = -1;
    private static final int DEFERRED = -2;

    private final FlowSet flows;
    private final FlowWaits waits;
    private final Population population;
    private final long noticeSlots;
    /** By edge: the next one of its list, and the slot of its notification; 0 if it is not posted. */
    private final int[] next;
    private final long[] knownIn;
    /** By flow: the queue in which it waits, or {@link #AWAY}. */
    private final int[] queueOf;
    /** By flow and join: missing edges; the slot of the last notification, without and with delays of joins. */
    private final int[] left;
    private final long[] latest;
    private final long[] due;
    /** By complete join: the next one whose waiting flows have not been updated. */
    private final int[] nextJoin;
    private ReleaseQueue[] queues = new ReleaseQueue[0];
    private final AtomicLong away = new AtomicLong(NONE);

    /**
     * Creates the state in which no flow is complete.
     *
     * @param flows       flows, some of which wait.
     * @param noticeSlots see {@link #noticeSlots()}.
     */
    public Releases(final FlowSet flows, final Population population, final long noticeSlots) {
        this.flows = flows;
        this.waits = flows.waits();
        this.population = population;
        this.noticeSlots = noticeSlots;
        this.next = new int[waits.edges()];
        this.knownIn = new long[waits.edges()];
        this.queueOf = new int[flows.size()];
        Arrays.fill(queueOf, AWAY);
        this.left = new int[waits.all()];
        Arrays.setAll(left, waits::count);
        this.latest = new long[waits.all()];
        this.due = new long[waits.all()];
        this.nextJoin = new int[waits.all() - flows.size()];
    }

    /** The slot in which the source of a waiting flow is notified that another one is complete. */
    static long known(final FlowSet flows, final int finished, final int waiting, final long slot,
        final long noticeSlots) {
        return slot + (flows.destination(finished) == flows.source(waiting) ? 1 : noticeSlots);
    }

    /** Slots after which all nodes know that a flow is complete. */
    public long noticeSlots() {
        return noticeSlots;
    }

    /** Creates the queue of flows that start in a bank; one thread creates all queues. */
    public ReleaseQueue queue(final NodeRange range, final int[] own) {
        final ReleaseQueue[] others = queues(range);
        final ReleaseQueue queue = new ReleaseQueue(range, own, others.length == 0 ? new Posted() : others[0].posted);
        for (final int flow : own) {
            queueOf[flow] = queues.length;
        }
        queues = Arrays.copyOf(queues, queues.length + 1);
        queues[queues.length - 1] = queue;
        return queue;
    }

    /** The queues of the flows that start in a range of nodes. */
    public ReleaseQueue[] queues(final NodeRange range) {
        return Arrays.stream(queues).filter(queue -> queue.range.equals(range)).toArray(ReleaseQueue[]::new);
    }

    /**
     * Posts the completion of a flow at its destination in a slot; returns the number of edges posted. Any thread may
     * call.
     */
    public int completed(final int flow, final long slot) {
        final int end = waits.firstEdge(flow + 1);
        for (int edge = waits.firstEdge(flow); edge < end; edge++) {
            final int waiting = waits.flowOf(waits.waiting(edge));
            post(edge, queueOf[waiting] == AWAY ? away : queues[queueOf[waiting]].posted.head,
                known(flows, flow, waiting, slot, noticeSlots));
        }
        return end - waits.firstEdge(flow);
    }

    private void post(final int edge, final AtomicLong head, final long slot) {
        knownIn[edge] = slot;
        long before = head.get();
        do {
            next[edge] = (int) before;
            before = head.compareAndExchange(next[edge], edge); // R1: the edge; pairs with A1
        } while (before != next[edge]);
    }

    /** Passes on the edges to nodes of other processes that were posted since the last call. One thread at a time. */
    public void away(final IntConsumer into) {
        int edge = away.get() == NONE ? NONE : (int) away.getAndSet(NONE); // A1
        for (; edge != NONE; edge = next[edge]) {
            into.accept(edge);
        }
    }

    /** The node whose flow waits, by edge. */
    public int node(final int edge) {
        return population.nodeOf(flows.source(waits.flowOf(waits.waiting(edge))));
    }

    /** The slot of the notification of a posted edge. */
    public long knownIn(final int edge) {
        return knownIn[edge];
    }

    /**
     * Posts an edge to a node of this process on behalf of another process.
     *
     * @throws IllegalArgumentException if the edge does not exist, was posted before or leads to a node of another
     *                                  process.
     */
    public void came(final int edge, final long slot) {
        final int queue = edge < 0 || edge >= next.length ? AWAY : queueOf[waits.flowOf(waits.waiting(edge))];
        if (queue == AWAY || knownIn[edge] != 0) {
            throw new IllegalArgumentException("edge=" + edge);
        }
        post(edge, queues[queue].posted.head, slot);
    }

    /** The edges posted to a bank. */
    private static final class Posted {
        /** The edge posted last, or {@link #NONE}. Any thread may access it. */
        private final AtomicLong head = new AtomicLong(NONE);
        /** The slot in which one of the queues was last polled. */
        private long polled = -1;
    }

    /**
     * The flows of a bank that have not started. Released flows are in order of the slot of their next step: the last
     * edge is notified, the delay has passed, the node activates the flow. One thread at a time. The heap is
     * implemented here because checkpoints need plain arrays and the keys of a PIEO have no room for slots.
     */
    public final class ReleaseQueue {
        private final NodeRange range;
        /** Shared by all queues of a bank. */
        private final Posted posted;
        /** A heap by slot, then flow. */
        private final long[] slots;
        private final int[] heap;
        private int size;
        private long waitingFlows;
        private long waitingCells;
        private int delayed;

        private ReleaseQueue(final NodeRange range, final int[] own, final Posted posted) {
            this.range = range;
            this.posted = posted;
            this.slots = new long[own.length];
            this.heap = new int[own.length];
            for (final int flow : own) {
                if (left[flow] == 0) {
                    push(flow, flows.startSlot(flow));
                } else {
                    waitingFlows++;
                    waitingCells += flows.sendableCells(flow);
                }
            }
        }

        /** Number of flows that still wait for others. */
        public long waitingFlows() {
            return waitingFlows;
        }

        /** Number of cells of these flows. */
        public long waitingCells() {
            return waitingCells;
        }

        /** Whether a released flow is waiting for its delay. */
        public boolean isDelayed() {
            return delayed > 0;
        }

        /** The slot in which the next flow takes a step, or {@link Long#MAX_VALUE}. */
        public long nextSlot() {
            take();
            return size == 0 ? Long.MAX_VALUE : slots[0];
        }

        /**
         * The next flow that may start in a slot, in order of the slots from which they may start; -1 if there is none.
         * Slots must be in ascending order.
         */
        public int poll(final long now) {
            take();
            posted.polled = now;
            while (size > 0 && slots[0] <= now) {
                final int flow = heap[0];
                final long slot = slots[0];
                pop();
                final long start = due[flow] + waits.delay(flow);
                if (left[flow] != 0 || waits.count(flow) == 0 || start <= slot) {
                    delayed -= left[flow] == DELAYED ? 1 : 0;
                    return flow;
                }
                left[flow] = DELAYED;
                delayed++;
                push(flow, start);
            }
            return NONE;
        }

        /** Defers the start of a polled flow to a later slot. */
        void defer(final int flow, final long slot) {
            left[flow] = DEFERRED;
            push(flow, slot);
        }

        /** Whether a polled flow has reached the slot to which it was deferred. */
        boolean isDeferred(final int flow) {
            return left[flow] == DEFERRED;
        }

        /** Takes the posted edges. */
        private void take() {
            int edge = posted.head.get() == NONE ? NONE : (int) posted.head.getAndSet(NONE); // A1: pairs with R1
            for (; edge != NONE; edge = next[edge]) {
                if (knownIn[edge] <= posted.polled) {
                    throw new IllegalStateException("a completion was notified too late: edge=" + edge + " slot="
                        + posted.polled + " known=" + knownIn[edge]);
                }
                int join = know(waits.waiting(edge), knownIn[edge], knownIn[edge], NONE);
                while (join != NONE) {
                    final int complete = join;
                    final int end = waits.firstEdge(complete + 1);
                    join = nextJoin[complete - flows.size()];
                    final long from = due[complete] + waits.delay(complete);
                    for (int behind = waits.firstEdge(complete); behind < end; behind++) {
                        join = know(waits.waiting(behind), latest[complete], from, join);
                    }
                }
            }
        }

        /**
         * Accounts for an edge to a flow or join, with the slot of its notification and the slot from which its delay
         * counts.
         *
         * @param joins head of the list of complete joins whose waiting flows have not been updated, or {@link #NONE}.
         * @return the head of the list, to which the join has been added if it is complete.
         */
        private int know(final int of, final long slot, final long from, final int joins) {
            latest[of] = Math.max(latest[of], slot);
            due[of] = Math.max(due[of], from);
            if (--left[of] > 0) {
                return joins;
            }
            if (waits.isJoin(of)) {
                nextJoin[of - flows.size()] = joins;
                return of;
            }
            queues[queueOf[of]].release(of);
            return joins;
        }

        private void release(final int flow) {
            waitingFlows--;
            waitingCells -= flows.sendableCells(flow);
            push(flow, Math.max(flows.startSlot(flow), latest[flow]));
        }

        private boolean isBefore(final long slot, final int flow, final int at) {
            return slot < slots[at] || slot == slots[at] && flow < heap[at];
        }

        private void push(final int flow, final long slot) {
            int at = size++;
            for (int up = at - 1 >> 1; at > 0 && isBefore(slot, flow, up); up = at - 1 >> 1) {
                slots[at] = slots[up];
                heap[at] = heap[up];
                at = up;
            }
            slots[at] = slot;
            heap[at] = flow;
        }

        private void pop() {
            final long slot = slots[--size];
            final int flow = heap[size];
            int at = 0;
            for (int down = 1; down < size; down = 2 * at + 1) {
                down += down + 1 < size && isBefore(slots[down + 1], heap[down + 1], down) ? 1 : 0;
                if (isBefore(slot, flow, down)) {
                    break;
                }
                slots[at] = slots[down];
                heap[at] = heap[down];
                at = down;
            }
            slots[at] = slot;
            heap[at] = flow;
        }
    }
}
