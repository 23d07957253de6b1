package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Which FEs and FAs of a folded Clos are present and which of its links work. Any subset is legal, so a fabric can
 * start with few devices and grow while it runs (Stardust §5.1, docs/spec/stardust.md §2). Immutable: every change is a
 * new deployment. Any thread may call.
 */
public final class Deployment {
    private final FoldedClos clos;
    private final BitSet absent;
    private final BitSet cut;

    private Deployment(final FoldedClos clos, final BitSet absent, final BitSet cut) {
        this.clos = clos;
        this.absent = absent;
        this.cut = cut;
    }

    /** The deployment in which all devices and links work. */
    public static Deployment full(final FoldedClos clos) {
        return new Deployment(clos, new BitSet(), new BitSet());
    }

    /** The fabric of which this is a subset. */
    public FoldedClos clos() {
        return clos;
    }

    /**
     * Returns this deployment without a device.
     *
     * @throws IllegalArgumentException if the device does not exist.
     */
    public Deployment without(final int device) {
        Bounds.refuseIf(device < 0 || device >= clos.devices(), "devices are 0 to ", clos.devices() - 1, ": device=",
            device);
        return new Deployment(clos, with(absent, device), cut);
    }

    /**
     * Returns this deployment with a link cut in both directions.
     *
     * @param port either port of the link.
     * @throws IllegalArgumentException if the port has no link.
     */
    public Deployment withoutLink(final int port) {
        Bounds.refuseIf(port < 0 || port >= clos.ports() || clos.peer(port) == FoldedClos.NONE,
            "a link is known by a port that is connected: port=", port);
        return new Deployment(clos, absent, with(cut, port, clos.peer(port)));
    }

    /** Whether a device is present. */
    public boolean isPresent(final int device) {
        return !absent.get(device);
    }

    /** Whether a port and its peer belong to present devices and their link is not cut. */
    public boolean isLive(final int port) {
        final int other = clos.peer(port);
        return other != FoldedClos.NONE && !cut.get(port) && isPresent(clos.deviceOf(port))
            && isPresent(clos.deviceOf(other));
    }

    /** Number of live ports of a device. */
    public int live(final int device) {
        return (int) IntStream.range(clos.firstPort(device), clos.firstPort(device + 1)).filter(this::isLive).count();
    }

    private static BitSet with(final BitSet bits, final int... more) {
        final BitSet copy = (BitSet) bits.clone();
        for (final int bit : more) {
            copy.set(bit);
        }
        return copy;
    }
}
