package dev.skerry.schedule;

/**
 * The FAs that every device of a deployment reaches, and the links that lead to them: the state to which reachability
 * messages converge (docs/spec/stardust.md §4 and §6). A cell goes up, then down, and never up again: an FE that
 * reaches the FA through a down-link uses down-links only, otherwise its up-links.
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

    /** Computes the closure of a deployment. Uses 2 bits for every pair of device and FA. */
    public UpDownReach(final Deployment deployment) {
        this.deployment = deployment;
        this.clos = deployment.clos();
        this.words = clos.fas() + Long.SIZE - 1 >>> 6;
        this.down = new long[Math.multiplyExact(clos.devices(), words)];
        for (int fa = 0; fa < clos.fas(); fa++) {
            down[fa * words + (fa >>> 6)] |= 1L << fa;
        }
        for (int device = clos.fas(); device < clos.devices(); device++) {
            gather(device, 0, clos.downPorts(device), down);
        }
        this.all = down.clone();
        for (int device = clos.devices() - 1; device >= 0; device--) {
            gather(device, clos.downPorts(device), clos.ports(device), all);
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

    /** Whether a device may send a cell for an FA through one of its ports, counted from 0. */
    public boolean leads(final int device, final int localPort, final int fa) {
        final int port = clos.firstPort(device) + localPort;
        if (!deployment.isLive(port) || device == fa) {
            return false;
        }
        final int other = clos.deviceOf(clos.peer(port));
        return localPort < clos.downPorts(device) ? bit(down, other, fa)
            : !bit(down, device, fa) && bit(all, other, fa);
    }

    /** The distinct sets of links over which a device spreads cells. */
    public LinkSets linkSets(final int device) {
        return new LinkSets(clos.ports(device), clos.downPorts(device), clos.fas(),
            (link, fa) -> leads(device, link, fa));
    }

    /** Size in bits of a device's reachability table, one bit per FA and link (Stardust §5.8). */
    public static long tableBits(final int fas, final int links) {
        return (long) fas * links;
    }

    private void gather(final int device, final int from, final int to, final long[] sets) {
        for (int local = from; local < to; local++) {
            final int port = clos.firstPort(device) + local;
            if (deployment.isLive(port)) {
                final int other = clos.deviceOf(clos.peer(port)) * words;
                for (int word = 0; word < words; word++) {
                    sets[device * words + word] |= sets[other + word];
                }
            }
        }
    }

    private boolean bit(final long[] sets, final int device, final int fa) {
        return (sets[device * words + (fa >>> 6)] >>> fa & 1) != 0;
    }
}
