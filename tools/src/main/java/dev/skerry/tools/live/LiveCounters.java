package dev.skerry.tools.live;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.EdgeWatch;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.packet.PacketCounter;

import java.util.List;
import java.util.Locale;

/** Writes the counters of a fabric's edges to a counter file. The thread that counts also writes. */
final class LiveCounters implements EdgeWatch {
    private static final EdgeCounter[] EDGE = EdgeCounter.values();
    private static final PacketCounter[] PACKET = PacketCounter.values();
    private static final int MOST_NAME = 120;

    private final CounterFile file;
    private final int[][] ofPort;
    private final int[][] ofBank;
    private final int[] slots;
    private PacketEdges edges;

    /**
     * Creates the counters at 0.
     *
     * @param file  file that holds them.
     * @param ports ports, whose nodes label the counters.
     * @param banks maximum number of banks.
     */
    LiveCounters(final CounterFile file, final List<PortChoice> ports, final int banks) {
        this.file = file;
        this.ofPort = new int[ports.size()][EDGE.length];
        for (int port = 0; port < ofPort.length; port++) {
            final String keys = "{node=\"" + ports.get(port).node() + "\",port=\"" + escaped(ports.get(port).shown())
                + "\"}";
            for (int i = 0; i < EDGE.length; i++) {
                ofPort[port][i] = file.add("port_" + nameOf(EDGE[i]) + keys);
            }
        }
        this.ofBank = new int[banks][PACKET.length];
        this.slots = new int[banks];
        for (int bank = 0; bank < banks; bank++) {
            final String keys = "{bank=\"" + bank + "\"}";
            slots[bank] = file.add("slots" + keys);
            for (int i = 0; i < PACKET.length; i++) {
                ofBank[bank][i] = file.add("fabric_" + nameOf(PACKET[i]) + keys);
            }
        }
    }

    /** Number of counters for some ports and banks. */
    static int counters(final int ports, final int banks) {
        return ports * EDGE.length + banks * (PACKET.length + 1);
    }

    /** Sets the edges to read. Call before anything runs. */
    void of(final PacketEdges counted) {
        edges = counted;
    }

    @Override
    public void onPort(final int port) {
        for (int i = 0; i < EDGE.length; i++) {
            file.set(ofPort[port][i], edges.counts(port).get(EDGE[i]));
        }
    }

    @Override
    public void onBank(final int bank, final long slot) {
        if (bank < slots.length) {
            file.set(slots[bank], slot);
            for (int i = 0; i < PACKET.length; i++) {
                file.set(ofBank[bank][i], edges.count(bank, PACKET[i]));
            }
        }
    }

    /** Name of a counter in files and reports. */
    static String nameOf(final Enum<?> counter) {
        return counter.name().toLowerCase(Locale.ROOT);
    }

    private static String escaped(final String text) {
        final String shortened = text.length() > MOST_NAME ? text.substring(0, MOST_NAME) + "..." : text;
        return shortened.replaceAll("[^ -~]", "?").replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
