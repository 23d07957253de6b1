package dev.skerry.bench.circuit;

/**
 * A switch of 64 ports and what is around it, as the benchmark drives it: one thread sends and receives, the other
 * switches. In slot s, input i carries handle (64 s + i) mod HANDLES, and output j gets input j - s mod 63 - 1. Each
 * fork loads one implementation, so the calls stay monomorphic.
 */
abstract class SwitchPath {
    static final int PORTS = 64;
    static final int EPOCH = PORTS - 1;
    /** Slots on the way at most, in every implementation; so none finds an output full. */
    static final int SLOTS = 64;
    static final int HANDLES = 1 << 16;
    /** Slots a call of the switch moves at most. */
    static final int BATCH = 16;

    /** Sender's and receiver's slots: one thread writes and reads them, away from the switch's line. */
    private final long[] next = new long[48];

    /** Sends a slot if there is room and receives the slots that have come; how many cells came. */
    final int sendAndReceive() {
        final long sent = next[16];
        if (sent - next[17] < SLOTS) {
            send(sent);
            next[16] = sent + 1;
        }
        int cells = 0;
        while (receive(next[17])) {
            next[17]++;
            cells += PORTS;
        }
        return cells;
    }

    /** Sends a slot; there is room for it. */
    abstract void send(long slot);

    /** Takes a slot and checks it; false if it has not come. */
    abstract boolean receive(long slot);

    /** Switches some slots, 0 if none has come. The switch's thread calls. */
    abstract int circuits();

    static int handle(final long slot, final int input) {
        return (int) (slot * PORTS + input & HANDLES - 1);
    }

    static int input(final int slotInEpoch, final int output) {
        return output - slotInEpoch - 1 & PORTS - 1;
    }

    static void check(final long slot, final int slotInEpoch, final int output, final long handle) {
        if (handle != handle(slot, input(slotInEpoch, output))) {
            throw new IllegalStateException("wrong cell: slot=" + slot + " output=" + output + " handle=" + handle);
        }
    }
}
