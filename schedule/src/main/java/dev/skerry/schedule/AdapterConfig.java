package dev.skerry.schedule;

/**
 * The numbers of a Fabric Adapter that must fit each other (spec/stardust §1, §3, §5 and the row "Configuration" of
 * §11). Immutable; any thread may call.
 *
 * @param ports            host ports.
 * @param classes          traffic classes of a port.
 * @param creditBytes      bytes a credit lets go, C.
 * @param cellPayloadBytes most bytes a cell carries.
 * @param minCreditBytes   what a credit must at least be so that the generator keeps up, {@link #minCreditBytes}.
 * @param windowCells      cells that a stream may be out of order by, W.
 * @param lowBytes         egress buffer of a port below which credits go out again, LOW.
 * @param highBytes        egress buffer of a port above which no credits go out, HIGH.
 */
public record AdapterConfig(int ports, int classes, int creditBytes, int cellPayloadBytes, int minCreditBytes,
    int windowCells, long lowBytes, long highBytes) {
    /** Ports that the 12 bits of a cell tell apart. */
    public static final int MAX_PORTS = 4_096;
    /** Classes that the 4 bits of a cell tell apart. */
    public static final int MAX_CLASSES = 16;
    /** Most payload of a cell. */
    public static final int MAX_CELL_PAYLOAD_BYTES = 512;
    /** The largest window: half of what the shortest sequence number of a stream may span, kept small in memory. */
    public static final int MAX_WINDOW_CELLS = 1 << 20;

    private static final int BITS_PER_BYTE = 8;

    /**
     * Checks every rule.
     *
     * @throws IllegalArgumentException if one does not hold; the message names it.
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
     * What a credit must at least be worth so that one generator keeps a device busy (Stardust §4.1).
     *
     * @param outBps          bits a second that leave the device.
     * @param clocksPerCredit clocks the generator takes for a credit.
     * @param clockHz         its clock.
     * @return bytes, rounded up.
     */
    public static long minCreditBytes(final long outBps, final int clocksPerCredit, final long clockHz) {
        return Math.ceilDiv(Math.multiplyExact(outBps, clocksPerCredit), BITS_PER_BYTE * clockHz);
    }

    /**
     * From a credit of a port to the next.
     *
     * @param portBps   bits a second of the port.
     * @param surcharge by how much credits are faster than the port, as a fraction: ε.
     * @return picoseconds.
     */
    public double creditIntervalPs(final double portBps, final double surcharge) {
        return creditBytes * 8e12 / (portBps * (1 + surcharge));
    }

    /**
     * The speed-up that a fabric must have so that it carries what credits ask for. With less it runs, kept in check by
     * congestion marks: worth a warning, no error.
     *
     * @param surcharge   by how much credits are faster than ports, as a fraction: ε.
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
