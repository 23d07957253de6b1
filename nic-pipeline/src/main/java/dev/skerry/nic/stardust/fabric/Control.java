package dev.skerry.nic.stardust.fabric;

/**
 * Control messages between adapters: requests to egress schedulers and their credits (docs/spec/stardust.md §3.2,
 * §5.1). They are sent separately from the cells and never wait: a message arrives as many propagation delays after it
 * was sent as the shortest path to its target has links.
 *
 * <pre>
 *   63       48 47       32 31          20 19    18 17          0
 *   +----------+-----------+--------------+--------+-------------+
 *   | target   | issuer    | queue number | kind   | value       |     value of a request: bytes requested, or 0
 *   +----------+-----------+--------------+--------+-------------+
 *                                                  | bytes-1 |num|     of a credit: its worth, and a number of 4 bits
 *                                                  +---------+---+     that counts those of the queue
 * </pre>
 *
 * <p>Every bank reads the {@link SlotLists} of all banks in order, so each sees its messages in the order of their
 * issuers for any number of banks.
 */
public final class Control {
    /** The queue requests a number of bytes in all, which replaces earlier requests. */
    public static final int WANT_IN_ALL = 0;
    /** The queue requests credits. */
    public static final int WANT = 1;
    /** The queue requests no more. */
    public static final int ENOUGH = 2;
    /** One credit. */
    public static final int CREDIT = 3;

    private static final int TARGET = 48;
    private static final int ISSUER = 32;
    private static final int QUEUE = 20;
    private static final int KIND_SHIFT = 18;
    /** Largest number of bytes of a request. */
    public static final int MOST_ASKED = (1 << KIND_SHIFT) - 1;
    /** Number of different numbers of credits. */
    public static final int NUMBERS = 16;
    private static final int WORTH = 4;

    private Control() {
    }

    /** Returns the value of a credit worth 1 to 16384 bytes. */
    public static int credit(final int bytes, final int number) {
        return bytes - 1 << WORTH | number;
    }

    /** Returns a message. */
    public static long message(final int target, final int issuer, final int queue, final int kind, final int value) {
        return (long) target << TARGET | (long) issuer << ISSUER | (long) queue << QUEUE | (long) kind << KIND_SHIFT
            | value;
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

    /** Returns the bytes of a request. */
    public static int asked(final long message) {
        return (int) message & MOST_ASKED;
    }

    /** Returns the worth of a credit, in bytes. */
    public static int worth(final long message) {
        return (asked(message) >>> WORTH) + 1;
    }

    /** Returns the number of a credit. */
    public static int number(final long message) {
        return (int) message & NUMBERS - 1;
    }

    public static int kind(final long message) {
        return (int) (message >>> KIND_SHIFT) & 3;
    }
}
