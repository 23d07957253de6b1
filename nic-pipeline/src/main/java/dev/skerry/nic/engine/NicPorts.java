package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.LinkBundle;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.Wiring;

import java.util.List;

/**
 * The ports of a bank of NICs: its ends of the links to and from circuit switches. In a slot a fibre carries the handle
 * of a cell, its place in the {@link InFlightCells}, or is dark where the schedule sends nothing. The bank's thread.
 */
final class NicPorts {
    private final SwitchedArrivals circuits;
    private final InFlightCells cells;
    private final int firstNode;
    private final int window;
    private final int placesOfSlot;
    private final int epochSlots;
    private final Out[] outs;
    private final In[] ins;

    /**
     * An outgoing link.
     *
     * @param link  the bank's end.
     * @param place by lane, the place of the port's node and channel within a slot of the {@code InFlightCells}.
     * @param lit   by slot of the epoch, a bit per lane: set if a cell leaves.
     */
    private record Out(LinkBundle.Producer link, int[] place, long[][] lit) {
    }

    /**
     * An incoming link.
     *
     * @param link    the bank's end.
     * @param node    by lane, the index in the bank of the node it reaches.
     * @param channel by lane, the node's channel.
     * @param lit     by slot of the epoch, a bit per lane: set if a cell arrives.
     */
    private record In(LinkBundle.Consumer link, int[] node, int[] channel, long[][] lit) {
    }

    /**
     * The ports of a bank.
     *
     * @param circuits  the bank's arrival map, filled by {@link #take}.
     * @param cells     cells in flight of all banks.
     * @param window    slots kept there.
     * @param fibres    all links.
     * @param bank      number of the bank.
     * @param firstNode its first node.
     * @param wiring    which fibre carries a cell when.
     */
    NicPorts(final SwitchedArrivals circuits, final InFlightCells cells, final int window, final Fibres fibres,
        final int bank, final int firstNode, final Wiring wiring) {
        this.circuits = circuits;
        this.cells = cells;
        this.firstNode = firstNode;
        this.window = window;
        this.placesOfSlot = wiring.schedule().nodes() * wiring.schedule().channels();
        this.epochSlots = wiring.schedule().epochSlots();
        this.outs = outs(wiring, fibres.outOf(bank));
        this.ins = ins(wiring, firstNode, fibres.into(bank));
    }

    /** Whether every link has room for a slot. */
    boolean hasRoom(final long slot) {
        for (final Out out : outs) {
            if (out.link.writableUntil(slot) <= slot) {
                return false;
            }
        }
        return true;
    }

    /** Puts the handles of the cells that the bank has sent in a slot onto its links. */
    void put(final long slot) {
        for (final Out out : outs) {
            put(out, slot);
        }
    }

    /** Whether a slot has arrived on every link. */
    boolean hasCome(final long slot) {
        for (final In in : ins) {
            if (in.link.readableUntil(slot) <= slot) {
                return false;
            }
        }
        return true;
    }

    /**
     * Sets the arrivals of a slot in the bank's arrival map.
     *
     * @throws IllegalStateException if a cell that the schedule sends is missing.
     */
    void take(final long slot) {
        for (final In in : ins) {
            take(in, slot);
        }
    }

    /** Frees a slot that has been received; until then senders must not overwrite its cells. */
    void free(final long slot) {
        for (final In in : ins) {
            in.link.free(slot + 1);
        }
    }

    private void put(final Out out, final long slot) {
        final long[] lit = out.lit[(int) (slot % epochSlots)];
        final int base = (int) (slot % window) * placesOfSlot;
        final Region words = out.link.words();
        final long row = out.link.row(slot);
        for (int lane = 0; lane < out.place.length; lane++) {
            final boolean leaves = (lit[lane >>> 6] >>> lane & 1) != 0;
            words.setLong(row + (long) lane * Long.BYTES,
                LinkBundle.word(slot, leaves ? base + out.place[lane] : LinkBundle.DARK));
        }
        out.link.publish(slot + 1);
    }

    private void take(final In in, final long arriving) {
        final long[] lit = in.lit[(int) (arriving % epochSlots)];
        for (int lane = 0; lane < in.node.length; lane++) {
            if ((lit[lane >>> 6] >>> lane & 1) != 0) {
                final int handle = in.link.handle(arriving, lane);
                if (handle < 0) {
                    throw new IllegalStateException("a cell is missing: slot=" + arriving + " node="
                        + (firstNode + in.node[lane]) + " channel=" + in.channel[lane]);
                }
                circuits.set(in.channel[lane], in.node[lane], cells.place(handle));
            }
        }
    }

    private static Out[] outs(final Wiring wiring, final List<Fibres.BankLink<LinkBundle.Producer>> links) {
        final PortNumbers ports = wiring.ports();
        final Out[] outs = new Out[links.size()];
        for (int i = 0; i < outs.length; i++) {
            final int[] of = links.get(i).ports();
            final int[] place = new int[of.length];
            for (int lane = 0; lane < of.length; lane++) {
                place[lane] = ports.channelOf(of[lane]) * wiring.schedule().nodes() + ports.nodeOf(of[lane]);
            }
            outs[i] = new Out(links.get(i).end(), place, lit(wiring, of, wiring::sends));
        }
        return outs;
    }

    private static In[] ins(final Wiring wiring, final int first,
        final List<Fibres.BankLink<LinkBundle.Consumer>> links) {
        final PortNumbers ports = wiring.ports();
        final In[] ins = new In[links.size()];
        for (int i = 0; i < ins.length; i++) {
            final int[] of = links.get(i).ports();
            final int[] node = new int[of.length];
            final int[] channel = new int[of.length];
            for (int lane = 0; lane < of.length; lane++) {
                node[lane] = ports.nodeOf(of[lane]) - first;
                channel[lane] = ports.channelOf(of[lane]);
            }
            ins[i] = new In(links.get(i).end(), node, channel, lit(wiring, of, wiring::receives));
        }
        return ins;
    }

    /** Whether a port's fibre carries a cell in a slot of the epoch. */
    @FunctionalInterface
    private interface Carries {
        boolean cell(int port, int slotInEpoch);
    }

    private static long[][] lit(final Wiring wiring, final int[] of, final Carries carries) {
        final long[][] lit = new long[wiring.schedule().epochSlots()][of.length + 63 >>> 6];
        for (int slotInEpoch = 0; slotInEpoch < lit.length; slotInEpoch++) {
            for (int lane = 0; lane < of.length; lane++) {
                lit[slotInEpoch][lane >>> 6] |= carries.cell(of[lane], slotInEpoch) ? 1L << lane : 0;
            }
        }
        return lit;
    }
}
