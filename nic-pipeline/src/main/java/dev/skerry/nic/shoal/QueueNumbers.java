package dev.skerry.nic.shoal;

/**
 * Where state of a bank lies that it keeps for each link of each node.
 *
 * <pre>
 *   link 0                  link 1                       with a history, the whole of it
 *   +--------+--------+--   +--------+--------+--        for each epoch modulo those kept
 *   | node 0 | node 1 | ..  | node 0 | node 1 | ..
 *   +--------+--------+--   +--------+--------+--
 * </pre>
 *
 * A slot serves one link of all nodes, so what it needs streams through memory.
 */
final class QueueNumbers {
    private QueueNumbers() {
    }

    /** Number of the entry of a link and node. */
    static int entry(final int link, final int node, final int nodes) {
        return link * nodes + node;
    }

    /** Number of the entry of an epoch, which may lie before the first one, of a link and node. */
    static long entry(final int epoch, final int kept, final int links, final int link, final int node,
        final int nodes) {
        return (long) Math.floorMod(epoch, kept) * links * nodes + entry(link, node, nodes);
    }
}
