package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.FrameHeaders;
import dev.skerry.nic.flow.FlowSet;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Assigns packets to traffic classes by one of their fields: the priority (PCP) of their first VLAN tag (IEEE 802.1Q),
 * or the DSCP of their IPv4 or IPv6 header (RFC 2474), after up to two tags. A packet without the field counts as 0,
 * the default priority. Immutable; any thread may call.
 */
public final class PacketClasses {
    /** All packets belong to one class. */
    public static final PacketClasses NONE = new PacketClasses(Field.PCP, new int[Field.PCP.size()]);

    private static final int PCP_SHIFT = 13;
    private static final int DSCP_MASK = 0x3F;
    private static final int DSCP_SHIFT_V4 = 2;
    private static final int DSCP_SHIFT_V6 = 6;

    private final Field field;
    /** Class of each value of the field. */
    private final int[] classOf;
    private final int count;

    /** A packet field that contains its priority. */
    public enum Field {
        /** Priority code point of its first VLAN tag, 0 to 7. */
        PCP(3),
        /** Differentiated services code point of its IP header, 0 to 63. */
        DSCP(6);

        private final int bits;

        Field(final int bits) {
            this.bits = bits;
        }

        /** Number of values. */
        public int size() {
            return 1 << bits;
        }

        /**
         * Default class of a value: the highest three bits are a priority, and two priorities share a class, as IEEE
         * 802.1Q specifies for four classes; classes are numbered from the highest.
         */
        public int usualClass(final int value) {
            return FlowSet.MAX_CLASSES - 1 - (value >> bits - 2);
        }
    }

    /**
     * Assigns classes by a field.
     *
     * @param field   the field to read.
     * @param classOf class of each value of the field, 0 is the highest.
     * @throws IllegalArgumentException if a value has no class, or a class is out of range.
     */
    public PacketClasses(final Field field, final int[] classOf) {
        if (classOf.length != field.size()
            || Arrays.stream(classOf).anyMatch(of -> of < 0 || of >= FlowSet.MAX_CLASSES)) {
            throw new IllegalArgumentException("each value has a class of 0 to " + (FlowSet.MAX_CLASSES - 1)
                + ": field=" + field + " classOf=" + Arrays.toString(classOf));
        }
        this.field = field;
        this.classOf = classOf.clone();
        this.count = 1 + Arrays.stream(classOf).max().orElse(0);
    }

    /** Number of classes. */
    public int count() {
        return count;
    }

    /**
     * The class of a packet.
     *
     * @param bytes  memory of the packet.
     * @param offset offset of its first byte.
     * @param length bytes of the packet.
     */
    public int of(final MemorySegment bytes, final long offset, final int length) {
        return count == 1 ? 0
            : classOf[field == Field.PCP ? pcp(bytes, offset, length) : dscp(bytes, offset, length)];
    }

    private static int pcp(final MemorySegment bytes, final long offset, final int length) {
        return FrameHeaders.isTagged(bytes, offset, length)
            ? FrameHeaders.word(bytes, offset + FrameHeaders.FIRST_TAG_AT) >>> PCP_SHIFT : 0;
    }

    private static int dscp(final MemorySegment bytes, final long offset, final int length) {
        final int at = FrameHeaders.ipAt(bytes, offset, length);
        if (at == FrameHeaders.NO_IP) {
            return 0;
        }
        final int word = FrameHeaders.word(bytes, offset + at);
        return word >>> (FrameHeaders.isV4(word) ? DSCP_SHIFT_V4 : DSCP_SHIFT_V6) & DSCP_MASK;
    }
}
