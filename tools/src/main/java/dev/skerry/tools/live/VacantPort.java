package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.dataplane.port.PortCounts;

/** The port of a node that has none: {@code none} keeps a place for one that comes later. One thread. */
final class VacantPort implements PacketPort {
    /** Its kind on the command line. */
    static final String KIND = "none";

    private final PortCounts counts = new PortCounts();

    @Override
    public int rxBurst(final PacketBurst into) {
        return 0;
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        return 0;
    }

    @Override
    public int poll(final long nowNs) {
        return 0;
    }

    @Override
    public boolean isUp() {
        return false;
    }

    @Override
    public PortCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
