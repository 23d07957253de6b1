package dev.skerry.tools.trace;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;

/**
 * Slots, or operations, that are traced.
 *
 * @param first     the first one.
 * @param end       one past the last.
 * @param untilDone whether it also ends when every flow is done.
 */
public record SlotRange(long first, long end, boolean untilDone) {
    /** Refuses an empty or backward range. */
    public SlotRange {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException("not a range: first=" + first + " end=" + end);
        }
    }

    /**
     * Takes a fabric to the next slot of the range.
     *
     * @return false if there is none.
     */
    boolean advance(final FabricModel model, final FlowSet flows) {
        do {
            if (model.slot() == end || untilDone && model.isDone(flows)) {
                return false;
            }
            model.step();
        }
        while (model.slot() <= first);
        return true;
    }
}
