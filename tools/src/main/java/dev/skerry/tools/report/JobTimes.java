package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;
import dev.skerry.tools.report.RunResult.Measure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Times of jobs, which are sets of flows that wait for each other, in steps (docs/spec/waiting-flows.md §4). The step
 * of a flow is one more than the maximum step of the flows that it waits for. A step lasts from the end of the last
 * flow of all earlier steps to the end of its own last flow. Immutable.
 *
 * @param steps steps of all jobs, in order.
 * @param waiting flows that were never released.
 */
public record JobTimes(List<Step> steps, long waiting) {
    /** The times of a run in which no flow waits for another. */
    public static final JobTimes NONE = new JobTimes(List.of(), 0);

    private static final long OPEN = -1;

    /**
     * A step of a job.
     *
     * @param job    number of the job, from 0.
     * @param step   number of the step in its job, from 0.
     * @param flows  number of flows in the step.
     * @param start  slot in which the first flow starts; -1 if none has started.
     * @param median slot in which half of the flows are complete; -1 if this was not reached.
     * @param end    slot in which all flows are complete; -1 if this was not reached.
     * @param slots  length of the step in slots; -1 if it or an earlier step is not complete.
     * @param last   description of the flow that completes last.
     */
    public record Step(int job, int step, int flows, long start, long median, long end, long slots, String last) {
    }

    /**
     * Computes the times of a run.
     *
     * @param flows   flows with the slots in which they started, see {@link FlowSet#started}.
     * @param outcome outcome of the run.
     */
    public static JobTimes of(final FlowSet flows, final Outcome outcome) {
        final FlowWaits waits = flows.waits();
        if (waits == null) {
            return NONE;
        }
        final long[] end = new long[flows.size()];
        Arrays.fill(end, Long.MAX_VALUE);
        for (int i = 0; i < outcome.completed().length; i++) {
            end[outcome.completed()[i]] = outcome.completedIn()[i];
        }
        final int[] job = waits.jobs();
        final int[] step = waits.steps();
        final int[] size = new int[flows.size()];
        Arrays.stream(job).forEach(of -> size[of]++);
        final int[] order = IntStream.range(0, flows.size()).filter(flow -> size[job[flow]] > 1).boxed()
            .sorted(Comparator.<Integer>comparingInt(flow -> job[flow]).thenComparingInt(flow -> step[flow])
                .thenComparingLong(flow -> end[flow])).mapToInt(flow -> flow).toArray();
        final List<Step> steps = new ArrayList<>();
        int number = -1;
        long over = 0;
        for (int from = 0, to; from < order.length; from = to) {
            to = from;
            while (to < order.length && job[order[to]] == job[order[from]] && step[order[to]] == step[order[from]]) {
                to++;
            }
            final int[] of = Arrays.copyOfRange(order, from, to);
            if (step[of[0]] == 0) {
                number++;
                over = Arrays.stream(of).mapToLong(flows::startSlot).min().orElseThrow() - 1;
            }
            steps.add(step(flows, of, end, new int[] {number, step[of[0]]}, over));
            over = steps.getLast().slots < 0 ? OPEN : over + steps.getLast().slots;
        }
        return new JobTimes(steps, IntStream.range(0, flows.size())
            .filter(flow -> flows.startSlot(flow) == Long.MAX_VALUE).count());
    }

    private static Step step(final FlowSet flows, final int[] of, final long[] end, final int[] place,
        final long over) {
        final int last = of[of.length - 1];
        final long median = end[of[(of.length - 1) / 2]];
        final boolean isOpen = end[last] == Long.MAX_VALUE;
        final long start = Arrays.stream(of).mapToLong(flows::startSlot).min().orElseThrow();
        return new Step(place[0], place[1], of.length, start == Long.MAX_VALUE ? OPEN : start,
            median == Long.MAX_VALUE ? OPEN : median, isOpen ? OPEN : end[last],
            isOpen || place[1] > 0 && over == OPEN ? OPEN : Math.max(0, end[last] - over),
            "flow " + flows.id(last) + " from " + flows.source(last) + " to " + flows.destination(last));
    }

    /** Returns the measures of the jobs for reports. */
    public List<Measure> measures() {
        if (steps.isEmpty()) {
            return List.of();
        }
        final List<Measure> measures = new ArrayList<>();
        final long[] makespan = makespans();
        measures.add(new Measure("jobs", "jobs", steps.getLast().job + 1, "jobs (flows that depend on each other)"));
        measures.add(new Measure("jobsDone", "jobs", makespan.length, "jobs done"));
        if (makespan.length > 0) {
            measures.add(new Measure("makespanSlots", "slots", makespan[makespan.length - 1],
                "slots from the first start to the last end of the longest job"));
        }
        if (makespan.length > 1) {
            measures.add(new Measure("shortestMakespanSlots", "slots", makespan[0], "slots of the shortest job"));
        }
        final List<Step> done = steps.stream().filter(step -> step.slots >= 0)
            .sorted(Comparator.comparingLong(Step::slots)).toList();
        if (!done.isEmpty()) {
            final Step slowest = done.getLast();
            final Step late = done.stream().max(Comparator.comparingLong(step -> step.end - step.median)).orElseThrow();
            measures.add(new Measure("stepSlotsMedian", "slots", done.get((done.size() - 1) / 2).slots,
                "slots of a step, median of " + Numbers.counted(done.size(), "step")));
            measures.add(new Measure("stepSlotsMax", "slots", slowest.slots, "slots of the slowest step, "
                + slowest.step + " of job " + slowest.job));
            measures.add(new Measure("stragglerSlots", "slots", late.end - late.median, "slots from the median to the "
                + "last end in step " + late.step + " of job " + late.job + ", " + late.last));
        }
        if (waiting > 0) {
            measures.add(new Measure("flowsWaiting", "flows", waiting, "flows still waiting for others"));
        }
        return measures;
    }

    /** Returns the slots from the first start to the last end of each complete job, in ascending order. */
    private long[] makespans() {
        final LongStream.Builder makespans = LongStream.builder();
        long sum = 0;
        for (int i = 0; i < steps.size(); i++) {
            final Step step = steps.get(i);
            sum = step.step == 0 ? step.slots : sum + step.slots;
            if (step.slots >= 0 && (i + 1 == steps.size() || steps.get(i + 1).step == 0)) {
                makespans.add(sum);
            }
        }
        return makespans.build().sorted().toArray();
    }

    /** Returns a number as a table shows it; empty for {@link #OPEN}. */
    private static String cell(final long number) {
        return number == OPEN ? "" : Long.toString(number);
    }

    /** Writes the file of steps into a folder; does nothing if there are no jobs. */
    void writeInto(final Path folder) throws IOException {
        if (!steps.isEmpty()) {
            ResultFiles.table(folder, "steps", "job,step,flows,start_slot,median_end_slot,end_slot,slots,last",
                steps.size(), i -> {
                    final Step step = steps.get(i);
                    return step.job + "," + step.step + "," + step.flows + "," + cell(step.start) + ","
                        + cell(step.median) + "," + cell(step.end) + "," + cell(step.slots) + "," + step.last;
                });
        }
    }
}
