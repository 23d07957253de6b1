package dev.skerry.tools.port.pcap;

import dev.skerry.dataplane.memory.MappedAccess;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.tools.input.InputException;

import java.lang.foreign.MemorySegment;

/**
 * Replays a capture, once or several times. With a pace, the first packet is due at the first call for packets. Each
 * later packet follows after the difference of stamps, divided by the speed. A stamp earlier than its predecessor
 * counts as equal. The next round starts when the last packet of a round is due. One thread.
 */
final class CaptureReplay implements AutoCloseable {
    private static final int ETHERNET_HEADER = 14;

    private final CaptureReader reader;
    private final PcapSettings.Cut cut;
    private final PortCounts counts;
    private final boolean paced;
    private final double distance;
    private long loopsLeft;
    private boolean waiting;
    private boolean exhausted;
    private boolean started;
    private boolean roundStarted;
    private boolean roundDelivered;
    private long dueNs;
    private long roundNs;
    private long roundStampNs;

    /**
     * Opens the capture before its first packet.
     *
     * @throws InputException if the file cannot be read.
     */
    CaptureReplay(final PcapSettings settings, final PortCounts counts) {
        this.reader = new CaptureReader(settings.in(), settings.loops() == 1);
        this.cut = settings.cut();
        this.counts = counts;
        this.paced = settings.speed() != PcapSettings.MAX_SPEED;
        this.distance = 1 / settings.speed();
        this.loopsLeft = settings.loops();
    }

    boolean isPaced() {
        return paced;
    }

    boolean isExhausted() {
        return exhausted;
    }

    String failure() {
        return reader.failure();
    }

    /** Delivers packets that are due, until the burst is full. Returns how many. */
    int take(final PacketBurst into, final long nowNs) {
        final int before = into.size();
        try {
            fill(into, nowNs);
            MappedAccess.confirm();
        } catch (final InternalError e) {
            reader.vanished();
            exhausted = true;
        }
        long bytes = 0;
        for (int packet = before; packet < into.size(); packet++) {
            bytes += into.length(packet);
        }
        counts.add(PortCounter.RX_PACKETS, into.size() - before);
        counts.add(PortCounter.RX_BYTES, bytes);
        return into.size() - before;
    }

    private void fill(final PacketBurst into, final long nowNs) {
        if (!started) {
            started = true;
            dueNs = nowNs;
        }
        while (into.room() > 0 && (waiting || advance()) && (!paced || dueNs - nowNs <= 0)) {
            waiting = false;
            final CapturedPacket packet = reader.packet();
            final int length = lengthOf(packet, into.maxBytes());
            if (length > 0) {
                final int there = packet.length();
                MemorySegment.copy(reader.bytes().window(), packet.place(), into.bytes(), into.place(), there);
                if (length > there) {
                    into.bytes().asSlice(into.place() + there, length - there).fill((byte) 0);
                }
                into.add(length);
            }
        }
    }

    /** Bytes to send of a packet; 0 if it is dropped. */
    private int lengthOf(final CapturedPacket packet, final int most) {
        final boolean isCut = packet.length() < packet.wire();
        final long length = isCut && cut == PcapSettings.Cut.PAD ? packet.wire() : packet.length();
        if (packet.linkType() != CapturedPacket.ETHERNET) {
            counts.add(PortCounter.RX_DROPPED_NOT_ETHERNET, 1);
        } else if (packet.length() == 0) {
            counts.add(PortCounter.RX_DROPPED_EMPTY, 1);
        } else if (packet.length() < ETHERNET_HEADER) {
            counts.add(PortCounter.RX_DROPPED_NOT_ETHERNET, 1);
        } else if (length > most) {
            counts.addTooLong(length);
        } else if (isCut && cut == PcapSettings.Cut.SKIP) {
            counts.add(PortCounter.RX_CUT, 1);
            counts.add(PortCounter.RX_DROPPED_CUT, 1);
        } else {
            counts.add(PortCounter.RX_CUT, isCut ? 1 : 0);
            counts.add(PortCounter.RX_ODD_LENGTH, packet.length() > packet.wire() ? 1 : 0);
            return (int) length;
        }
        return 0;
    }

    /** Moves to the next packet, which then waits until it is due. Returns false if there is none. */
    private boolean advance() {
        while (!exhausted) {
            if (reader.next()) {
                waiting = true;
                roundDelivered = true;
                if (paced) {
                    setDue(reader.packet().stampNs());
                }
                return true;
            }
            if (reader.isPending()) {
                return false;
            }
            // An empty file ends at once, whatever the number of rounds.
            loopsLeft -= loopsLeft == PcapSettings.FOREVER ? 0 : 1;
            exhausted = !reader.failure().isEmpty() || !roundDelivered || loopsLeft == 0 || !reader.rewind();
            roundStarted = false;
            roundDelivered = false;
        }
        return false;
    }

    private void setDue(final long stampNs) {
        if (!roundStarted) {
            roundStarted = true;
            roundNs = dueNs;
            roundStampNs = stampNs;
        }
        final long since = (long) ((stampNs - roundStampNs) * distance);
        dueNs = Math.max(dueNs, roundNs + since);
    }

    @Override
    public void close() {
        reader.close();
        exhausted = true;
    }
}
