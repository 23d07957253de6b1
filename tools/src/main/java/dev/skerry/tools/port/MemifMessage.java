package dev.skerry.tools.port;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
        put(bytes.asSlice(0, BYTES).fill((byte) 0).asByteBuffer().order(ByteOrder.nativeOrder()));
    }

    /** Writes type and fields into zeroed bytes. */
    void put(ByteBuffer out);

    /** Decodes 128 bytes. Returns null for an unknown type. */
    static MemifMessage decode(final MemorySegment bytes) {
        final ByteBuffer in = bytes.asSlice(0, BYTES).asByteBuffer().order(ByteOrder.nativeOrder());
        return switch (u16(in)) {
            case Ack.TYPE -> new Ack();
            case Hello.TYPE -> new Hello(string(in, NAME_BYTES), u16(in), u16(in), u16(in), u16(in), u16(in), u8(in));
            case Init.TYPE -> new Init(u16(in), in.getInt(), u8(in), string(in, SECRET_BYTES), string(in, NAME_BYTES));
            case AddRegion.TYPE -> new AddRegion(u16(in), in.getLong());
            case AddRing.TYPE -> new AddRing((u16(in) & 1) != 0, u16(in), u16(in), in.getInt() & 0xffff_ffffL, u8(in),
                u16(in));
            case Connect.TYPE -> new Connect(string(in, NAME_BYTES));
            case Connected.TYPE -> new Connected(string(in, NAME_BYTES));
            case Disconnect.TYPE -> new Disconnect(in.getInt(), string(in, REASON_BYTES));
            default -> null;
        };
    }

    /** Server: acknowledges a message. */
    record Ack() implements MemifMessage {
        private static final int TYPE = 1;

        @Override
        public void put(final ByteBuffer out) {
            out.putShort((short) TYPE);
        }
    }

    /** Server, first message: its limits. The limits of regions and rings are the highest indices. */
    record Hello(String name, int minVersion, int maxVersion, int maxRegion, int maxS2c, int maxC2s, int maxLog2)
        implements MemifMessage {
        private static final int TYPE = 2;

        @Override
        public void put(final ByteBuffer out) {
            string(out.putShort((short) TYPE), NAME_BYTES, name).putShort((short) minVersion)
                .putShort((short) maxVersion).putShort((short) maxRegion).putShort((short) maxS2c)
                .putShort((short) maxC2s).put((byte) maxLog2);
        }
    }

    /** Client: requests an interface. */
    record Init(int version, int id, int mode, String secret, String name) implements MemifMessage {
        private static final int TYPE = 3;

        @Override
        public void put(final ByteBuffer out) {
            out.putShort((short) TYPE).putShort((short) version).putInt(id).put((byte) mode);
            string(string(out, SECRET_BYTES, secret), NAME_BYTES, name);
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
        public void put(final ByteBuffer out) {
            out.putShort((short) TYPE).putShort((short) index).putLong(size);
        }
    }

    /** Client, with a descriptor: describes a ring in a region. */
    record AddRing(boolean c2s, int index, int region, long offset, int log2Size, int privateBytes)
        implements MemifMessage {
        private static final int TYPE = 5;

        @Override
        public void put(final ByteBuffer out) {
            out.putShort((short) TYPE).putShort((short) (c2s ? 1 : 0)).putShort((short) index).putShort((short) region)
                .putInt((int) offset).put((byte) log2Size).putShort((short) privateBytes);
        }
    }

    /** Client: completes the description. */
    record Connect(String name) implements MemifMessage {
        private static final int TYPE = 6;

        @Override
        public void put(final ByteBuffer out) {
            string(out.putShort((short) TYPE), NAME_BYTES, name);
        }
    }

    /** Server: the connection carries packets from now on. */
    record Connected(String name) implements MemifMessage {
        private static final int TYPE = 7;

        @Override
        public void put(final ByteBuffer out) {
            string(out.putShort((short) TYPE), NAME_BYTES, name);
        }
    }

    /** Either side: ends the connection. */
    record Disconnect(int code, String reason) implements MemifMessage {
        private static final int TYPE = 8;

        @Override
        public void put(final ByteBuffer out) {
            string(out.putShort((short) TYPE).putInt(code), REASON_BYTES, reason);
        }
    }

    private static int u8(final ByteBuffer in) {
        return in.get() & 0xff;
    }

    private static int u16(final ByteBuffer in) {
        return in.getShort() & 0xffff;
    }

    private static String string(final ByteBuffer in, final int field) {
        final byte[] characters = new byte[field];
        in.get(characters);
        final String text = new String(characters, StandardCharsets.ISO_8859_1);
        return text.indexOf('\0') < 0 ? text : text.substring(0, text.indexOf('\0'));
    }

    private static ByteBuffer string(final ByteBuffer out, final int field, final String value) {
        final byte[] characters = value.getBytes(StandardCharsets.ISO_8859_1);
        final int at = out.position();
        return out.put(at, characters, 0, Math.min(characters.length, field - 1)).position(at + field);
    }
}
