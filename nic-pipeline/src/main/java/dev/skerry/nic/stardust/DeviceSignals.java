package dev.skerry.nic.stardust;

import dev.skerry.dataplane.check.Bounds;

import java.util.Arrays;

/**
 * What comes to a device of Stardust in a slot, or what it sends in one. By link, counted from the device's first port:
 *
 * <pre>
 *   cell         two words (docs/spec/stardust.md §3.5), the first of them 0 where there is no cell:
 *
 *    63        48 47        32  31   30    29 28  27  26        18 17              0
 *   +------------+------------+-----+-----+-----+-----+------------+----------------+
 *   | to adapter |from adapter|  1  |order| FCI | EOC | length - 1 | slot born mod  |
 *   +------------+------------+-----+-----+-----+-----+------------+ 2^18 ----------+
 *    63            52 51                 32 31                                      0
 *   +----------------+---------------------+----------------------------------------+
 *   | queue number   | number in stream    | place of the first byte in the stream  |
 *   +----------------+---------------------+----------------------------------------+
 *
 *   pause        whether the sender takes nothing by the link (§4)
 *   report       a reachability message (§6), if there is one: 128 adapters, a bit each, and whether its sender takes
 *                the link for faulty. The slot says which adapters: those of block (slot sent / period) mod blocks.
 * </pre>
 *
 * And control messages of adapters, requests (§3.2) and credits (§5.1), which travel beside the cells:
 *
 * <pre>
 *    63       48 47       32 31          20 19    18 17          0
 *   +----------+-----------+--------------+--------+-------------+
 *   | target   | issuer    | queue number | kind   | value       |     kind 0: wants the value's bytes in all, 1: wants
 *   +----------+-----------+--------------+--------+-------------+     the value's bytes, or 0: credits, 2: has enough
 *                                                  | bytes-1 |num|     3: a credit, its worth and its number mod 16
 *                                                  +---------+---+
 * </pre>
 *
 * Messages are in the order they were sent in, issuer by issuer. One thread.
 */
public final class DeviceSignals {
    private final long[] first;
    private final long[] second;
    private final boolean[] pause;
    private final boolean[] report;
    private final long[] low;
    private final long[] high;
    private final boolean[] faulty;
    private long[] messages = new long[16];
    private int count;

    /**
     * Nothing.
     *
     * @param links of the device, at least 1.
     */
    public DeviceSignals(final int links) {
        Bounds.atLeast("links", links, 1);
        this.first = new long[links];
        this.second = new long[links];
        this.pause = new boolean[links];
        this.report = new boolean[links];
        this.low = new long[links];
        this.high = new long[links];
        this.faulty = new boolean[links];
    }

    /** Links of the device. */
    public int links() {
        return first.length;
    }

    /** Takes out everything. */
    public void clear() {
        Arrays.fill(first, 0);
        Arrays.fill(second, 0);
        Arrays.fill(pause, false);
        Arrays.fill(report, false);
        Arrays.fill(low, 0);
        Arrays.fill(high, 0);
        Arrays.fill(faulty, false);
        count = 0;
    }

    /** Puts a cell on a link; a first word of 0 takes it off. */
    public void setCell(final int link, final long firstWord, final long secondWord) {
        first[link] = firstWord;
        second[link] = firstWord == 0 ? 0 : secondWord;
    }

    /** The first word of the cell of a link, 0 if there is none. */
    public long first(final int link) {
        return first[link];
    }

    /** The second word of the cell of a link, 0 if there is none. */
    public long second(final int link) {
        return second[link];
    }

    /** Says whether the sender takes nothing by a link. */
    public void setPause(final int link, final boolean pauses) {
        pause[link] = pauses;
    }

    /** Whether the sender takes nothing by a link. */
    public boolean pause(final int link) {
        return pause[link];
    }

    /**
     * Puts a reachability message on a link.
     *
     * @param first64  the first 64 adapters of the block, a bit each.
     * @param others   the other 64.
     * @param isFaulty whether the sender takes the link for faulty.
     */
    public void setReport(final int link, final long first64, final long others, final boolean isFaulty) {
        report[link] = true;
        low[link] = first64;
        high[link] = others;
        faulty[link] = isFaulty;
    }

    /** Whether there is a reachability message on a link. */
    public boolean report(final int link) {
        return report[link];
    }

    /** The first 64 adapters of the message of a link. */
    public long low(final int link) {
        return low[link];
    }

    /** The other 64 adapters of the message of a link. */
    public long high(final int link) {
        return high[link];
    }

    /** Whether the sender of the message takes the link for faulty. */
    public boolean faulty(final int link) {
        return faulty[link];
    }

    /** Adds a control message. */
    public void add(final long message) {
        if (count == messages.length) {
            messages = Arrays.copyOf(messages, 2 * count);
        }
        messages[count++] = message;
    }

    /** Control messages. */
    public int messages() {
        return count;
    }

    /** A control message, 0 to {@link #messages()} - 1. */
    public long message(final int index) {
        if (index >= count) {
            throw new IndexOutOfBoundsException("message=" + index + " messages=" + count);
        }
        return messages[index];
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final DeviceSignals signals && Arrays.equals(first, signals.first)
            && Arrays.equals(second, signals.second) && Arrays.equals(pause, signals.pause)
            && Arrays.equals(report, signals.report) && Arrays.equals(low, signals.low)
            && Arrays.equals(high, signals.high) && Arrays.equals(faulty, signals.faulty)
            && Arrays.equals(messages, 0, count, signals.messages, 0, signals.count);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(first) + 31 * Arrays.hashCode(second) + 961 * count;
    }
}
