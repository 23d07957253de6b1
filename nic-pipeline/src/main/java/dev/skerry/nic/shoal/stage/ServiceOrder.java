package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.queue.KindPartition;
import dev.skerry.nic.shoal.ShoalQueueLayout;

/**
 * The nodes of a row, sorted by what their queues do, without a branch.
 *
 * <pre>
 *   order     OWN         OTHERS       BOTH        queue empty
 *           +-----------+------------+-----------+----------+---------+
 *   leaves  | the only  | the first  | the first | the cell | nothing |
 *   queue   | cell, a   | cell       | cell, of  | let in   |         |
 *           | local one |            | others    |          |         |
 *   let in  | none      | none       | waits     | leaves   | none    |
 *           |           |            | behind    | at once  |         |
 *           +-----------+------------+-----------+----------+---------+
 *                    ownEnd       lessEnd    servedEnd   letInEnd
 * </pre>
 *
 * One thread.
 */
final class ServiceOrder {
    private static final int OWN = 0;
    private static final int OTHERS = 1;
    private static final int BOTH = 2;

    private final KindPartition sorted;
    private final int[] order;
    private final int[] less;
    private int ownEnd;
    private int lessEnd;
    private int servedEnd;
    private int letInEnd;

    ServiceOrder(final int nodes) {
        this.sorted = new KindPartition(nodes);
        this.order = sorted.order();
        this.less = new int[nodes];
    }

    /**
     * Sorts nodes that follow each other; nodes that do nothing drop out. All columns by node.
     *
     * @param load   loads of their queues, before.
     * @param search their searches, see {@link ShoalQueueLayout#search}.
     * @param goes   all ones where a local cell joins the queue, else 0.
     */
    void sort(final int first, final int end, final int[] load, final int[] search, final int[] goes) {
        final int[] kind = sorted.kind();
        final int[] less = this.less;
        for (int node = first; node < end; node++) {
            final int length = ShoalQueueLayout.lengthOf(load[node]);
            final int waits = -length >>> 31;
            final int comes = goes[node] & 1;
            // A local cell that is the only one.
            final int own = ~ShoalQueueLayout.localOf(search[node]) >>> 31 & length - 2 >>> 31 & ~comes;
            kind[node] = OTHERS + (waits & comes) - (waits & own) + (waits ^ 1) + (waits ^ 1);
        }
        for (int node = first; node < end; node++) {
            less[node] = kind[node] - BOTH >>> 31;
        }
        sorted.sort(first, end);
        ownEnd = sorted.end(OWN);
        lessEnd = sorted.end(OTHERS);
        servedEnd = sorted.end(BOTH);
        int fresh = servedEnd;
        for (int k = servedEnd; k < end - first; k++) {
            final int node = order[k];
            order[fresh] = node;
            fresh += goes[node] & 1;
        }
        letInEnd = fresh;
    }

    /** The nodes in order, from 0 on. */
    int[] nodes() {
        return order;
    }

    /** By node, 1 where the queue has one cell less afterwards, else 0. */
    int[] less() {
        return less;
    }

    /** Where nodes end whose only cell leaves, a local one. */
    int ownEnd() {
        return ownEnd;
    }

    /** Where nodes end whose queues have one cell less afterwards. */
    int lessEnd() {
        return lessEnd;
    }

    /** Where nodes end whose first cell leaves. */
    int servedEnd() {
        return servedEnd;
    }

    /** Where nodes end whose cell is let in and leaves at once. */
    int letInEnd() {
        return letInEnd;
    }
}
