package dev.skerry.tools.port.generator;

import dev.skerry.dataplane.random.CounterRandom;

import java.nio.ByteOrder;

/**
 * A generated packet, 64 bytes and what fills it up, network byte order: eight longs.
 * <pre>
 *    byte   +0                    +2          +4                    +6
 *      0    destination MAC                                         source MAC
 *      8    (source MAC)                      0x0800                version 4, header 5, service 0
 *     16    IP length             id 0        don't fragment        time to live 64, protocol 17
 *     24    IP check sum          source address                    destination address
 *     32    (destination)         source port destination port      UDP length
 *     40    UDP check sum         magic       generator's id        flow
 *     48    sequence number of the flow, from 0
 *     56    time in ns, its low 48 bits                             check
 *     64    fill: little-endian longs, the last one cut: key, key + step, key + 2 * step, ...
 * </pre>
 * The key follows from id, flow and sequence number, so a cell of one packet in another one is seen; the check is a
 * hash of the key, the time and the length. UDP's check sum covers it all once more.
 */
final class ProbeLayout {
    /** Bytes before the fill. */
    static final int HEAD_BYTES = 64;

    static final int ETHERNET_BYTES = 14;
    static final int BEFORE_UDP_BYTES = 34;
    static final int ETHERTYPE_AND_VERSION = 0x0800_4500;
    static final int UDP = 17;
    static final long MAGIC = 0x534B;
    static final long SHORT_MASK = 0xFFFF;
    static final long INT_MASK = 0xFFFF_FFFFL;
    static final int TOP_SHORT = 48;
    static final long FILL_STEP = 0x9E3779B97F4A7C15L;

    private static final boolean IS_LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    private static final long TIME_STEP = 0xD1B54A32D192ED03L;

    private ProbeLayout() {
    }

    /** A long of the head as it stands in memory, and back. */
    static long wire(final long value) {
        return IS_LITTLE ? Long.reverseBytes(value) : value;
    }

    /** A long of the fill as it stands in memory, and back. */
    static long fill(final long value) {
        return IS_LITTLE ? value : Long.reverseBytes(value);
    }

    /** The first long of the fill. */
    static long key(final long flow, final long sequence) {
        return CounterRandom.mix(sequence + flow * FILL_STEP);
    }

    /** The check, 16 bits; the time counts by its low 48 bits. */
    static long check(final long key, final long timeNs, final int length) {
        return CounterRandom.mix(key ^ ((timeNs << Short.SIZE) + length) * TIME_STEP) >>> TOP_SHORT;
    }

    /** The two halves of a long, as a part of a one's complement sum of up to 2^31 such parts. */
    static long halves(final long value) {
        return (value >>> Integer.SIZE) + (value & INT_MASK);
    }

    /** A one's complement sum in 16 bits. */
    static long folded(final long sum) {
        long folded = halves(sum);
        folded = (folded >>> Short.SIZE) + (folded & SHORT_MASK);
        folded = (folded >>> Short.SIZE) + (folded & SHORT_MASK);
        return (folded >>> Short.SIZE) + (folded & SHORT_MASK);
    }

    /** Folds a sum of words in the other byte order into a checksum in network byte order. */
    static long turned(final long sum) {
        return Short.reverseBytes((short) folded(sum)) & SHORT_MASK;
    }
}
