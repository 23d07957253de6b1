package dev.skerry.nic.engine;

import dev.skerry.nic.count.NicCounter;

import java.nio.ByteBuffer;

/**
 * How a run ended at some of its members.
 *
 * @param stepped         slots done, the same at all.
 * @param balance         where their cells are.
 * @param completed       flows completed at their nodes.
 * @param completedBefore the slot after the last completion; 0 if there was none.
 * @param lastFate        the slot in which the last cell was delivered or lost.
 */
public record MemberEnd(long stepped, Audit.CellBalance balance, long completed, long completedBefore, long lastFate) {
    private static final int LONGS = 10;

    /** At the banks of one member. */
    static MemberEnd of(final Assembly assembly, final long stepped) {
        return new MemberEnd(stepped, stepped == 0 ? Audit.CellBalance.NOTHING : assembly.audit.balance(stepped - 1),
            assembly.count(NicCounter.FLOWS_COMPLETED), assembly.completedBefore(), assembly.lastFate());
    }

    /**
     * At all members; each calls with its own.
     *
     * @throws IllegalStateException if they have done other slots.
     */
    public MemberEnd joined(final RowExchange exchange) {
        MemberEnd sum = null;
        for (final byte[] bytes : exchange.gather(bytes())) {
            final MemberEnd end = read(ByteBuffer.wrap(bytes));
            if (end.stepped != stepped) {
                throw new IllegalStateException("members have ended in different slots: here=" + stepped + " there="
                    + end.stepped);
            }
            sum = sum == null ? end : new MemberEnd(stepped, sum.balance.plus(end.balance),
                sum.completed + end.completed, Math.max(sum.completedBefore, end.completedBefore),
                Math.max(sum.lastFate, end.lastFate));
        }
        return sum;
    }

    /** As {@link Assembly#lastCompletion}, over all members. */
    long lastCompletion(final int flows) {
        return completed < flows ? lastFate + 1 : completedBefore;
    }

    private byte[] bytes() {
        return ByteBuffer.allocate(LONGS * Long.BYTES).putLong(stepped).putLong(completed).putLong(completedBefore)
            .putLong(lastFate).putLong(balance.injected()).putLong(balance.resent()).putLong(balance.returned())
            .putLong(balance.delivered()).putLong(balance.dropped()).putLong(balance.held()).array();
    }

    private static MemberEnd read(final ByteBuffer from) {
        final long stepped = from.getLong();
        final long completed = from.getLong();
        final long completedBefore = from.getLong();
        final long lastFate = from.getLong();
        return new MemberEnd(stepped, new Audit.CellBalance(from.getLong(), from.getLong(), from.getLong(),
            from.getLong(), from.getLong(), from.getLong()), completed, completedBefore, lastFate);
    }
}
