package dev.skerry.nic.stardust.adapter;

import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.IntFifo;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The queues of a bank's adapters that may send, in the order of their credits, higher classes first
 * (docs/spec/stardust.md §3.3). A queue stands there once, whatever credits it gets until its turn comes: it then sends
 * for one of them and stands last again. With an entry a credit, the entries of an adapter that gets credits for more
 * than its links carry would grow without bounds, and old entries would spend new credits. One thread.
 */
final class Grants {
    /** Instead of a queue. */
    static final int NONE = -1;

    private final int classes;
    /** By adapter and class. */
    private final IntFifo[] fifos;
    private final IndexSet adapters;
    /** By queue of the bank, a bit: it stands in the order. */
    private final BitSet waiting;

    /**
     * No queue may send.
     *
     * @param queues of all adapters together.
     */
    Grants(final int adapters, final int classes, final int queues) {
        this.classes = classes;
        this.fifos = new IntFifo[adapters * classes];
        Arrays.setAll(fifos, i -> new IntFifo());
        this.adapters = new IndexSet(adapters);
        this.waiting = new BitSet(queues);
    }

    /** A queue of an adapter may send; one that waits for its turn keeps it. */
    void add(final int adapter, final int queue) {
        if (waiting.get(queue)) {
            return;
        }
        waiting.set(queue);
        fifos[adapter * classes + queue % classes].add(queue);
        adapters.add(adapter);
    }

    /** Takes the queue of an adapter whose turn it is; {@link #NONE} if there is none. */
    int next(final int adapter) {
        for (int level = adapter * classes; level < (adapter + 1) * classes; level++) {
            if (!fifos[level].isEmpty()) {
                final int queue = fifos[level].poll();
                waiting.clear(queue);
                return queue;
            }
        }
        return NONE;
    }

    /** Adapters with queues that may send; the caller takes one out that has none left. */
    IndexSet adapters() {
        return adapters;
    }
}
