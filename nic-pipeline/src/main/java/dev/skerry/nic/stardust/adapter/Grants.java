package dev.skerry.nic.stardust.adapter;

import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.IntFifo;

import java.util.Arrays;

/**
 * The queues of a bank's adapters that may send, in the order of their credits, higher classes first
 * (docs/spec/stardust.md §3.3). One thread.
 */
final class Grants {
    /** Instead of a queue. */
    static final int NONE = -1;

    private final int classes;
    /** By adapter and class. */
    private final IntFifo[] fifos;
    private final IndexSet adapters;

    /** No queue may send. */
    Grants(final int adapters, final int classes) {
        this.classes = classes;
        this.fifos = new IntFifo[adapters * classes];
        Arrays.setAll(fifos, i -> new IntFifo());
        this.adapters = new IndexSet(adapters);
    }

    /** A queue of an adapter may send once more. */
    void add(final int adapter, final int queue) {
        fifos[adapter * classes + queue % classes].add(queue);
        adapters.add(adapter);
    }

    /** Takes the queue of an adapter whose turn it is; {@link #NONE} if there is none. */
    int next(final int adapter) {
        for (int level = adapter * classes; level < (adapter + 1) * classes; level++) {
            if (!fifos[level].isEmpty()) {
                return fifos[level].poll();
            }
        }
        return NONE;
    }

    /** Adapters with queues that may send; the caller takes one out that has none left. */
    IndexSet adapters() {
        return adapters;
    }
}
