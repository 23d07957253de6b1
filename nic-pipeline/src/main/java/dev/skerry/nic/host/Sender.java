package dev.skerry.nic.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Senders of a bank's connections, limited by a window ({@link RenoSender}) or a rate ({@link DcqcnSender}). A record
 * is accessed only by the bank of its source; one thread.
 */
public abstract sealed class Sender permits RenoSender, DcqcnSender {
    /** Record sizes, as powers of two. */
    static final int WINDOW_SHIFT = 6;
    static final int RATE_SHIFT = 7;

    final Region senders;
    final Connections connections;
    final Reno rules;
    final Line line;
    long resent;
    long timeouts;
    /** Number of running timers. */
    int waiting;

    Sender(final Region senders, final Connections connections, final Reno rules, final Line line) {
        this.senders = senders;
        this.connections = connections;
        this.rules = rules;
        this.line = line;
    }

    /** Sends the segments of senders. */
    @FunctionalInterface
    public interface Line {
        /** Sends a segment of a connection; the host may drop it. */
        void segment(long slot, int connection, int number);

        /** Whether the port of a connection's host accepts a segment now. Used only by senders with a rate. */
        default boolean isFree(final long slot, final int connection) {
            return true;
        }
    }

    /**
     * Creates senders before the first start.
     *
     * @param senders      records of all banks, see {@link #table}.
     * @param bytesPerSlot rate of a host's port.
     */
    public static Sender of(final Region senders, final Connections connections, final Reno rules,
        final double bytesPerSlot, final Line line) {
        return rules.congestion() instanceof final Congestion.Dcqcn dcqcn
            ? new DcqcnSender(senders, connections, rules, dcqcn, bytesPerSlot, line)
            : new RenoSender(senders, connections, rules, line);
    }

    /** The records of all senders, one per connection. */
    public static Region table(final Arena arena, final int flows, final Reno rules) {
        return Region.allocate(arena, tableBytes(flows, rules));
    }

    /** Memory in bytes. */
    public static long tableBytes(final int flows, final Reno rules) {
        return Math.max(1L, flows) * rules.congestion().subflows()
            << (rules.congestion() instanceof Congestion.Dcqcn ? RATE_SHIFT : WINDOW_SHIFT);
    }

    /** Starts a flow, with all its connections. */
    public abstract void start(long slot, int flow);

    /** Handles timers, and sends for senders with a rate. Called for each slot in order. */
    public abstract void turn(long slot);

    /**
     * Handles an acknowledgement of a connection.
     *
     * @param packet a {@link TcpPacket}.
     */
    public abstract void onAck(long slot, int connection, long packet);

    /** Number of segments sent again. */
    public final long resent() {
        return resent;
    }

    /** Number of expired timers. */
    public final long timeouts() {
        return timeouts;
    }

    /** Whether no timer runs, so that slots may be skipped until an acknowledgement arrives or a flow starts. */
    public final boolean isIdle() {
        return waiting == 0;
    }

    /** The window of a connection in segments; infinite if it has a rate. */
    public double window(final int connection) {
        return Double.POSITIVE_INFINITY;
    }

    /** The rate of a connection in bytes per slot; infinite if it has a window. */
    public double rate(final int connection) {
        return Double.POSITIVE_INFINITY;
    }

    /** Alpha, the congestion estimate of a connection; 0 if it has none. */
    public abstract double markedShare(int connection);

    final int get(final long at, final int field) {
        return senders.getInt(at, field);
    }

    final void set(final long at, final int field, final int value) {
        senders.setInt(at, field, value);
    }

    /**
     * The rule by which windows change outside of recovery. {@link RenoSender} recovers losses, whatever the rule.
     * Windows are in units of 1/65536 segment; one thread.
     */
    interface WindowRule {
        /** New Reno: slow start and congestion avoidance (RFC 5681 §3.1), without state. */
        WindowRule NEW_RENO = (flow, window, threshold) -> window >>> 16 < threshold ? 1 << 16
            : (int) ((1L << 32) / window);

        /**
         * The rule of a run's hosts.
         *
         * @param connections number of connections; the flow of the other methods is a connection.
         * @param siblings    access to the other subflows of a flow.
         */
        static WindowRule of(final Reno rules, final int connections, final LiaWindow.Siblings siblings) {
            return switch (rules.congestion()) {
                case Congestion.NewReno _ -> NEW_RENO;
                case final Congestion.Dctcp dctcp -> new DctcpWindow(dctcp, connections);
                case Congestion.Dcqcn _, Congestion.Ndp _ ->
                    throw new IllegalArgumentException("no window: " + rules.congestion());
                case final Congestion.Mptcp mptcp -> new LiaWindow(mptcp.subflows(), siblings);
            };
        }

        /**
         * Growth of a window with an acknowledgement of new segments.
         *
         * @param threshold slow-start threshold in segments.
         */
        int growth(int flow, int window, int threshold);

        /**
         * Handles an acknowledgement.
         *
         * @param una   first segment that is not acknowledged after it.
         * @param newly number of newly acknowledged segments.
         * @param next  next segment to send.
         * @param echo  whether it echoes a mark.
         * @return the fraction by which to reduce the window, in 1/65536.
         */
        default int onAck(final int flow, final int una, final int newly, final int next, final boolean echo) {
            return 0;
        }

        /** The estimated fraction of marked segments, if the rule has an estimate. */
        default double markedShare(final int flow) {
            return 0;
        }

        /**
         * The window of DCTCP (RFC 8257 §3.3). Once per window, the fraction of marked segments updates an estimate,
         * alpha. The first echo reduces the window by alpha / 2; further echoes do not until all segments then in
         * flight have been acknowledged. An acknowledgement with an echo does not increase the window (RFC 3168
         * §6.1.2). One thread.
         *
         * <pre>
         *   per flow     alpha in 1/2^20, initially 1 | segments acknowledged | of these marked |
         *                end of the observed window | end of the window in which it was reduced
         * </pre>
         */
        final class DctcpWindow implements WindowRule {
            /** Alpha of 1. */
            private static final int ONE = 1 << 20;

            private static final int WORDS = 5;
            private static final int ACKED = 1;
            private static final int MARKED = 2;
            private static final int END = 3;
            private static final int CUT = 4;

            private final int gainBits;
            private final int[] flows;

            DctcpWindow(final Congestion.Dctcp rules, final int flows) {
                this.gainBits = rules.gainBits();
                this.flows = new int[flows * WORDS];
                for (int flow = 0; flow < flows; flow++) {
                    this.flows[flow * WORDS] = ONE;
                }
            }

            @Override
            public double markedShare(final int flow) {
                return (double) flows[flow * WORDS] / ONE;
            }

            @Override
            public int growth(final int flow, final int window, final int threshold) {
                return NEW_RENO.growth(flow, window, threshold);
            }

            @Override
            public int onAck(final int flow, final int una, final int newly, final int next, final boolean echo) {
                final int at = flow * WORDS;
                flows[at + ACKED] += newly;
                flows[at + MARKED] += echo ? newly : 0;
                if (una > flows[at + END]) {
                    final int share = (int) (((long) flows[at + MARKED] << 20) / Math.max(1, flows[at + ACKED]));
                    flows[at] += (share >> gainBits) - (flows[at] >> gainBits);
                    flows[at + END] = next;
                    Arrays.fill(flows, at + ACKED, at + MARKED + 1, 0);
                }
                if (!echo || una <= flows[at + CUT]) {
                    return 0;
                }
                flows[at + CUT] = next;
                return flows[at] >> 5;
            }
        }

        /**
         * The windows of MPTCP's subflows, coupled by the linked increases of RFC 6356 §3: with each acknowledgement a
         * window grows by the aggressiveness of the whole connection over all its windows, or by New Reno's increase if
         * that is less. Loss halves the window of its subflow alone. Slow start is New Reno's. One thread.
         *
         * <p>In segments, the RFC's alpha / total is max(w_i / rtt_i²) / (Σ w_i / rtt_i)².
         */
        record LiaWindow(int subflows, Siblings siblings) implements WindowRule {
            private static final double ONE = 1 << 16;

            /** Access to the other subflows of a flow. */
            interface Siblings {
                /** A window in segments. */
                double window(int connection);

                /** A smoothed round trip in slots; 0 before the first measurement. */
                double roundTrip(int connection);
            }

            @Override
            public int growth(final int connection, final int window, final int threshold) {
                final double own = siblings.roundTrip(connection);
                if (window >>> 16 < threshold || own == 0) {
                    return NEW_RENO.growth(connection, window, threshold);
                }
                double most = 0;
                double sum = 0;
                final int first = connection - connection % subflows;
                for (int other = first; other < first + subflows; other++) {
                    final double measured = siblings.roundTrip(other);
                    final double roundTrip = measured == 0 ? own : measured;
                    final double rate = siblings.window(other) / roundTrip;
                    most = Math.max(most, rate / roundTrip);
                    sum += rate;
                }
                return (int) (ONE * Math.min(most / (sum * sum), ONE / window));
            }
        }
    }
}
