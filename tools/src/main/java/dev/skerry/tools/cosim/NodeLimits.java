package dev.skerry.tools.cosim;

import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Room;

import java.util.Map;

/**
 * What the hardware of a node has room for, as a description says: {@code tokensASlot=1 owedFifo=8 queueCells=64
 * full=drop registerBits=4 order=free}. The same words describe a node and what follows it. Immutable.
 *
 * @param tokensASlot  most tokens that ride in a slot, 1 or 2.
 * @param owedFifo     room for tokens that wait for a link; after a slot's tokens have gone, later ones are lost.
 * @param queueCells   room for cells that wait for a link; what arrives beyond is lost.
 * @param stalls       with {@code full=stall}: a cell waits if the token that it would owe has no room.
 * @param registerBits width of counters, which wrap.
 */
record NodeLimits(int tokensASlot, int owedFifo, int queueCells, boolean stalls, int registerBits) {
    /** None. */
    static final NodeLimits NONE = new NodeLimits(2, Integer.MAX_VALUE, Integer.MAX_VALUE, false, Integer.SIZE);
    private static final String FULL = "full";

    NodeLimits {
        if (tokensASlot < 1 || tokensASlot > 2 || owedFifo < 1 || queueCells < 1 || registerBits < 1
            || registerBits > Integer.SIZE) {
            throw new IllegalArgumentException("tokensASlot must be 1 or 2, owedFifo and queueCells 1 or more, "
                + "registerBits 1 to 32: tokensASlot=" + tokensASlot + " owedFifo=" + owedFifo + " queueCells="
                + queueCells + " registerBits=" + registerBits);
        }
    }

    /** Takes them out of the values of a description of a node, which loses what does not fit. */
    static NodeLimits of(final Map<String, String> left) {
        final NodeLimits limits = read(left);
        final Full full = full(left, limits, Full.DROPS);
        if (full == Full.COUNTS) {
            throw new IllegalArgumentException("a model loses what has no room, its followers count it: full=count");
        }
        return new NodeLimits(limits.tokensASlot, limits.owedFifo, limits.queueCells, full == Full.STALLS,
            limits.registerBits);
    }

    /** Takes them out of the values of a description of a follower. */
    static FollowRules rules(final Map<String, String> left, final boolean mayBeSilent) {
        final NodeLimits limits = read(left);
        final Full full = full(left, limits, Full.COUNTS);
        final String free = left.remove("order");
        if (free != null && !free.equals("free")) {
            throw new IllegalArgumentException("the order of a follower is free or left out: order=" + free);
        }
        return new FollowRules(mayBeSilent, free != null, limits.tokensASlot, new Room(limits.owedFifo, full),
            limits.queueCells == NONE.queueCells
            ? Room.ENDLESS : new Room(limits.queueCells, full), limits.registerBits);
    }

    private static NodeLimits read(final Map<String, String> left) {
        return new NodeLimits(Description.number(left, "tokensASlot", NONE.tokensASlot),
            Description.number(left, "owedFifo", NONE.owedFifo),
            Description.number(left, "queueCells", NONE.queueCells), false,
            Description.number(left, "registerBits", NONE.registerBits));
    }

    private static Full full(final Map<String, String> left, final NodeLimits limits, final Full usual) {
        final String full = left.remove(FULL);
        if (full != null && limits.owedFifo == NONE.owedFifo && limits.queueCells == NONE.queueCells) {
            throw new IllegalArgumentException("nothing gets full without owedFifo and queueCells: full=" + full);
        }
        if ("stall".equals(full) && (limits.owedFifo == NONE.owedFifo || limits.queueCells != NONE.queueCells)) {
            throw new IllegalArgumentException("tokens wait for room, cells that come cannot: full=stall is for "
                + "owedFifo alone");
        }
        return switch (full) {
            case null -> usual;
            case "drop" -> Full.DROPS;
            case "count" -> Full.COUNTS;
            case "stall" -> Full.STALLS;
            default -> throw new IllegalArgumentException("full must be drop, count or stall: full=" + full);
        };
    }

    /** Whether a node has to be looked after in each slot. */
    boolean bind() {
        return tokensASlot != NONE.tokensASlot || owedFifo != NONE.owedFifo || queueCells != NONE.queueCells;
    }

    /** A counter as the hardware shows it; -1 stays, no value. */
    long wrapped(final long value) {
        return value < 0 || registerBits == Integer.SIZE ? value : value & (1L << registerBits) - 1;
    }
}
