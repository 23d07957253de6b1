package dev.skerry.nic.flow;

import java.util.Arrays;
import java.util.LongSummaryStatistics;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Dependencies between the flows of a {@link FlowSet}. A dependent flow starts a delay after all flows for which it
 * waits have been delivered, but not before its start slot. Flows of a node can share dependencies in a join, which
 * waits for flows and other joins and is complete a delay after the last of them. Joins are numbered after all flows.
 * Edges are ordered by the flow or join that is waited for. Immutable; any thread may call.
 *
 * <pre>
 *   of flow f: edges first[f] to first[f + 1] - 1
 *   edge       0            1            2
 *              +------------+------------+------------+
 *   waiting    | flow       | flow       | flow       |
 *              +------------+------------+------------+
 * </pre>
 */
public final class FlowWaits {
    /** Maximum number of flows of a cycle in a message. */
    static final int NAMED = 8;
    private static final int NONE = -1;

    private final int flows;
    private final int[] first;
    private final int[] waiting;
    /** By flow and join: the number of flows and joins for which it waits, and its delay after the last of them. */
    private final int[] count;
    private final long[] delay;
    /** By join: one of the flows that wait for it. */
    private final int[] owner;
    /** Job of each flow; null if jobs are derived from the pairs. */
    private final int[] job;

    /**
     * Creates dependencies.
     *
     * @param before by pair, the flow or join that is waited for.
     * @param after  by pair, the flow or join that waits.
     * @param pairs  number of pairs.
     * @param delay  by flow and join: slots after the completion of the last one for which it waits, 0 or more.
     * @param joins  number of joins, which are numbered after the flows.
     * @throws IllegalArgumentException if a pair contains an unknown flow or join. Cycles are detected by
     *                                  {@link FlowSet#setWaits}.
     */
    public FlowWaits(final int[] before, final int[] after, final int pairs, final long[] delay, final int joins) {
        final int all = delay.length;
        this.flows = all - joins;
        this.job = null;
        this.first = new int[all + 1];
        this.waiting = new int[pairs];
        this.count = new int[all];
        this.delay = delay.clone();
        this.owner = new int[joins];
        for (int pair = 0; pair < pairs; pair++) {
            if (Math.min(before[pair], after[pair]) < 0 || Math.max(before[pair], after[pair]) >= all) {
                throw new IllegalArgumentException("no such flow: " + after[pair] + " waits for " + before[pair]);
            }
            first[before[pair] + 1]++;
            count[after[pair]]++;
        }
        for (int flow = 0; flow < all; flow++) {
            first[flow + 1] += first[flow];
        }
        final int[] next = first.clone();
        for (int pair = 0; pair < pairs; pair++) {
            waiting[next[before[pair]]++] = after[pair];
        }
        Arrays.fill(owner, NONE);
        final int[] ordered = ordered(count.clone());
        for (int i = ordered.length - 1; i >= 0; i--) {
            final int at = ordered[i];
            if (isJoin(at) && first[at] < first[at + 1]) {
                owner[at - flows] = flowOf(waiting[first[at]]);
            }
        }
    }

    private FlowWaits(final FlowWaits of, final int[] job) {
        this.flows = of.flows;
        this.first = of.first;
        this.waiting = of.waiting;
        this.count = of.count;
        this.delay = of.delay;
        this.owner = of.owner;
        this.job = job;
    }

    /** The same dependencies with an explicit job for each flow. */
    public FlowWaits inJobs(final int... jobOf) {
        return new FlowWaits(this, jobOf.clone());
    }

    /**
     * Flows of a cycle, at most {@link #NAMED}: each waits for the next one, and the last of a complete cycle waits for
     * the first; empty if there is no cycle.
     */
    int[] cycle() {
        final int[] left = count.clone();
        return ordered(left).length == left.length ? new int[0] : cycle(left);
    }

    /** Flows and joins in topological order; those on or after a cycle are missing, and have dependencies left. */
    private int[] ordered(final int[] left) {
        final int[] ready = new int[left.length];
        int known = 0;
        for (int flow = 0; flow < left.length; flow++) {
            ready[known] = flow;
            known += left[flow] == 0 ? 1 : 0;
        }
        for (int done = 0; done < known; done++) {
            for (int edge = first[ready[done]]; edge < first[ready[done] + 1]; edge++) {
                if (--left[waiting[edge]] == 0) {
                    ready[known++] = waiting[edge];
                }
            }
        }
        return Arrays.copyOf(ready, known);
    }

    /** Every remaining flow waits for a remaining one: following these backwards, some flow occurs a second time. */
    private int[] cycle(final int[] left) {
        final int[] awaited = new int[left.length];
        int at = 0;
        for (int flow = 0; flow < left.length; flow++) {
            for (int edge = first[flow]; left[flow] > 0 && edge < first[flow + 1]; edge++) {
                awaited[waiting[edge]] = flow;
            }
            at = left[flow] > 0 ? flow : at;
        }
        final boolean[] passed = new boolean[left.length];
        for (; !passed[at]; at = awaited[at]) {
            passed[at] = true;
        }
        final int[] cycle = new int[NAMED];
        int length = 0;
        int next = at;
        do {
            cycle[length] = next;
            length += isJoin(next) ? 0 : 1;
            next = awaited[next];
        } while (next != at && length < NAMED);
        return Arrays.copyOf(cycle, length);
    }

    /** Number of flows. */
    int flows() {
        return flows;
    }

    /** Number of flows and joins. */
    public int all() {
        return count.length;
    }

    /** Number of flows for which each flow waits, including those before its joins. */
    public LongSummaryStatistics awaited() {
        final long[] of = new long[count.length];
        for (final int before : ordered(count.clone())) {
            for (int edge = first[before]; edge < first[before + 1]; edge++) {
                of[waiting[edge]] += isJoin(before) ? of[before] : 1;
            }
        }
        return Arrays.stream(of, 0, flows).summaryStatistics();
    }

    /** Whether a number identifies a join. */
    public boolean isJoin(final int number) {
        return number >= flows;
    }

    /** The flow itself, or a flow that waits for the join; all flows that wait for a join have the same source. */
    public int flowOf(final int number) {
        return isJoin(number) ? owner[number - flows] : number;
    }

    /**
     * Checks that the flows that wait for a join have exactly one source, so that one bank manages it. There must be no
     * cycle.
     */
    void checkJoins(final FlowSet flows) {
        for (int join = this.flows; join < count.length; join++) {
            if (flowOf(join) == NONE || count[join] == 0) {
                throw new IllegalArgumentException("a join waits for nothing, or no flow waits for it: join=" + join);
            }
            for (int edge = first[join]; edge < first[join + 1]; edge++) {
                final int behind = flowOf(waiting[edge]);
                if (behind == NONE || flows.source(behind) != flows.source(flowOf(join))) {
                    throw new IllegalArgumentException("flows of several nodes wait for one join: join=" + join);
                }
            }
        }
    }

    /** Number of pairs of a flow or join and one that waits for it. */
    int edges() {
        return waiting.length;
    }

    /** The first edge of a flow; its edges end at the first edge of the next flow. */
    int firstEdge(final int flow) {
        return first[flow];
    }

    /** The flow or join that waits, by edge. */
    int waiting(final int edge) {
        return waiting[edge];
    }

    /** The flows and joins that wait for a flow or join. */
    public IntStream behind(final int number) {
        return Arrays.stream(waiting, first[number], first[number + 1]);
    }

    /** The flows that wait for a flow, directly or through joins. */
    public IntStream waitingFor(final int flow) {
        return behind(flow).flatMap(after -> isJoin(after) ? waitingFor(after) : IntStream.of(after));
    }

    /** The graph as a sequence of numbers, for comparison. */
    public LongStream numbers() {
        return LongStream.concat(IntStream.concat(Arrays.stream(first), Arrays.stream(waiting)).asLongStream(),
            Arrays.stream(delay));
    }

    /** Number of flows and joins for which a flow or join waits. */
    public int count(final int flow) {
        return count[flow];
    }

    /** Delay of a flow or join after the last one for which it waits, in slots. */
    public long delay(final int flow) {
        return delay[flow];
    }

    /**
     * The slot from which each flow may send, in a finished run.
     *
     * @param flows           the flows.
     * @param completedBefore by flow, the slot after its completion; 0 if it is not complete.
     * @param noticeSlots     see {@link Releases}.
     * @return {@link Long#MAX_VALUE} for a flow that still waits.
     */
    long[] starts(final FlowSet flows, final long[] completedBefore, final long noticeSlots) {
        final int[] left = count.clone();
        final long[] starts = new long[left.length];
        for (final int before : ordered(count.clone())) {
            final boolean ends = isJoin(before) ? left[before] == 0 : completedBefore[before] > 0;
            for (int edge = first[before]; ends && edge < first[before + 1]; edge++) {
                final int after = waiting[edge];
                left[after]--;
                starts[after] = Math.max(starts[after], isJoin(before) ? starts[before] + delay[before]
                    : Releases.known(flows, before, flowOf(after), completedBefore[before] - 1, noticeSlots));
            }
        }
        for (int flow = 0; flow < flows.size(); flow++) {
            starts[flow] = left[flow] > 0 ? Long.MAX_VALUE : Math.max(flows.startSlot(flow),
                count[flow] == 0 ? 0 : starts[flow] + delay[flow]);
        }
        return Arrays.copyOf(starts, flows.size());
    }

    /**
     * The step of each flow: 0 if it waits for no flow, otherwise one more than the maximum step of the flows for which
     * it waits.
     */
    public int[] steps() {
        final int[] step = new int[count.length];
        for (final int before : ordered(count.clone())) {
            for (int edge = first[before]; edge < first[before + 1]; edge++) {
                final int after = waiting[edge];
                step[after] = Math.max(step[after], step[before] + (isJoin(after) ? 0 : 1));
            }
        }
        return Arrays.copyOf(step, flows);
    }

    /**
     * The job of each flow, numbered from 0. By default, flows that are directly or indirectly connected by
     * dependencies form one job.
     */
    public int[] jobs() {
        if (job != null) {
            return job.clone();
        }
        final int[] parent = IntStream.range(0, count.length).toArray();
        for (int before = 0; before < parent.length; before++) {
            for (int edge = first[before]; edge < first[before + 1]; edge++) {
                parent[root(parent, waiting[edge])] = root(parent, before);
            }
        }
        final int[] number = new int[parent.length];
        final int[] connected = new int[flows];
        int known = 0;
        for (int flow = 0; flow < flows; flow++) {
            final int root = root(parent, flow);
            number[root] = number[root] == 0 ? ++known : number[root];
            connected[flow] = number[root] - 1;
        }
        return connected;
    }

    private static int root(final int[] parent, final int of) {
        int at = of;
        for (; parent[at] != at; at = parent[at]) {
            parent[at] = parent[parent[at]];
        }
        return at;
    }
}
