package dev.skerry.tools.trace;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;

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
