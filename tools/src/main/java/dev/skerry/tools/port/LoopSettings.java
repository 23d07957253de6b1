package dev.skerry.tools.port;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.tools.input.InputException;

/**
 * A loopback of the command line: {@code loop[:packets=N][,bytes=N]}.
 *
 * @param packets maximum number of packets held, 1 to 2^20.
 * @param bytes   maximum bytes of all packets held, each rounded up to whole lines of 64 bytes; 64 to 2^30.
 */
public record LoopSettings(int packets, int bytes) {
    /** Kind of port on the command line. */
    public static final String KIND = "loop";

    private static final String ADVICE = "write loop or loop:packets=N,bytes=N";
    private static final int PACKETS = 1024;
    private static final int BYTES = 1 << 21;
    private static final int MAX_PACKETS = 1 << 20;
    private static final int MIN_BYTES = 64;
    private static final int MAX_BYTES = 1 << 30;

    /**
     * Checks the bounds of both.
     *
     * @throws IllegalArgumentException if one is out of range.
     */
    public LoopSettings {
        Bounds.require("packets", packets, 1, MAX_PACKETS);
        Bounds.require("bytes", bytes, MIN_BYTES, MAX_BYTES);
    }

    /** Whether a text has this kind. */
    public static boolean isOne(final String text) {
        return PortText.isOne(KIND, text);
    }

    /**
     * Parses settings.
     *
     * @throws InputException if they are wrong.
     */
    public static LoopSettings parse(final String text) {
        final PortText line = new PortText(KIND, text, ADVICE);
        int packets = PACKETS;
        int bytes = BYTES;
        while (line.next()) {
            switch (line.key()) {
                case "packets" -> packets = (int) line.number(1, MAX_PACKETS);
                case "bytes" -> bytes = (int) line.number(MIN_BYTES, MAX_BYTES);
                default -> throw line.unknown();
            }
        }
        return new LoopSettings(packets, bytes);
    }

    /** Text that {@link #parse} accepts. */
    @Override
    public String toString() {
        return KIND + ":packets=" + packets + ",bytes=" + bytes;
    }
}
