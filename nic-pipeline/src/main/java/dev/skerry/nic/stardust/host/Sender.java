package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.Reno;

import java.lang.foreign.Arena;

/**
 * The sending ends of a bank's connections, whatever limits them: a window ({@link RenoSender}) or a rate
 * ({@link DcqcnSender}). A record is touched by the bank of its source alone; one thread.
 */
public abstract sealed class Sender permits RenoSender, DcqcnSender {
    private static final int WINDOW_SHIFT = 6;
    private static final int RATE_SHIFT = 7;

    final Region senders;
    final Connections connections;
    final Reno rules;
    final Line line;
    long resent;
    long timeouts;

    Sender(final Region senders, final Connections connections, final Reno rules, final Line line) {
        this.senders = senders;
        this.connections = connections;
        this.rules = rules;
        this.line = line;
    }

    /** Takes the segments that senders send. */
    @FunctionalInterface
    public interface Line {
        /** A segment of a connection is sent, and may get lost right there. */
        void segment(long slot, int connection, int number);

        /** Whether a sender with a rate may give the port of its host a segment now; one with a window does not ask. */
        default boolean isFree(final long slot, final int connection) {
            return true;
        }
    }

    /**
     * No flow has started.
     *
     * @param senders      of all banks, see {@link #table}.
     * @param bytesPerSlot what the port of a host sends.
     */
    public static Sender of(final Region senders, final Connections connections, final Reno rules,
        final double bytesPerSlot, final Line line) {
        return rules.congestion() instanceof final Congestion.Dcqcn dcqcn
            ? new DcqcnSender(senders, connections, rules, dcqcn, bytesPerSlot, line)
            : new RenoSender(senders, connections, rules, line);
    }

    /** The records of all senders, a connection each. */
    public static Region table(final Arena arena, final int flows, final Reno rules) {
        return Region.allocate(arena, tableBytes(flows, rules));
    }

    /** Memory in bytes. */
    public static long tableBytes(final int flows, final Reno rules) {
        return Math.max(1L, flows) * rules.congestion().subflows()
            << (rules.congestion() instanceof Congestion.Dcqcn ? RATE_SHIFT : WINDOW_SHIFT);
    }

    /** A flow starts, with all its connections. */
    public abstract void start(long slot, int flow);

    /** Timers end, and rates allow segments; slots come one after the other. */
    public abstract void turn(long slot);

    /**
     * An acknowledgement of a connection came.
     *
     * @param packet a {@link TcpPacket}.
     */
    public abstract void onAck(long slot, int connection, long packet);

    /** Segments that were sent again. */
    public final long resent() {
        return resent;
    }

    /** Timers that ended. */
    public final long timeouts() {
        return timeouts;
    }

    /** The window of a connection in segments; infinite where it has a rate. */
    public double window(final int connection) {
        return Double.POSITIVE_INFINITY;
    }

    /** The rate of a connection in bytes a slot; infinite where it has a window. */
    public double rate(final int connection) {
        return Double.POSITIVE_INFINITY;
    }

    /** The estimate of congestion of a connection, alpha; 0 where it makes none. */
    public abstract double markedShare(int connection);

    final int get(final long at, final int field) {
        return senders.getInt(at, field);
    }

    final void set(final long at, final int field, final int value) {
        senders.setInt(at, field, value);
    }
}
