package dev.skerry.nic.engine;

import static dev.skerry.nic.engine.RowExchange.ints;
import static dev.skerry.nic.engine.RowExchange.longs;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.engine.Assembly.Audit.CellBalance;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Laws;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Combines the outcomes of members. Each covers the member's own nodes, and has 0 for others. */
public final class OutcomeParts {
    private OutcomeParts() {
    }

    /** The outcome of the whole fabric; each member calls with its own outcome. */
    public static Outcome joined(final Outcome mine, final Population population, final FlowSet flows,
        final RowExchange exchange) {
        Outcome sum = null;
        for (final long[][] columns : exchange.gather(columns(mine))) {
            final Outcome part = outcome(columns);
            sum = sum == null ? part : joined(sum, part);
        }
        return ordered(sum, population, flows);
    }

    private static Outcome joined(final Outcome one, final Outcome other) {
        final long[] counts = new long[one.counts().length];
        for (final NicCounter counter : NicCounter.values()) {
            counts[counter.ordinal()] = counter.join(one.count(counter), other.count(counter));
        }
        final SlotHistogram latency = new SlotHistogram();
        latency.add(one.latency());
        latency.add(other.latency());
        return new Outcome(Math.max(one.slots(), other.slots()), counts,
            Outcome.Drop.first(one.firstDrop(), other.firstDrop()),
            one.cellsHeld(), one.digest() + other.digest(), Math.max(one.maxReorder(), other.maxReorder()),
            IntStream.concat(Arrays.stream(one.completed()), Arrays.stream(other.completed())).toArray(),
            LongStream.concat(Arrays.stream(one.completedIn()), Arrays.stream(other.completedIn())).toArray(),
            new Outcome.Nodes(
            most(one.nodes().bufferOccupancy(), other.nodes().bufferOccupancy()),
            most(one.nodes().queueLength(), other.nodes().queueLength()),
            most(one.nodes().activeBuckets(), other.nodes().activeBuckets())),
            new Outcome.DeliveredOverTime(one.timeline().intervalSlots(),
                LongStream.range(0, one.timeline().cells().length).map(i -> one.timeline().cells()[(int) i]
                    + other.timeline().cells()[(int) i]).toArray()), latency,
            Outcome.Sampled.merged(one.sampled(), other.sampled()));
    }

    /** The same outcome with its flows in order of completion. */
    private static Outcome ordered(final Outcome of, final Population population, final FlowSet flows) {
        final int[] completed = of.completed();
        final long[] in = of.completedIn();
        final int[] order = order(IntStream.range(0, completed.length), i -> in[i],
            i -> population.nodeOf(flows.destination(completed[i])));
        return new Outcome(of.slots(), of.counts(), of.firstDrop(), of.cellsHeld(), of.digest(), of.maxReorder(),
            Arrays.stream(order).map(i -> completed[i]).toArray(),
            Arrays.stream(order).mapToLong(i -> in[i]).toArray(), of.nodes(), of.timeline(), of.latency(),
            of.sampled());
    }

    /** The completed flows of a table, in {@link #order}. */
    public static int[] completed(final FlowSet flows, final FlowTable table, final Population population) {
        return order(IntStream.range(0, flows.size()).filter(flow -> table.completedBefore(flow) > 0),
            table::completedBefore, flow -> population.nodeOf(flows.destination(flow)));
    }

    /**
     * Completed flows ordered by slot, then node, then in the given order, because a node with several channels may
     * complete several flows in a slot.
     *
     * @param in   the slot of each flow, or one more.
     * @param node the destination of each flow.
     */
    public static int[] order(final IntStream completed, final IntToLongFunction in, final IntUnaryOperator node) {
        return completed.boxed().sorted(Comparator.<Integer>comparingLong(in::applyAsLong)
            .thenComparingInt(node::applyAsInt)).mapToInt(i -> i).toArray();
    }

    private static long[][] columns(final Outcome of) {
        final Outcome.Drop drop = of.firstDrop() == null ? new Outcome.Drop(-1, -1) : of.firstDrop();
        final Outcome.Sampled sampled = of.sampled() == null ? new Outcome.Sampled(new long[0], 0, 0) : of.sampled();
        final LongStream.Builder latency = LongStream.builder();
        of.latency().forEach((slots, cells) -> latency.add(slots).add(cells));
        return new long[][] {
            {of.slots(), drop.slot(), drop.node(), of.cellsHeld(), of.digest(), of.maxReorder(),
                of.timeline().intervalSlots(), sampled.parkedCells(), sampled.dummies()},
            of.counts(), longs(of.completed()), of.completedIn(), longs(of.nodes().bufferOccupancy()),
            longs(of.nodes().queueLength()), longs(of.nodes().activeBuckets()), of.timeline().cells(),
            latency.build().toArray(), sampled.queueLengths()};
    }

    private static Outcome outcome(final long[][] of) {
        final long[] one = of[0];
        final SlotHistogram latency = new SlotHistogram();
        for (int i = 0; i < of[8].length; i += 2) {
            latency.record((int) of[8][i], of[8][i + 1]);
        }
        return new Outcome(one[0], of[1], one[1] < 0 ? null : new Outcome.Drop(one[1], (int) one[2]), one[3], one[4],
            (int) one[5], ints(of[2]), of[3], new Outcome.Nodes(ints(of[4]), ints(of[5]), ints(of[6])),
            new Outcome.DeliveredOverTime(one[6], of[7]), latency,
            of[9].length == 0 ? null : new Outcome.Sampled(of[9], (int) one[7], one[8]));
    }

    private static int[] most(final int[] one, final int[] other) {
        return IntStream.range(0, one.length).map(i -> Math.max(one[i], other[i])).toArray();
    }

    /**
     * State of a run at its end, for one or more members.
     *
     * @param stepped         slots done, the same at all members.
     * @param balance         locations of their cells.
     * @param completed       flows completed at their nodes.
     * @param completedBefore the slot after the last completion; 0 if there was none.
     * @param lastFate        the slot in which the last cell was delivered or lost.
     */
    public record MemberEnd(long stepped, CellBalance balance, long completed, long completedBefore, long lastFate) {
        /** State at the end for the banks of one member. */
        static MemberEnd of(final Assembly assembly, final long stepped) {
            return new MemberEnd(stepped, stepped == 0 ? CellBalance.NOTHING : assembly.audit.balance(stepped - 1),
                assembly.count(NicCounter.FLOWS_COMPLETED), assembly.completedBefore(), assembly.lastFate());
        }

        /**
         * Combined state at the end; each member calls with its own.
         *
         * @throws IllegalStateException if the members ended in different slots.
         */
        public MemberEnd joined(final RowExchange exchange) {
            MemberEnd sum = null;
            for (final long[][] columns : exchange.gather(new long[] {stepped, completed, completedBefore, lastFate},
                new long[] {balance.injected(), balance.resent(), balance.returned(), balance.delivered(),
                    balance.dropped(), balance.held()})) {
                final long[] run = columns[0];
                final long[] cells = columns[1];
                final MemberEnd end = new MemberEnd(run[0], new CellBalance(cells[0], cells[1], cells[2], cells[3],
                    cells[4], cells[5]), run[1], run[2], run[3]);
                Laws.brokenIf(end.stepped != stepped, "members have ended in different slots: here=", stepped,
                    " there=", end.stepped);
                sum = sum == null ? end : new MemberEnd(stepped, sum.balance.plus(end.balance),
                    sum.completed + end.completed, Math.max(sum.completedBefore, end.completedBefore),
                    Math.max(sum.lastFate, end.lastFate));
            }
            return sum;
        }

        /** Like {@link Assembly#lastCompletion}, over all members. */
        long lastCompletion(final int flows) {
            return completed < flows ? lastFate + 1 : completedBefore;
        }
    }
}
