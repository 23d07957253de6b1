package dev.skerry.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which FEs of a folded Clos are there and which of its links work: any subset is legal, so a fabric can start with few
 * FEs and grow while it runs (Stardust §5.1, spec/stardust §2). FAs are always there. Immutable, every change is a new
 * one; any thread may call.
 */
public final class Deployment {
    private final FoldedClos clos;
    private final long[] absent;
    private final long[] cut;

    private Deployment(final FoldedClos clos, final long[] absent, final long[] cut) {
        this.clos = clos;
        this.absent = absent;
        this.cut = cut;
    }

    /** All FEs and links. */
    public static Deployment full(final FoldedClos clos) {
        return new Deployment(clos, words(clos.devices()), words(clos.ports()));
    }

    /**
     * The growth of a fabric, FE by FE.
     *
     * @param start the deployment to begin with.
     * @param added FEs that are not there, in the order they come.
     * @return the start, and what there is after each addition.
     * @throws IllegalArgumentException if one of {@code added} is not an FE that is absent until then.
     */
    public static List<Deployment> growth(final Deployment start, final int... added) {
        final List<Deployment> stages = new ArrayList<>();
        stages.add(start);
        for (final int element : added) {
            final Deployment last = stages.getLast();
            if (last.isPresent(last.requireElement(element))) {
                throw new IllegalArgumentException("a fabric grows by FEs that are absent: element=" + element);
            }
            stages.add(last.with(element));
        }
        return List.copyOf(stages);
    }

    /** The fabric all of whose parts these are some of. */
    public FoldedClos clos() {
        return clos;
    }

    /**
     * The same with one more FE.
     *
     * @throws IllegalArgumentException if the device is not an FE.
     */
    public Deployment with(final int element) {
        return new Deployment(clos, changed(absent, requireElement(element), false), cut);
    }

    /**
     * The same with one FE less.
     *
     * @throws IllegalArgumentException if the device is not an FE.
     */
    public Deployment without(final int element) {
        return new Deployment(clos, changed(absent, requireElement(element), true), cut);
    }

    /**
     * The same with a link, known by either of its ports, cut in both directions.
     *
     * @throws IllegalArgumentException if no link is connected there.
     */
    public Deployment withoutLink(final int port) {
        final int other = requireLink(port);
        return new Deployment(clos, absent, changed(changed(cut, port, true), other, true));
    }

    /**
     * The same with a cut link, known by either of its ports, repaired.
     *
     * @throws IllegalArgumentException if no link is connected there.
     */
    public Deployment withLink(final int port) {
        final int other = requireLink(port);
        return new Deployment(clos, absent, changed(changed(cut, port, false), other, false));
    }

    /** Whether a device is there. */
    public boolean isPresent(final int device) {
        return (absent[device >>> 6] >>> device & 1) == 0;
    }

    /** Whether a port has a link that works, with a device at its other end. */
    public boolean isLive(final int port) {
        final int other = clos.peer(port);
        return other != FoldedClos.NONE && (cut[port >>> 6] >>> port & 1) == 0
            && isPresent(clos.deviceOf(port)) && isPresent(clos.deviceOf(other));
    }

    /** FEs that are there. */
    public int elements() {
        int count = clos.devices() - clos.fas();
        for (final long word : absent) {
            count -= Long.bitCount(word);
        }
        return count;
    }

    private int requireElement(final int element) {
        if (element < clos.fas() || element >= clos.devices()) {
            throw new IllegalArgumentException("FEs are the devices from " + clos.fas() + " to "
                + (clos.devices() - 1) + ": element=" + element);
        }
        return element;
    }

    private int requireLink(final int port) {
        if (port < 0 || port >= clos.ports() || clos.peer(port) == FoldedClos.NONE) {
            throw new IllegalArgumentException("a link is known by a port that is connected: port=" + port);
        }
        return clos.peer(port);
    }

    private static long[] changed(final long[] words, final int bit, final boolean set) {
        final long[] copy = Arrays.copyOf(words, words.length);
        copy[bit >>> 6] = set ? copy[bit >>> 6] | 1L << bit : copy[bit >>> 6] & ~(1L << bit);
        return copy;
    }

    private static long[] words(final int bits) {
        return new long[bits + Long.SIZE - 1 >>> 6];
    }
}
