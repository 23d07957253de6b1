package dev.skerry.tools.members;

import dev.skerry.nic.engine.RowExchange;

/** What carries messages between members: a service, as it brings dependencies of its own. */
public interface MemberTransport {
    /**
     * Joins the others; returns when all are there. The caller's thread is the one of the exchange.
     *
     * @throws dev.skerry.tools.input.InputException      if the address of this member can't be used.
     * @throws RowExchange.MemberLostException if a member does not come, or is of another cluster.
     */
    RowExchange join(Members members);
}
