package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The receive ring of a packet socket, TPACKET_V2 (linux/if_packet.h), mapped from the kernel. A frame belongs to the
 * kernel until it sets the status to USER, and to us until we set it back. One thread.
 * <pre>
 *    a block of 4 MiB: 63 frames                    a frame
 *    +---------+---------+-- --+---------+---+      0        20     24      28         32          mac - 10  mac
 *    | frame 0 | frame 1 |     | frame 62|   |      +--------+------+-------+----------+-------------+-------+-------+
 *    +---------+---------+-- --+---------+---+      | status | nsec | tci   | tpid     | sockaddr_ll | vnet  | bytes |
 *                                                   | length | ...  |       |          |             |       |       |
 *                                                   +--------+------+-------+----------+-------------+-------+-------+
 * </pre>
 * A frame holds the largest packet that a sender leaves to a device to cut, 64 KiB.
 */
final class PacketRing {
    static final int BLOCK_BYTES = 1 << 22;
    static final int FRAME_BYTES = 66_560;
    static final int FRAMES_PER_BLOCK = BLOCK_BYTES / FRAME_BYTES;

    private static final VarHandle STATUS = JAVA_INT.varHandle();
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final int USER = 1;
    private static final int VLAN_VALID = 0x10;
    private static final int VLAN_TPID_VALID = 0x40;
    private static final int LENGTH = 4;
    private static final int KEPT_LENGTH = 8;
    private static final int MAC = 12;
    private static final int NETWORK = 14;
    private static final int TCI = 24;
    private static final int TPID = 26;
    private static final int ADDRESS_KIND = 32 + 10;
    private static final int OUTGOING = 4;
    private static final int VNET_BYTES = 10;
    private static final int DOT1Q = 0x8100;

    private final MemorySegment ring;
    private final PortCounts counts;
    private final int frames;
    private final ReceivedFrame frame = new ReceivedFrame();
    private int at;
    private long place;

    /**
     * A ring of which no frame has been read.
     *
     * @param ring   whole blocks.
     * @param counts the port's counters.
     */
    PacketRing(final MemorySegment ring, final PortCounts counts) {
        this.ring = ring;
        this.counts = counts;
        this.frames = Math.toIntExact(ring.byteSize() / BLOCK_BYTES) * FRAMES_PER_BLOCK;
    }

    /** Takes packets, as many as fit; those of other senders only. */
    int receive(final PacketBurst into) {
        final int before = into.size();
        int bytes = 0;
        while (into.room() > 0 && (!frame.isDone() || begin())) {
            final int size = into.size();
            final PortCounter what = frame.give(into);
            if (what == PortCounter.RX_DROPPED_TOO_LONG) {
                counts.addTooLong(frame.longest());
            } else if (what != PortCounter.RX_PACKETS) {
                counts.add(what, 1);
            }
            for (int packet = size; packet < into.size(); packet++) {
                bytes += into.length(packet);
            }
            if (frame.isDone()) {
                release();
            }
        }
        counts.add(PortCounter.RX_PACKETS, into.size() - before);
        counts.add(PortCounter.RX_BYTES, bytes);
        return into.size() - before;
    }

    /** Begins the next frame that holds a packet for us; false if there is none. */
    private boolean begin() {
        while (true) {
            place = (long) (at / FRAMES_PER_BLOCK) * BLOCK_BYTES + (long) (at % FRAMES_PER_BLOCK) * FRAME_BYTES;
            final int status = (int) STATUS.getAcquire(ring, place); // the kernel wrote the frame before
            if ((status & USER) == 0) {
                return false;
            }
            final PortCounter wrong = read(status);
            if (wrong == PortCounter.RX_PACKETS) {
                return true;
            }
            if (wrong == PortCounter.RX_DROPPED_TOO_LONG) {
                counts.addTooLong(ring.get(JAVA_INT, place + LENGTH));
            } else if (wrong != null) {
                counts.add(wrong, 1);
            }
            release();
        }
    }

    /** Reads a frame's head: what becomes of it, or null if it is one that this machine has sent. */
    private PortCounter read(final int status) {
        final int length = ring.get(JAVA_INT, place + LENGTH);
        final int kept = ring.get(JAVA_INT, place + KEPT_LENGTH);
        final int mac = ring.get(SHORT, place + MAC) & 0xFFFF;
        if ((ring.get(ValueLayout.JAVA_BYTE, place + ADDRESS_KIND) & 0xFF) == OUTGOING) {
            return null;
        }
        if (kept != length || mac + kept > FRAME_BYTES) {
            return PortCounter.RX_DROPPED_TOO_LONG;
        }
        frame.begin(ring, place + mac, kept, tag(status));
        final long vnet = place + mac - VNET_BYTES;
        final boolean isGood = frame.offload((ring.get(SHORT, place + NETWORK) & 0xFFFF) - mac,
            ring.get(ValueLayout.JAVA_BYTE, vnet), ring.get(ValueLayout.JAVA_BYTE, vnet + 1) & 0xFF,
            number(vnet + 4), number(vnet + 6), number(vnet + 8));
        return isGood ? PortCounter.RX_PACKETS : PortCounter.RX_DROPPED_OFFLOAD;
    }

    private int number(final long offset) {
        return ring.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset) & 0xFFFF;
    }

    private int tag(final int status) {
        if ((status & VLAN_VALID) == 0) {
            return ReceivedFrame.NO_TAG;
        }
        final int tpid = (status & VLAN_TPID_VALID) == 0 ? DOT1Q : ring.get(SHORT, place + TPID) & 0xFFFF;
        return tpid << Short.SIZE | ring.get(SHORT, place + TCI) & 0xFFFF;
    }

    /** Gives the frame back to the kernel. */
    private void release() {
        STATUS.setRelease(ring, place, 0); // our reads came before
        at = at + 1 == frames ? 0 : at + 1;
    }
}
