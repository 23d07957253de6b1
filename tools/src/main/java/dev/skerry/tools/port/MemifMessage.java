package dev.skerry.tools.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The control messages of memif, 128 bytes each (docs/spec/memif.md §2). Fields are packed and in host byte order:
 * <pre>
 *              0      2              4         6         8      9       ...
 *   ACK        | 1 |
 *   HELLO      | 2 | name[32] | 34 min version | 36 max version | 38 max region | 40 max S2C | 42 max C2S | 44 max log2
 *   INIT       | 3 | version      | id (4)             | mode | 9 secret[24] | 33 name[32]
 *   ADD_REGION | 4 | index        | size (8)
 *   ADD_RING   | 5 | flags        | index  | region | 8 offset (4) | 12 log2 size (1) | 13 private header size (2)
 *   CONNECT    | 6 | name[32]
 *   CONNECTED  | 7 | name[32]
 *   DISCONNECT | 8 | code (4) | 6 reason[96]
 * </pre>
 * Strings end at the first zero, or at the end of their field. Decoding accepts any bytes; the state machine checks the
 * values.
 */
sealed interface MemifMessage {
    /** Length of every message. */
    int BYTES = 128;

    /** Version 2.0. */
    int VERSION = 0x0200;

    /** Length of the name of a peer or interface; shorter names end with a zero. */
    int NAME_BYTES = 32;

    /** Length of a secret. */
    int SECRET_BYTES = 24;

    /** Length of a reason. */
    int REASON_BYTES = 96;

    /** Writes the message into all 128 bytes. */
    default void encode(final MemorySegment bytes) {
        bytes.asSlice(0, BYTES).fill((byte) 0);
        put(bytes);
    }

    /** Writes type and fields into zeroed bytes. */
    void put(MemorySegment bytes);

    /** Decodes 128 bytes. Returns null for an unknown type. */
    static MemifMessage decode(final MemorySegment bytes) {
        return switch (Wire.u16(bytes, 0)) {
            case Ack.TYPE -> new Ack();
            case Hello.TYPE -> new Hello(Wire.string(bytes, 2, NAME_BYTES), Wire.u16(bytes, 34), Wire.u16(bytes, 36),
                Wire.u16(bytes, 38), Wire.u16(bytes, 40), Wire.u16(bytes, 42), Wire.u8(bytes, 44));
            case Init.TYPE -> new Init(Wire.u16(bytes, 2), Wire.i32(bytes, 4), Wire.u8(bytes, 8),
                Wire.string(bytes, 9, SECRET_BYTES), Wire.string(bytes, 33, NAME_BYTES));
            case AddRegion.TYPE -> new AddRegion(Wire.u16(bytes, 2), Wire.i64(bytes, 4));
            case AddRing.TYPE -> new AddRing((Wire.u16(bytes, 2) & 1) != 0, Wire.u16(bytes, 4), Wire.u16(bytes, 6),
                Wire.i32(bytes, 8) & 0xffff_ffffL, Wire.u8(bytes, 12), Wire.u16(bytes, 13));
            case Connect.TYPE -> new Connect(Wire.string(bytes, 2, NAME_BYTES));
            case Connected.TYPE -> new Connected(Wire.string(bytes, 2, NAME_BYTES));
            case Disconnect.TYPE -> new Disconnect(Wire.i32(bytes, 2), Wire.string(bytes, 6, REASON_BYTES));
            default -> null;
        };
    }

    /** Server: acknowledges a message. */
    record Ack() implements MemifMessage {
        private static final int TYPE = 1;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
        }
    }

    /** Server, first message: its limits. The limits of regions and rings are the highest indices. */
    record Hello(String name, int minVersion, int maxVersion, int maxRegion, int maxS2c, int maxC2s, int maxLog2)
        implements MemifMessage {
        private static final int TYPE = 2;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.string(bytes, 2, NAME_BYTES, name);
            Wire.u16(bytes, 34, minVersion);
            Wire.u16(bytes, 36, maxVersion);
            Wire.u16(bytes, 38, maxRegion);
            Wire.u16(bytes, 40, maxS2c);
            Wire.u16(bytes, 42, maxC2s);
            Wire.u8(bytes, 44, maxLog2);
        }
    }

    /** Client: requests an interface. */
    record Init(int version, int id, int mode, String secret, String name) implements MemifMessage {
        private static final int TYPE = 3;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.u16(bytes, 2, version);
            Wire.i32(bytes, 4, id);
            Wire.u8(bytes, 8, mode);
            Wire.string(bytes, 9, SECRET_BYTES, secret);
            Wire.string(bytes, 33, NAME_BYTES, name);
        }

        /** Omits the secret. */
        @Override
        public String toString() {
            return "Init[version=" + version + ", id=" + id + ", mode=" + mode + ", name=" + name + "]";
        }
    }

    /** Client, with a descriptor: shares a region. */
    record AddRegion(int index, long size) implements MemifMessage {
        private static final int TYPE = 4;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.u16(bytes, 2, index);
            Wire.i64(bytes, 4, size);
        }
    }

    /** Client, with a descriptor: describes a ring in a region. */
    record AddRing(boolean c2s, int index, int region, long offset, int log2Size, int privateBytes)
        implements MemifMessage {
        private static final int TYPE = 5;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.u16(bytes, 2, c2s ? 1 : 0);
            Wire.u16(bytes, 4, index);
            Wire.u16(bytes, 6, region);
            Wire.i32(bytes, 8, (int) offset);
            Wire.u8(bytes, 12, log2Size);
            Wire.u16(bytes, 13, privateBytes);
        }
    }

    /** Client: completes the description. */
    record Connect(String name) implements MemifMessage {
        private static final int TYPE = 6;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.string(bytes, 2, NAME_BYTES, name);
        }
    }

    /** Server: the connection carries packets from now on. */
    record Connected(String name) implements MemifMessage {
        private static final int TYPE = 7;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.string(bytes, 2, NAME_BYTES, name);
        }
    }

    /** Either side: ends the connection. */
    record Disconnect(int code, String reason) implements MemifMessage {
        private static final int TYPE = 8;

        @Override
        public void put(final MemorySegment bytes) {
            Wire.u16(bytes, 0, TYPE);
            Wire.i32(bytes, 2, code);
            Wire.string(bytes, 6, REASON_BYTES, reason);
        }
    }

    /** Access to unaligned fields. */
    final class Wire {
        private Wire() {
        }

        private static int u8(final MemorySegment bytes, final long at) {
            return bytes.get(ValueLayout.JAVA_BYTE, at) & 0xff;
        }

        private static void u8(final MemorySegment bytes, final long at, final int value) {
            bytes.set(ValueLayout.JAVA_BYTE, at, (byte) value);
        }

        private static int u16(final MemorySegment bytes, final long at) {
            return bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) & 0xffff;
        }

        private static void u16(final MemorySegment bytes, final long at, final int value) {
            bytes.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
        }

        private static int i32(final MemorySegment bytes, final long at) {
            return bytes.get(ValueLayout.JAVA_INT_UNALIGNED, at);
        }

        private static void i32(final MemorySegment bytes, final long at, final int value) {
            bytes.set(ValueLayout.JAVA_INT_UNALIGNED, at, value);
        }

        private static long i64(final MemorySegment bytes, final long at) {
            return bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }

        private static void i64(final MemorySegment bytes, final long at, final long value) {
            bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
        }

        private static String string(final MemorySegment bytes, final long at, final int most) {
            int length = 0;
            while (length < most && bytes.get(ValueLayout.JAVA_BYTE, at + length) != 0) {
                length++;
            }
            return new String(bytes.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
        }

        /** Writes one byte per character, truncated so that the last byte stays zero. */
        private static void string(final MemorySegment bytes, final long at, final int most, final String value) {
            final byte[] characters = value.getBytes(StandardCharsets.ISO_8859_1);
            MemorySegment.copy(characters, 0, bytes, ValueLayout.JAVA_BYTE, at, Math.min(characters.length, most - 1));
        }
    }
}
