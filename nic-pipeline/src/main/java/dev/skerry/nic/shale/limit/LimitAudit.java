package dev.skerry.nic.shale.limit;

import dev.skerry.nic.shale.ControlFactory.BankState;
import dev.skerry.nic.shale.ControlProbes;

/**
 * The laws of limits after a slot (docs/spec/shale.md §9.6), against the queues, tokens and buckets of the congestion
 * control behind them: nothing has more places in use than there are; what overflowed is still outside or came back;
 * inside and outside together are all there is. One thread.
 *
 * @param limits    of each node.
 * @param hasTokens whether there are tokens.
 * @param slot      the slot.
 * @param bank      the nodes.
 */
record LimitAudit(HostLimits limits, boolean hasTokens, long slot, BankState bank) {
    private static final int OWED = 1;

    /**
     * Checks all nodes.
     *
     * @param links of a node.
     * @throws IllegalStateException if a law is broken.
     */
    void check(final int links) {
        final HostControl host = (HostControl) bank.control();
        final int nodes = bank.range().size();
        long entries = 0;
        long tokens = 0;
        long buckets = 0;
        for (int node = 0; node < nodes; node++) {
            final ControlProbes probes = host.probes(node);
            for (int link = 0; link < links; link++) {
                final int queue = link * nodes + node;
                within("PIEO entries", node, link, host.pieo().inside(queue), limits.pieoEntries());
                same("cells of a queue", node, link, bank.queues().length(queue),
                    host.pieo().inside(queue) + (long) host.pieo().outside(queue));
                within("tokens of a FIFO", node, link, host.fifos().inside(queue), limits.tokenFifo());
                same("tokens owed", node, link, hasTokens ? probes.ofLink(link, OWED) : 0,
                    host.fifos().inside(queue) + (long) host.fifos().outside(queue));
                entries += host.pieo().outside(queue);
                tokens += host.fifos().outside(queue);
            }
            same("active buckets", node, 0, probes.active(), host.buckets().active(node));
            within("active buckets", node, 0, host.buckets().active(node) - host.buckets().outside(node),
                limits.tableBuckets());
            buckets += host.buckets().outside(node);
        }
        same("PIEO overflow", 0, 0, host.pieo().overflowed() - host.pieo().returned(), entries);
        same("token overflow", 0, 0, host.fifos().overflowed() - host.fifos().returned(), tokens);
        same("bucket overflow", 0, 0, host.buckets().overflowed() - host.buckets().returned(), buckets);
    }

    private void within(final String what, final int node, final int link, final int used, final int places) {
        if (used > places) {
            throw broken(what, node, link, used, places);
        }
    }

    private void same(final String what, final int node, final int link, final long one, final long other) {
        if (one != other) {
            throw broken(what, node, link, one, other);
        }
    }

    private IllegalStateException broken(final String what, final int node, final int link, final long is,
        final long limit) {
        return new IllegalStateException("a limit is broken: " + what + " slot=" + slot + " node="
            + (bank.range().first() + node) + " link=" + link + " counted=" + is + " against=" + limit);
    }
}
