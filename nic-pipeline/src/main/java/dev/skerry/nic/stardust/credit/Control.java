package dev.skerry.nic.stardust.credit;

import dev.skerry.nic.stardust.fabric.StardustCell;

import java.util.Arrays;

/**
 * The control messages of a bank's adapters, in the order they were sent: requests to egress schedulers and their
 * credits (docs/spec/stardust.md §3.2, §5.1). They travel beside the cells and never wait: a message is seen as many
 * propagation delays after it was sent as the shortest way to its target has links.
 *
 * <pre>
 *   63       48 47       32 31          20 19    18 17          0
 *   +----------+-----------+--------------+--------+-------------+
 *   | target   | issuer    | queue number | kind   | value       |     value of a request: bytes asked for, or 0
 *   +----------+-----------+--------------+--------+-------------+
 *                                                  | bytes-1 |num|     of a credit: its worth, and a number of 4 bits
 *                                                  +---------+---+     that counts those of the queue
 * </pre>
 *
 * Every bank reads those of all banks, one after the other, so each sees its own messages in the order of their issuers
 * whatever the number of banks. A slot's list is its bank's in that slot and everybody's to read afterwards.
 */
public final class Control {
    /** The queue asks for a number of bytes in all, whatever it asked for before. */
    static final int WANT_IN_ALL = 0;
    /** The queue asks for credits. */
    public static final int WANT = 1;
    /** The queue asks for no more. */
    public static final int ENOUGH = 2;
    /** One credit. */
    public static final int CREDIT = 3;

    private static final int TARGET = 48;
    private static final int ISSUER = 32;
    private static final int QUEUE = 20;
    private static final int KIND_SHIFT = 18;
    /** Most bytes that a request asks for. */
    static final int MOST_ASKED = (1 << KIND_SHIFT) - 1;
    /** Numbers of credits wrap at this. */
    public static final int NUMBERS = 16;
    private static final int WORTH = 4;
    private static final int FIRST_CAPACITY = 64;

    private final long[][] lists;
    private final int[] counts;

    /**
     * No messages.
     *
     * @param window slots that a message is kept for.
     */
    public Control(final int window) {
        this.lists = new long[window][FIRST_CAPACITY];
        this.counts = new int[window];
    }

    /** Makes room for the messages of a slot; slots come in order. */
    public void begin(final long slot) {
        counts[(int) (slot % counts.length)] = 0;
    }

    /** The value of a credit worth 1 to 16384 bytes. */
    public static int credit(final int bytes, final int number) {
        return bytes - 1 << WORTH | number;
    }

    /** Sends a message. */
    void send(final long slot, final int target, final int issuer, final int queue, final int kind,
        final int value) {
        final int at = (int) (slot % counts.length);
        final int count = counts[at];
        if (count == lists[at].length) {
            lists[at] = Arrays.copyOf(lists[at], 2 * count);
        }
        lists[at][count] = (long) target << TARGET | (long) issuer << ISSUER | (long) queue << QUEUE
            | (long) kind << KIND_SHIFT | value;
        counts[at] = count + 1;
    }

    /** Puts a whole message among those of a slot. */
    public void post(final long slot, final long message) {
        send(slot, target(message), issuer(message), queue(message), kind(message), asked(message));
    }

    /** Messages that were sent in a slot. */
    public int count(final long slot) {
        return counts[(int) (slot % counts.length)];
    }

    /** The messages of a slot, {@link #count} of them. */
    public long[] list(final long slot) {
        return lists[(int) (slot % counts.length)];
    }

    public static int target(final long message) {
        return (int) (message >>> TARGET);
    }

    public static int issuer(final long message) {
        return (int) (message >>> ISSUER) & StardustCell.MAX_ADAPTERS - 1;
    }

    public static int queue(final long message) {
        return (int) (message >>> QUEUE) & StardustCell.MAX_QUEUES - 1;
    }

    /** Bytes that a request asks for. */
    public static int asked(final long message) {
        return (int) message & MOST_ASKED;
    }

    /** The worth of a credit, in bytes. */
    static int worth(final long message) {
        return (asked(message) >>> WORTH) + 1;
    }

    /** The number of a credit. */
    static int number(final long message) {
        return (int) message & NUMBERS - 1;
    }

    public static int kind(final long message) {
        return (int) (message >>> KIND_SHIFT) & 3;
    }
}
