package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.ControlFactory;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;

/** No congestion control: everything may be sent, first come first served, without feedback. */
public final class Unlimited implements CongestionControl {
    /** The instance for any bank; it has no state. */
    public static final Unlimited INSTANCE = new Unlimited();
    /** Returns the instance. */
    public static final ControlFactory FACTORY = new ControlFactory() {
        @Override
        public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
            return INSTANCE;
        }

        @Override
        public boolean takesRegisters() {
            return true;
        }
    };

    private Unlimited() {
    }

    @Override
    public boolean trySpend(final int firstQueue, final int[] which, final int some, final Requests asks) {
        for (int k = 0; k < some; k++) {
            asks.paid()[which[k]] = asks.waiting()[which[k]] | asks.local()[which[k]];
        }
        return true;
    }

    @Override
    public boolean takesSingleNodes() {
        return true;
    }

    @Override
    public boolean isIdle() {
        return true;
    }

    @Override
    public long feedbackFrom(final int first) {
        return 0;
    }

    @Override
    public void onReceive(final int firstQueue, final int first, final int[] which, final int some,
        final CellBatch joined, final long[] feedback) {
    }
}
