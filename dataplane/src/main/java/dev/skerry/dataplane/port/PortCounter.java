package dev.skerry.dataplane.port;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Counters of a port. Invariant: packets accepted for sending = sent + {@link #TX_DROPPED_TOO_LONG} +
 * {@link #TX_DROPPED_LOST} + {@link #TX_DROPPED_REFUSED} + {@link #TX_FILTERED} + {@link #TX_LEFT}.
 */
public enum PortCounter {
    /** Packets passed to the caller. */
    RX_PACKETS("packets received"),
    /** Their bytes. */
    RX_BYTES("bytes received"),
    /** Drop: longer than the burst allows. */
    RX_DROPPED_TOO_LONG("packets received and dropped because they are longer than --mtu allows"),
    /** Their bytes. */
    RX_TOO_LONG_BYTES("bytes of packets longer than --mtu allows"),
    /** Drop: the packet has no bytes. */
    RX_DROPPED_EMPTY("packets received and dropped because they are empty"),
    /** Drop: a captured packet that is not an Ethernet frame. */
    RX_DROPPED_NOT_ETHERNET("packets of a capture dropped because they are not Ethernet frames"),
    /** Captured packets of which the snap length retained only the first bytes. */
    RX_CUT("truncated packets of a capture, which cut= sends, pads or skips"),
    /** Drop: a truncated captured packet that was to be skipped. */
    RX_DROPPED_CUT("truncated packets of a capture that were dropped"),
    /** Captured packets whose recorded length on the wire is below their captured length. */
    RX_ODD_LENGTH("packets of a capture with more captured bytes than their original length; all bytes were sent"),
    /** Drop: the peer's buffers for the packet violate a rule, after which the peer is disconnected. */
    RX_DROPPED_WRONG("packets rejected because the peer's buffers violate a rule"),
    /** Drop by the system: its receive ring was full. */
    RX_DROPPED_RING("packets that the system dropped because the receive ring was full"),
    /** Drop: the system left checksum or segmentation to a device, and the packet has no valid offload information. */
    RX_DROPPED_OFFLOAD("packets received and dropped because their checksum or segmentation could not be completed"),
    /** Packets that do not match the port's filter. */
    RX_FILTERED("packets received and dropped by the port's filter"),
    /** Packets sent by the peer that had not been received when the peer went or the port was closed. */
    RX_LEFT("packets left in the ring when the peer disconnected or the port was closed"),
    /** The input was damaged or truncated: the rest was not received. */
    RX_FAILED("times the input was damaged or truncated, so that the rest was not read"),
    /** Packets that left the port; reports and counters show them as packets out. */
    TX_PACKETS("packets sent"),
    /** Their bytes. */
    TX_BYTES("bytes sent"),
    /** Drop: the packet would not even fit an empty ring, or is longer than the interface's MTU. */
    TX_DROPPED_TOO_LONG("packets dropped because they are longer than the peer's buffers or the interface's MTU allow"),
    /** Drop: the port has no output, or its output failed. */
    TX_DROPPED_LOST("packets lost because the port has no output or its output failed"),
    /** Drop: the system refuses to send the packet. */
    TX_DROPPED_REFUSED("packets accepted by the port but rejected by the system, and dropped"),
    /** Packets that do not match the filter of a capture. */
    TX_FILTERED("packets dropped by the filter of a capture"),
    /** Packets sent that the peer had not read when it went or the port was closed. */
    TX_LEFT("packets that the peer had not read when it disconnected or the port was closed"),
    /** The output failed, for example because the disk is full. */
    TX_FAILED("times the output failed"),
    /** Back-pressure: a burst was not accepted completely. */
    TX_FULL("bursts accepted only in part because there was no room"),
    /** Back-pressure: there is no peer. */
    TX_DOWN("bursts rejected because the port was down"),
    /** The port came up. */
    LINKS_UP("times the port came up"),
    /** The port went down. */
    LINKS_DOWN("times the port went down"),
    /** A peer was refused before the port came up. */
    PEERS_REFUSED("peers rejected or lost before the port came up");

    private final String sentence;

    PortCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** Description of the counter, used in messages. */
    public String sentence() {
        return sentence;
    }

    /** The values of a port's counters. The port's thread writes; other threads may read slightly outdated values. */
    public static final class PortCounts {
        private static final PortCounter[] COUNTERS = PortCounter.values();

        private final long[] values = new long[COUNTERS.length];

        /** All counters at 0. */
        public PortCounts() {
        }

        /** The value of a counter. */
        public long get(final PortCounter counter) {
            return values[counter.ordinal()];
        }

        /** Adds to a counter. Called by the port's thread. */
        public void add(final PortCounter counter, final long number) {
            values[counter.ordinal()] += number;
        }

        /**
         * Counts the packets that were added to a burst which already held {@code before} packets. Called by the port's
         * thread.
         */
        public void addReceived(final PacketBurst into, final int before) {
            long bytes = 0;
            for (int packet = before; packet < into.size(); packet++) {
                bytes += into.length(packet);
            }
            add(PortCounter.RX_PACKETS, into.size() - before);
            add(PortCounter.RX_BYTES, bytes);
        }

        /** Counts packets that left the port. Called by the port's thread. */
        public void addSent(final long packets, final long bytes) {
            add(PortCounter.TX_PACKETS, packets);
            add(PortCounter.TX_BYTES, bytes);
        }

        /** Counts a received packet that is longer than the burst allows. Called by the port's thread. */
        public void addTooLong(final long bytes) {
            add(PortCounter.RX_DROPPED_TOO_LONG, 1);
            add(PortCounter.RX_TOO_LONG_BYTES, bytes);
        }

        /** The counters that are not 0, as {@code NAME=value}. */
        @Override
        public String toString() {
            return Arrays.stream(COUNTERS).filter(counter -> get(counter) != 0)
                .map(counter -> counter + "=" + get(counter)).collect(Collectors.joining(" "));
        }
    }
}
