package dev.skerry.nic.fattree;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.LinkSets;
import dev.skerry.schedule.UpDownReach;
import dev.skerry.schedule.check.Laws;

/**
 * Forwarding tables of a bank's switches: the ports that lead to each host (docs/spec/fattree.md §4). If there are
 * several, the port is selected by a hash of connection, direction and switch (ECMP), or by the path number that the
 * sender chose. A port whose link is down is skipped at once; the tables of other switches change after the reroute
 * time. One thread.
 */
final class PacketForwarding {
    /** Value used instead of a port: no route. */
    static final int NONE = -1;

    private final FoldedClos clos;
    private final boolean[] isOwn;
    private final boolean sprays;
    private final long seed;
    private final int upLinks;
    private final int firstAbove;
    private final int firstTop;
    /**
     * Set of ports that leads to each host, by device and host, a short because every hop reads it; the ports of sets.
     */
    private final short[][] setOf;
    private final int[][][] sets;

    /**
     * Creates tables of a network without failures.
     *
     * @param isOwn by device, whether it belongs to the bank.
     */
    PacketForwarding(final FatTree fabric, final boolean[] isOwn) {
        this.clos = fabric.clos();
        this.isOwn = isOwn;
        this.sprays = fabric.sprays();
        this.seed = CounterRandom.mix(fabric.seed());
        this.upLinks = clos.config().upLinks();
        this.firstAbove = clos.tierStart(2);
        this.firstTop = clos.tierStart(clos.tiers());
        this.setOf = new short[clos.devices()][];
        this.sets = new int[clos.devices()][][];
        learn(null);
    }

    /** Computes the tables from the working links; {@code faults} is null if all links work. */
    void learn(final FaultState faults) {
        Deployment present = Deployment.full(clos);
        for (int port = 0; faults != null && port < clos.ports(); port++) {
            final int peer = clos.peer(port);
            if (peer > port && isLost(faults, clos.deviceOf(port), clos.deviceOf(peer))) {
                present = present.withoutLink(port);
            }
        }
        final UpDownReach reach = new UpDownReach(present);
        for (int device = clos.fas(); device < clos.devices(); device++) {
            if (isOwn[device]) {
                learn(device, reach.linkSets(device));
            }
        }
    }

    private void learn(final int device, final LinkSets links) {
        Laws.brokenIf(links.count() > Short.MAX_VALUE, "a switch has too many sets of links: ", links.count());
        setOf[device] = new short[clos.fas()];
        for (int host = 0; host < clos.fas(); host++) {
            setOf[device][host] = (short) links.setOf(host);
        }
        sets[device] = new int[links.count()][];
        for (int set = 0; set < links.count(); set++) {
            sets[device][set] = new int[links.size(set)];
            final long[] bits = links.links(set);
            int count = 0;
            for (int link = 0; link < clos.ports(device); link++) {
                if ((bits[link >>> 6] >>> link & 1) != 0) {
                    sets[device][set][count++] = clos.firstPort(device) + link;
                }
            }
        }
    }

    /** Whether the link between two devices is down in at least one direction. */
    static boolean isLost(final FaultState faults, final int one, final int other) {
        return faults.isLost(one, other) || faults.isLost(other, one);
    }

    /**
     * The port through which a packet leaves a switch, or {@link #NONE}.
     *
     * @param faults faults that the switch sees at its own ports; null if there are none.
     */
    int port(final int device, final int to, final long first, final long second, final FaultState faults) {
        final int set = setOf[device][to];
        if (set == LinkSets.NONE) {
            return NONE;
        }
        final int[] ports = sets[device][set];
        if (ports.length == 1 && faults == null) {
            return ports[0];
        }
        final int choice = choice(device, first, second);
        for (int i = 0; i < ports.length; i++) {
            final int port = ports[Integer.remainderUnsigned(choice + i, ports.length)];
            if (faults == null || !isLost(faults, device, clos.deviceOf(clos.peer(port)))) {
                return port;
            }
        }
        return NONE;
    }

    private int choice(final int device, final long first, final long second) {
        if (sprays && device >= firstTop) {
            // Of several links to a pod or leaf, the one with the same index as the link of arrival: each is on one
            // path.
            return PacketWord.port(second);
        }
        if (sprays) {
            return device < firstAbove ? PacketWord.path(second) % upLinks : PacketWord.path(second) / upLinks;
        }
        final long connection = 2L * (first >>> Integer.SIZE) + (PacketWord.goesBack(second) ? 1 : 0);
        return (int) (CounterRandom.mix(CounterRandom.mix(seed + connection) + device) >>> Integer.SIZE);
    }
}
