package dev.skerry.tools.members;

import dev.skerry.nic.engine.RowExchange;

/** The transport of messages between members. It is a service, because it has its own dependencies. */
public interface MemberTransport {
    /**
     * Joins the other members and returns when all have joined. The exchange then belongs to the calling thread.
     *
     * @throws dev.skerry.tools.input.InputException if the address of this member cannot be used.
     * @throws RowExchange.MemberLostException if a member does not join, or belongs to another cluster.
     */
    RowExchange join(Members members);
}
