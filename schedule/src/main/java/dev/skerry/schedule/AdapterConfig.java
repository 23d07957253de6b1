package dev.skerry.schedule;

/**
 * The numbers of a Fabric Adapter, checked against each other (docs/spec/stardust.md §1, §3, §5 and the row
 * "Configuration" of §11). Immutable; any thread may call.
 *
 * @param ports            host ports.
 * @param classes          traffic classes of a port.
 * @param creditBytes      bytes that a credit releases, C.
 * @param cellPayloadBytes the most payload of a cell, in bytes.
 * @param minCreditBytes   the least credit with which the generator keeps up, see {@link #minCreditBytes(long, int,
 *                         long)}.
 * @param windowCells      reordering window of a stream in cells, W.
 * @param lowBytes         egress buffer of a port in bytes below which credits are sent again, LOW.
 * @param highBytes        egress buffer of a port in bytes above which no credit is sent, HIGH.
 */
public record AdapterConfig(int ports, int classes, int creditBytes, int cellPayloadBytes, int minCreditBytes,
    int windowCells, long lowBytes, long highBytes) {
    /** Port numbers in the 12 bits of a cell. */
    public static final int MAX_PORTS = 4_096;
    /** Class numbers in the 4 bits of a cell. */
    public static final int MAX_CLASSES = 16;
    /** The most payload of a cell, in bytes. */
    public static final int MAX_CELL_PAYLOAD_BYTES = 512;
    /** The largest window: half the range of the shortest sequence number of a stream. */
    public static final int MAX_WINDOW_CELLS = 1 << 20;

    private static final int BITS_PER_BYTE = 8;

    /**
     * Checks every rule.
     *
     * @throws IllegalArgumentException if a rule is broken; the message names it.
     */
    public AdapterConfig {
        require(ports >= 1 && ports <= MAX_PORTS, "a port number is below " + MAX_PORTS, "ports", ports);
        require(classes >= 1 && classes <= MAX_CLASSES, "a class is below " + MAX_CLASSES, "classes", classes);
        require(cellPayloadBytes >= 1 && cellPayloadBytes <= MAX_CELL_PAYLOAD_BYTES,
            "a cell carries 1 to " + MAX_CELL_PAYLOAD_BYTES + " bytes", "cellPayloadBytes", cellPayloadBytes);
        require(creditBytes >= cellPayloadBytes, "a credit is worth a cell at least: cellPayloadBytes="
            + cellPayloadBytes, "creditBytes", creditBytes);
        require(creditBytes >= minCreditBytes, "a credit is large enough for the generator: minCreditBytes="
            + minCreditBytes, "creditBytes", creditBytes);
        require(windowCells >= 1 && windowCells <= MAX_WINDOW_CELLS && Integer.bitCount(windowCells) == 1,
            "the window is a power of two up to " + MAX_WINDOW_CELLS, "windowCells", windowCells);
        require(lowBytes >= 0 && lowBytes < highBytes, "LOW is below HIGH: highBytes=" + highBytes, "lowBytes",
            lowBytes);
        require(highBytes - lowBytes >= creditBytes, "a credit lies between LOW and HIGH: lowBytes=" + lowBytes
            + " creditBytes=" + creditBytes, "highBytes", highBytes);
    }

    /**
     * The least credit with which one generator keeps a device busy (Stardust §4.1).
     *
     * @param outBps          bits a second that leave the device.
     * @param clocksPerCredit clocks of the generator for one credit.
     * @param clockHz         frequency of its clock.
     * @return bytes, rounded up.
     */
    public static long minCreditBytes(final long outBps, final int clocksPerCredit, final long clockHz) {
        return Math.ceilDiv(Math.multiplyExact(outBps, clocksPerCredit), BITS_PER_BYTE * clockHz);
    }

    /**
     * Time between two credits of a port.
     *
     * @param portBps   bits a second of the port.
     * @param surcharge excess of the credit rate over the port rate, as a fraction: ε.
     * @return picoseconds.
     */
    public double creditIntervalPs(final double portBps, final double surcharge) {
        return creditBytes * 8e12 / (portBps * (1 + surcharge));
    }

    /**
     * The speed-up with which a fabric carries all that credits ask for. With less it still runs, throttled by
     * congestion marks: worth a warning, not an error.
     *
     * @param surcharge   excess of the credit rate over the port rate, as a fraction: ε.
     * @param headerBytes of a cell, on top of its payload.
     * @return the least ratio of capacity to the fabric over capacity to the hosts.
     */
    public double neededSpeedUp(final double surcharge, final int headerBytes) {
        return (1 + surcharge) * (cellPayloadBytes + headerBytes) / cellPayloadBytes;
    }

    private static void require(final boolean holds, final String rule, final String name, final long value) {
        if (!holds) {
            throw new IllegalArgumentException(rule + ", " + name + "=" + value);
        }
    }
}
