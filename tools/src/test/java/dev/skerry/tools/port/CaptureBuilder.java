package dev.skerry.tools.port;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Builds captures byte by byte from the texts of the formats, without the code under test. */
public final class CaptureBuilder {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteOrder order;
    private boolean variant;

    CaptureBuilder(final ByteOrder order) {
        this.order = order;
    }

    /** A classic capture of packets of random bytes to the address of node 1. */
    public static byte[] classic(final int packets, final int length) {
        final CaptureBuilder capture = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        capture.classic(0xA1B2C3D4);
        final Random random = new Random(packets);
        for (int packet = 0; packet < packets; packet++) {
            final byte[] frame = new byte[length];
            random.nextBytes(frame);
            frame[0] = 2;
            capture.record(packet, 0, frame);
        }
        return capture.bytes();
    }

    /** The same of packets of which only the first bytes were captured. */
    public static byte[] cut(final int packets, final int captured, final int wire) {
        final CaptureBuilder capture = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        capture.classic(0xA1B2C3D4);
        for (int packet = 0; packet < packets; packet++) {
            capture.record(packet, 0, new byte[captured], wire);
        }
        return capture.bytes();
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    void classic(final int magic) {
        variant = magic == 0xA1B2CD34;
        put(buffer(24).putInt(magic).putShort((short) 2).putShort((short) 4).putLong(0).putInt(65_535).putInt(1));
    }

    /** A header whose link type says that packets end in a check sequence of 4 bytes. */
    void classicWithFcs() {
        put(buffer(24).putInt(0xA1B2C3D4).putShort((short) 2).putShort((short) 4).putLong(0).putInt(65_535)
            .putInt(0x2400_0001));
    }

    void record(final int seconds, final int fraction, final byte[] frame) {
        record(seconds, fraction, frame, frame.length);
    }

    /** Adds a packet of which some bytes were captured. */
    void record(final int seconds, final int fraction, final byte[] frame, final int wire) {
        put(buffer(variant ? 24 : 16).putInt(seconds).putInt(fraction).putInt(frame.length).putInt(wire));
        out.writeBytes(frame);
    }

    void section() {
        block(0x0A0D0D0A, buffer(16).putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1).array());
    }

    /** Adds an interface with if_tsresol. */
    void face(final int linkType, final int resolution) {
        block(1, buffer(20).putShort((short) linkType).putShort((short) 0).putInt(0)
            .putShort((short) 9).putShort((short) 1).put((byte) resolution).put(new byte[3]).putInt(0).array());
    }

    /** Adds an interface with if_tsresol, if_tsoffset and a maximum packet length. */
    void face(final int linkType, final int longest, final int resolution, final long offset) {
        block(1, buffer(32).putShort((short) linkType).putShort((short) 0).putInt(longest)
            .putShort((short) 14).putShort((short) 8).putLong(offset)
            .putShort((short) 9).putShort((short) 1).put((byte) resolution).put(new byte[3]).putInt(0).array());
    }

    void enhanced(final int face, final long ticks, final byte[] frame) {
        block(6, buffer(20 + padded(frame)).putInt(face).putInt((int) (ticks >>> 32)).putInt((int) ticks)
            .putInt(frame.length).putInt(frame.length).put(frame).array());
    }

    /** Adds a packet with a comment and epb_flags. */
    void flagged(final int face, final byte[] frame, final int wire, final int flags) {
        block(6, buffer(20 + padded(frame) + 20).putInt(face).putLong(0).putInt(frame.length).putInt(wire)
            .put(frame).position(20 + padded(frame))
            .putShort((short) 1).putShort((short) 3).put(new byte[] {'x', 'y', 'z', 0})
            .putShort((short) 2).putShort((short) 4).putInt(flags).putInt(0).array());
    }

    void obsolete(final int face, final long ticks, final byte[] frame) {
        block(2, buffer(20 + padded(frame)).putShort((short) face).putShort((short) 3).putInt((int) (ticks >>> 32))
            .putInt((int) ticks).putInt(frame.length).putInt(frame.length).put(frame).array());
    }

    void simple(final int wire, final byte[] frame) {
        block(3, buffer(4 + padded(frame)).putInt(wire).put(frame).array());
    }

    void block(final int type, final byte[] content) {
        put(buffer(8).putInt(type).putInt(content.length + 12));
        out.writeBytes(content);
        put(buffer(4).putInt(content.length + 12));
    }

    private static int padded(final byte[] frame) {
        return frame.length + 3 & ~3;
    }

    private ByteBuffer buffer(final int bytes) {
        return ByteBuffer.allocate(bytes).order(order);
    }

    private void put(final ByteBuffer bytes) {
        out.writeBytes(bytes.array());
    }
}
