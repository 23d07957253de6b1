package dev.skerry.members;

import dev.skerry.nic.engine.RowExchange;
import dev.skerry.tools.members.MemberTransport;
import dev.skerry.tools.members.Members;

/** Joins members over Aeron. */
public final class AeronTransport implements MemberTransport {
    @Override
    public RowExchange join(final Members members) {
        return AeronExchange.join(members);
    }
}
