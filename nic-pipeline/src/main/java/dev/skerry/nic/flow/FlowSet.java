package dev.skerry.nic.flow;

import dev.skerry.schedule.check.Bounds;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The flows of a run in order of start slot, as plain arrays indexed by flow. A trace or a workload generator fills the
 * set. Endpoints are user node ids from 0 to the number of endpoints - 1; the pipeline maps them to the nodes that are
 * present. One thread fills the set; then any thread may read it.
 */
public final class FlowSet {
    /** Number of cells of an endless flow. */
    public static final int ENDLESS = Integer.MAX_VALUE;
    /** Maximum number of traffic classes. */
    public static final int MAX_CLASSES = 4;

    private int size;
    private long[] id = new long[16];
    private int[] source = new int[16];
    private int[] destination = new int[16];
    private long[] bytes = new long[16];
    private int[] cells = new int[16];
    private long[] startSlot = new long[16];
    private byte[] trafficClass = new byte[16];
    private int classes = 1;
    private boolean onDemand;
    /** Maximum number of flows, or 0 unless the set is open. */
    private int capacity;
    /** Dependencies between flows; null if there are none. */
    private FlowWaits waits;

    /** Creates an empty set. */
    public FlowSet() {
    }

    /**
     * Creates an open set: {@link #add} may append flows while models run, on the thread that steps them. Every model
     * of a fabric accepts a new flow with its next slot.
     *
     * @param capacity maximum number of flows, at least 1; a model has room for them from the start.
     */
    public static FlowSet open(final int capacity) {
        Bounds.atLeast("capacity", capacity, 1);
        final FlowSet set = new FlowSet();
        set.capacity = capacity;
        return set;
    }

    /**
     * Appends a flow. Flows must come in order of their start slot.
     *
     * @param flowId  id given by the user.
     * @param from    sending endpoint.
     * @param to      receiving endpoint, not {@code from}.
     * @param size    payload bytes, or {@link Long#MAX_VALUE} if endless.
     * @param cellsOf cells of the flow, at least 1, or {@link #ENDLESS}.
     * @param start   first slot in which its first cell may be sent.
     */
    public void add(final long flowId, final int from, final int to, final long size, final int cellsOf,
        final long start) {
        if (this.size > 0 && start < startSlot[this.size - 1]) {
            throw new IllegalArgumentException("flows must be in order of start slot: flow=" + flowId + " start="
                + start + " previous=" + startSlot[this.size - 1]);
        }
        if (from == to || cellsOf < 1 || start < 0) {
            throw new IllegalArgumentException("not a flow: flow=" + flowId + " source=" + from + " destination=" + to
                + " cells=" + cellsOf + " start=" + start);
        }
        if (isOpen() && this.size == capacity) {
            throw new IllegalArgumentException("the set has room for no more flows: flow=" + flowId + " capacity="
                + capacity);
        }
        if (this.size == id.length) {
            grow();
        }
        final int flow = this.size++;
        id[flow] = flowId;
        source[flow] = from;
        destination[flow] = to;
        bytes[flow] = size;
        cells[flow] = cellsOf;
        startSlot[flow] = start;
    }

    /**
     * Appends a flow to an open set while models of a fabric run. Called by the thread that steps them.
     *
     * @param endpoints number of endpoints of the fabric.
     * @param next      the next slot of the model.
     * @param start     first slot in which the flow's first cell may be sent.
     * @return its index.
     * @throws IllegalArgumentException if the set is full or not open, the flow starts before {@code next} or before
     *                                  the previous flow, or an endpoint does not exist.
     */
    public int offer(final int endpoints, final long next, final long start, final int from, final int to,
        final int cellsOf) {
        if (!isOpen()) {
            throw new IllegalArgumentException("this model was created with a fixed set of flows: create an open set");
        }
        if (start < next) {
            throw new IllegalArgumentException("a flow starts in the next slot or later: start=" + start + " next="
                + next);
        }
        if (Math.min(from, to) < 0 || Math.max(from, to) >= endpoints) {
            throw new IllegalArgumentException("no such endpoint: source=" + from + " destination=" + to
                + " endpoints=" + endpoints);
        }
        add(size, from, to, Long.MAX_VALUE, cellsOf, start);
        return size - 1;
    }

    /**
     * Appends a flow without start and end. An {@code Edge} offers its cells while the fabric runs. Either all flows of
     * a set are of this kind, or none.
     *
     * @param flowId spreads flows over queues in a fabric that has several queues for a pair of endpoints.
     * @param from   sending endpoint.
     * @param to     receiving endpoint, not {@code from}.
     */
    public void addOnDemand(final long flowId, final int from, final int to) {
        if (size > 0 && !onDemand) {
            throw new IllegalArgumentException("flows on demand cannot be combined with other flows: flows=" + size);
        }
        onDemand = true;
        add(flowId, from, to, Long.MAX_VALUE, ENDLESS, 0);
    }

    /** Whether an {@code Edge} offers the cells of all flows while the fabric runs. */
    public boolean isOnDemand() {
        return onDemand;
    }

    /**
     * Puts the flow added last into a traffic class. Without this call it is in class 0, the highest.
     *
     * @param number the class, 0 to {@link #MAX_CLASSES} - 1. A smaller number has priority.
     */
    public void setClass(final int number) {
        if (number < 0 || number >= MAX_CLASSES || size == 0) {
            throw new IllegalArgumentException("trafficClass must be 0 to " + (MAX_CLASSES - 1) + ": trafficClass="
                + number + " flows=" + size);
        }
        trafficClass[size - 1] = (byte) number;
        classes = Math.max(classes, number + 1);
    }

    /**
     * Returns the same flows with classes assigned by size, short flows in the highest class.
     *
     * @param limits payload bytes in ascending order: flows of up to {@code limits[0]} get class 0, of up to
     *               {@code limits[1]} class 1, and so on; longer flows get the class after the last limit.
     */
    public FlowSet classedBySize(final long... limits) {
        if (limits.length >= MAX_CLASSES) {
            throw new IllegalArgumentException("at most " + (MAX_CLASSES - 1) + " limits make " + MAX_CLASSES
                + " classes: limits=" + Arrays.toString(limits));
        }
        for (int i = 1; i < limits.length; i++) {
            if (limits[i] <= limits[i - 1]) {
                throw new IllegalArgumentException("limits must ascend: limits=" + Arrays.toString(limits));
            }
        }
        final FlowSet classed = new FlowSet();
        for (int flow = 0; flow < size; flow++) {
            classed.add(id[flow], source[flow], destination[flow], bytes[flow], cells[flow], startSlot[flow]);
            int number = 0;
            while (number < limits.length && bytes[flow] > limits[number]) {
                number++;
            }
            classed.setClass(number);
        }
        classed.waits = waits;
        return classed;
    }

    /**
     * Adds dependencies between flows. All flows must have been added.
     *
     * @throws IllegalArgumentException if they form a cycle; the message contains the ids of its flows.
     */
    public void setWaits(final FlowWaits which) {
        if (which.flows() != size || isOpen() || onDemand) {
            throw new IllegalArgumentException("flows that wait for others must be given beforehand: "
                + "flows=" + size + " waits="
                + which.flows());
        }
        final int[] cycle = which.cycle();
        if (cycle.length > 0) {
            throw new IllegalArgumentException(Arrays.stream(cycle).mapToObj(flow -> "flow " + id[flow])
                .collect(Collectors.joining(" waits for ")) + (cycle.length < FlowWaits.NAMED ? " waits for flow "
                : " and so on, up to flow ") + id[cycle[0]]);
        }
        which.checkJoins(this);
        waits = which;
    }

    /** Dependencies between flows; null if there are none. */
    public FlowWaits waits() {
        return waits;
    }

    /**
     * The same flows with their start slots in a run, for its reports: a flow that waited starts at the slot from which
     * it could send, or {@link Long#MAX_VALUE} if it was not released.
     *
     * @param completed   the flows that are complete.
     * @param completedIn the completion slot of each.
     * @param noticeSlots notification delay of the fabric.
     */
    public FlowSet started(final int[] completed, final long[] completedIn, final long noticeSlots) {
        if (waits == null) {
            return this;
        }
        final long[] completedBefore = new long[size];
        for (int i = 0; i < completed.length; i++) {
            completedBefore[completed[i]] = completedIn[i] + 1;
        }
        final FlowSet started = classedBySize();
        started.trafficClass = trafficClass;
        started.classes = classes;
        started.startSlot = waits.starts(this, completedBefore, noticeSlots);
        return started;
    }

    /** A set of one flow of this set, in its class. */
    public FlowSet only(final int flow) {
        final FlowSet one = new FlowSet();
        one.add(id[flow], source[flow], destination[flow], bytes[flow], cells[flow], startSlot[flow]);
        one.setClass(trafficClass[flow]);
        one.classes = classes;
        return one;
    }

    private void grow() {
        final int capacity = id.length * 2;
        id = Arrays.copyOf(id, capacity);
        source = Arrays.copyOf(source, capacity);
        destination = Arrays.copyOf(destination, capacity);
        bytes = Arrays.copyOf(bytes, capacity);
        cells = Arrays.copyOf(cells, capacity);
        startSlot = Arrays.copyOf(startSlot, capacity);
        trafficClass = Arrays.copyOf(trafficClass, capacity);
    }

    /** Whether flows may be appended while models run. */
    public boolean isOpen() {
        return capacity > 0;
    }

    /** Maximum number of flows of the set: its size, unless it is open. */
    public int places() {
        return isOpen() ? capacity : size;
    }

    /** Number of flows. */
    public int size() {
        return size;
    }

    /** Id given by the user. */
    public long id(final int flow) {
        return id[flow];
    }

    /** The endpoint that sends a flow. */
    public int source(final int flow) {
        return source[flow];
    }

    /** The endpoint that receives a flow. */
    public int destination(final int flow) {
        return destination[flow];
    }

    /** Payload bytes of a flow, {@link Long#MAX_VALUE} if endless. */
    public long bytes(final int flow) {
        return bytes[flow];
    }

    /** Number of cells that a flow can send; for an endless flow, a number that no run reaches. */
    public long sendableCells(final int index) {
        return cells(index) == ENDLESS ? Long.MAX_VALUE >>> 32 : cells(index);
    }

    /** Cells of a flow, or {@link #ENDLESS}. */
    public int cells(final int flow) {
        return cells[flow];
    }

    /**
     * Moves the start of a flow forward that was added with a start in the future, after all earlier flows of its
     * source. Called between two calls that advance an engine; afterwards flows are not in order of their start.
     *
     * @param slot a slot that no engine has started.
     */
    public void startAt(final int flow, final long slot) {
        if (slot > startSlot[flow] || slot < 0) {
            throw new IllegalArgumentException("a flow must start in the slot for which it was added: "
                + "flow=" + flow + " slot="
                + slot + " latest=" + startSlot[flow]);
        }
        startSlot[flow] = slot;
    }

    /** The start slot of a flow. */
    public long startSlot(final int flow) {
        return startSlot[flow];
    }

    /** The traffic class of a flow, 0 the highest. */
    public int trafficClass(final int flow) {
        return trafficClass[flow];
    }

    /** Number of traffic classes; 1 if no flow was assigned to a class. */
    public int classes() {
        return classes;
    }
}
