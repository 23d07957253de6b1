package dev.skerry.schedule;

import java.util.Arrays;

/**
 * Which FAs every device of a deployment reaches, and through which links: the state that reachability messages
 * converge to (docs/spec/stardust.md §4 and §6). A cell goes up, then down, never up again: an FE that reaches the FA
 * through a down-link uses down-links only, otherwise its up-links.
 *
 * <pre>
 *   down(FA) = itself        down(FE) = union of down(other end) over its live down-links
 *   all(x)   = down(x) and all(other end) over its live up-links
 * </pre>
 *
 * Immutable; any thread may call. The accessors do not check their arguments.
 */
public final class UpDownReach {
    private final Deployment deployment;
    private final FoldedClos clos;
    private final int words;
    private final long[] down;
    private final long[] all;

    /** The closure of a deployment; takes 2 bits for every pair of device and FA. */
    public UpDownReach(final Deployment deployment) {
        this.deployment = deployment;
        this.clos = deployment.clos();
        this.words = clos.fas() + Long.SIZE - 1 >>> 6;
        this.down = new long[Math.multiplyExact(clos.devices(), words)];
        for (int fa = 0; fa < clos.fas(); fa++) {
            down[fa * words + (fa >>> 6)] |= 1L << fa;
        }
        for (int device = clos.fas(); device < clos.devices(); device++) {
            gather(device, 0, clos.downPorts(device), down, down);
        }
        this.all = down.clone();
        for (int device = clos.devices() - 1; device >= 0; device--) {
            gather(device, clos.downPorts(device), clos.ports(device), all, all);
        }
    }

    /** The deployment. */
    public Deployment deployment() {
        return deployment;
    }

    /** Whether a device reaches an FA through down-links only; an FA reaches itself. */
    public boolean reachesDown(final int device, final int fa) {
        return bit(down, device, fa);
    }

    /** Whether a device reaches an FA. */
    public boolean reaches(final int device, final int fa) {
        return bit(all, device, fa);
    }

    /** Whether a device may send a cell for an FA into one of its ports, counted from 0. */
    public boolean leads(final int device, final int localPort, final int fa) {
        final int port = clos.firstPort(device) + localPort;
        if (!deployment.isLive(port) || device == fa) {
            return false;
        }
        final int other = clos.deviceOf(clos.peer(port));
        return localPort < clos.downPorts(device) ? bit(down, other, fa)
            : !bit(down, device, fa) && bit(all, other, fa);
    }

    /** Whether every FA reaches every other one. */
    public boolean isConnected() {
        for (int fa = 0; fa < clos.fas(); fa++) {
            for (int to = 0; to < clos.fas(); to++) {
                if (!bit(all, fa, to)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The distinct sets of links that a device spreads cells over. */
    public LinkSets linkSets(final int device) {
        return new LinkSets(this, device);
    }

    /**
     * The number of shortest paths to an FA; parallel links count each.
     *
     * @param fa the destination.
     * @return by device: shortest paths; 0 if it does not reach the FA, 1 for the FA itself.
     * @throws ArithmeticException if there are more than a {@code long} counts.
     */
    public long[] shortestPaths(final int fa) {
        final long[] paths = new long[clos.devices()];
        final int[] hops = new int[clos.devices()];
        Arrays.fill(hops, Integer.MAX_VALUE - 1);
        paths[fa] = 1;
        hops[fa] = 0;
        for (int device = clos.fas(); device < clos.devices(); device++) {
            count(device, 0, clos.downPorts(device), paths, hops);
        }
        for (int device = clos.devices() - 1; device >= 0; device--) {
            if (paths[device] == 0) {
                count(device, clos.downPorts(device), clos.ports(device), paths, hops);
            }
        }
        return paths;
    }

    /** Bits of a device's reachability table, by FAs of the fabric and links of the device (Stardust §5.8). */
    public static long tableBits(final int fas, final int links) {
        return (long) fas * links;
    }

    private void count(final int device, final int from, final int to, final long[] paths, final int[] hops) {
        for (int local = from; local < to; local++) {
            final int port = clos.firstPort(device) + local;
            if (deployment.isLive(port)) {
                final int other = clos.deviceOf(clos.peer(port));
                if (paths[other] != 0 && hops[other] + 1 <= hops[device]) {
                    paths[device] = Math.addExact(hops[other] + 1 == hops[device] ? paths[device] : 0, paths[other]);
                    hops[device] = hops[other] + 1;
                }
            }
        }
    }

    private void gather(final int device, final int from, final int to, final long[] source, final long[] target) {
        for (int local = from; local < to; local++) {
            final int port = clos.firstPort(device) + local;
            if (deployment.isLive(port)) {
                final int other = clos.deviceOf(clos.peer(port)) * words;
                for (int word = 0; word < words; word++) {
                    target[device * words + word] |= source[other + word];
                }
            }
        }
    }

    private boolean bit(final long[] sets, final int device, final int fa) {
        return (sets[device * words + (fa >>> 6)] >>> fa & 1) != 0;
    }
}
