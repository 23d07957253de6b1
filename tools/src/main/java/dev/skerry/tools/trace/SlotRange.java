package dev.skerry.tools.trace;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

/**
 * Range of traced slots or operations.
 *
 * @param first     first one.
 * @param end       one past the last.
 * @param untilDone whether the range also ends when every flow is complete.
 */
public record SlotRange(long first, long end, boolean untilDone) {
    /** Refuses an empty or backward range. */
    public SlotRange {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException("not a range: first=" + first + " end=" + end);
        }
    }

    /**
     * The range that was typed.
     *
     * @param typed FROM:TO, null for all.
     * @param most  end of the run.
     * @throws InputException if it is no range within the run.
     */
    public static SlotRange of(final String typed, final long most, final boolean untilDone) {
        if (typed == null) {
            return new SlotRange(0, most, untilDone);
        }
        final SlotRange asked;
        try {
            final String[] ends = typed.split(":");
            asked = new SlotRange(Long.parseLong(ends[0]), Long.parseLong(ends.length == 2 ? ends[1] : ""), untilDone);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--range", typed, "is no range", "give the first and one past the last, such as "
                + "1000:2000");
        }
        Choices.refuseIf(asked.end() > most, "--range", typed, "the run ends at " + most, "give --slots "
            + asked.end());
        return asked;
    }

    /**
     * Runs a fabric to the next slot of the range.
     *
     * @param step runs a slot of it.
     * @return false at the end of the range.
     */
    boolean advance(final FabricModel model, final FlowSet flows, final Runnable step) {
        do {
            if (model.slot() == end || untilDone && model.isDone(flows)) {
                return false;
            }
            step.run();
        }
        while (model.slot() <= first);
        return true;
    }
}
