package example;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;

/** A node starts no cell of its own while it holds {@code MOST} cells of others. One bank, one thread. */
public final class HoldingControl implements CongestionControl {
    private static final int MOST = 8;

    /** By node of the bank: cells of others that wait at it. */
    private final int[] held;

    private HoldingControl(final int nodes) {
        held = new int[nodes];
    }

    /** The service: {@code --cc hold+spray-short}. */
    public static final class Factory implements ControlFactory {
        @Override
        public String name() {
            return "hold";
        }

        @Override
        public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
            return new HoldingControl(nodes);
        }
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        return held[node] < MOST;
    }

    @Override
    public void onEnqueue(final int node, final long entry) {
        held[node]++;
    }

    @Override
    public void onDequeue(final int queue, final long entry) {
        held[queue % held.length]--;
    }
}
