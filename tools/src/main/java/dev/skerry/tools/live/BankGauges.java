package dev.skerry.tools.live;

import dev.skerry.dataplane.counter.CounterFile;
import dev.skerry.nic.edge.EdgeGauges;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.packet.PacketCounter;

/** The counters of one bank: its slots, how fast they pass, how long it rested, its packets. The bank's thread. */
final class BankGauges {
    private static final PacketCounter[] PACKET = PacketCounter.values();
    private static final int OWN = 3;
    private static final long WINDOW_NS = 1_000_000_000;
    private static final double NS = 1e9;
    private static final double MILLION = 1e6;

    private final CounterFile file;
    private final int bank;
    private final int slots;
    private final int rate;
    private final int idle;
    private final int[] packets = new int[PACKET.length];
    private long startNs = System.nanoTime();
    private long startSlot;
    private long startRestedNs;

    /** Adds the counters of a bank. */
    BankGauges(final CounterFile file, final int bank) {
        this.file = file;
        this.bank = bank;
        final String keys = "{bank=\"" + bank + "\"}";
        this.slots = file.add("slots" + keys);
        this.rate = file.add("slots_per_second" + keys);
        this.idle = file.add("idle_ppm" + keys);
        for (int i = 0; i < PACKET.length; i++) {
            packets[i] = file.add("fabric_" + LiveCounters.nameOf(PACKET[i]) + keys);
        }
    }

    /** Number of counters of some banks. */
    static int counters(final int banks) {
        return banks * (PACKET.length + OWN);
    }

    /** Writes them; rates once a second. */
    void onBank(final PacketEdges edges, final EdgeGauges gauges, final long slot) {
        file.set(slots, slot);
        for (int i = 0; i < PACKET.length; i++) {
            file.set(packets[i], edges.count(bank, PACKET[i]));
        }
        final long nowNs = System.nanoTime();
        if (nowNs - startNs >= WINDOW_NS) {
            final long restedNs = gauges.restedNs(bank);
            final double lengthNs = nowNs - startNs;
            final double busyNs = Math.max(1, lengthNs - (restedNs - startRestedNs));
            file.set(rate, (long) ((slot - startSlot) * NS / busyNs));
            file.set(idle, (long) Math.min(MILLION, (restedNs - startRestedNs) * MILLION / lengthNs));
            startNs = nowNs;
            startSlot = slot;
            startRestedNs = restedNs;
        }
    }
}
