package dev.skerry.nic.follow;

import dev.skerry.schedule.check.Bounds;

/**
 * What a device may do that the laws do not grant, and what its hardware has room for. Immutable; any thread.
 *
 * @param mayBeSilent  whether it may send nothing in a slot, neither a cell nor a dummy.
 * @param freeOrder    whether cells that wait for one link may leave in any order, as from a shared store.
 * @param tokensASlot  most tokens that ride in a slot, 1 or 2.
 * @param owed         tokens that wait for a link.
 * @param queue        cells that wait for a link.
 * @param registerBits width of its counters, which wrap, 1 to 32.
 */
public record FollowRules(boolean mayBeSilent, boolean freeOrder, int tokensASlot, Room owed, Room queue,
    int registerBits) {
    /** Nothing. */
    public static final FollowRules STRICT = new FollowRules(false);

    /** What a device does where there is no room. */
    public enum Full {
        /** That never happens: it is a finding of capacity. */
        COUNT,
        /** It loses what comes. */
        DROP,
        /**
         * It waits. For tokens: a cell that would owe one on a link whose FIFO is full at the start of the slot does
         * not leave, and cells behind it may.
         */
        STALL
    }

    /**
     * Room for something.
     *
     * @param places how much fits, at least 1.
     * @param full   what the device does with more than that.
     */
    public record Room(int places, Full full) {
        /** Without end. */
        public static final Room ENDLESS = new Room(Integer.MAX_VALUE, Full.COUNT);

        /** Checks the bounds. */
        public Room {
            Bounds.refuseIf(places < 1, "there is room for one at least: places=", places);
        }

        /** Room whose excess is lost, or else a finding. */
        public Room(final int places, final boolean drops) {
            this(places, drops ? Full.DROP : Full.COUNT);
        }

        /** Whether what comes beyond is lost. */
        public boolean drops() {
            return full == Full.DROP;
        }
    }

    /** Checks the bounds. */
    public FollowRules {
        Bounds.refuseIf(tokensASlot < 1 || tokensASlot > 2 || registerBits < 1 || registerBits > Integer.SIZE,
            "tokensASlot must be 1 or 2, registerBits 1 to 32: tokensASlot=", tokensASlot, " registerBits=",
            registerBits);
        Bounds.refuseIf(queue.full == Full.STALL, "a cell that comes cannot wait outside its queue: queue=", queue);
    }

    /** A device without limits. */
    public FollowRules(final boolean mayBeSilent) {
        this(mayBeSilent, false, 2, Room.ENDLESS, Room.ENDLESS, Integer.SIZE);
    }

    /** How far a counter of the device is ahead of a value, to either side, with as many bits as it has. */
    public int ahead(final int seen, final int value) {
        return seen - value << Integer.SIZE - registerBits >> Integer.SIZE - registerBits;
    }
}
