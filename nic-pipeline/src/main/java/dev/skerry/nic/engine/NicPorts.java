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
    /** First slot for which a link had no room when asked last. */
    private long roomUntil;
    /** First slot that had not come on some link when asked last. */
    private long comeUntil;
    /** Of the slot to be put next. */
    private int putInEpoch;
    private int putInWindow;
    /** Of the slot to be taken next. */
    private int takeInEpoch;

    /**
     * An outgoing link.
     *
     * @param link  the bank's end.
     * @param place by lane, the place of the port's node and channel within a slot of the {@code InFlightCells}.
     * @param lit   by slot of the epoch, a bit per lane: set if a cell leaves; null if all are set.
     */
    private record Out(LinkBundle.Producer link, int[] place, long[][] lit) {
    }

    /**
     * An incoming link.
     *
     * @param link    the bank's end.
     * @param entry   by lane, the entry in the arrival map of the node and channel it reaches.
     * @param node    by lane, the index in the bank of the node it reaches.
     * @param channel by lane, the node's channel.
     * @param lit     by slot of the epoch, a bit per lane: set if a cell arrives; null if all are set.
     */
    private record In(LinkBundle.Consumer link, int[] entry, int[] node, int[] channel, long[][] lit) {
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
        this.ins = ins(circuits, wiring, firstNode, fibres.into(bank));
    }

    /** Whether every link has room for a slot. */
    boolean hasRoom(final long slot) {
        if (slot >= roomUntil) {
            long until = Long.MAX_VALUE;
            for (final Out out : outs) {
                until = Math.min(until, out.link.writableUntil(slot));
            }
            roomUntil = until;
        }
        return slot < roomUntil;
    }

    /**
     * Puts the handles of the cells that the bank has sent in a slot onto its links. Every slot once, in order; they
     * leave with {@link #publish}.
     */
    void put(final long slot) {
        for (final Out out : outs) {
            put(out, slot);
        }
        putInEpoch = putInEpoch + 1 == epochSlots ? 0 : putInEpoch + 1;
        putInWindow = putInWindow + 1 == window ? 0 : putInWindow + 1;
    }

    /** Lets the switches have all slots before this one. */
    void publish(final long endSlot) {
        for (final Out out : outs) {
            out.link.publish(endSlot);
        }
    }

    /** Whether a slot has arrived on every link. */
    boolean hasCome(final long slot) {
        if (slot >= comeUntil) {
            long until = Long.MAX_VALUE;
            for (final In in : ins) {
                until = Math.min(until, in.link.readableUntil(slot));
            }
            comeUntil = until;
        }
        return slot < comeUntil;
    }

    /**
     * Sets the arrivals of a slot in the bank's arrival map. Every slot once, in order.
     *
     * @throws IllegalStateException if a cell that the schedule sends is missing.
     */
    void take(final long slot) {
        for (final In in : ins) {
            take(in, slot);
        }
        takeInEpoch = takeInEpoch + 1 == epochSlots ? 0 : takeInEpoch + 1;
    }

    /** Frees the slots before this one, which have been received; until then senders must not overwrite their cells. */
    void free(final long endSlot) {
        for (final In in : ins) {
            in.link.free(endSlot);
        }
    }

    private void put(final Out out, final long slot) {
        final int base = putInWindow * placesOfSlot;
        final Region words = out.link.words();
        final int[] place = out.place;
        long at = out.link.row(slot);
        if (out.lit == null) {
            for (int lane = 0; lane < place.length; lane++) {
                words.setLong(at, LinkBundle.word(slot, base + place[lane]));
                at += Long.BYTES;
            }
            return;
        }
        final long[] lit = out.lit[putInEpoch];
        for (int lane = 0; lane < place.length; lane++) {
            final boolean leaves = (lit[lane >>> 6] >>> lane & 1) != 0;
            words.setLong(at, LinkBundle.word(slot, leaves ? base + place[lane] : LinkBundle.DARK));
            at += Long.BYTES;
        }
    }

    private void take(final In in, final long arriving) {
        final Region words = in.link.words();
        final int[] entry = in.entry;
        final long[] lit = in.lit == null ? null : in.lit[takeInEpoch];
        long at = in.link.row(arriving);
        for (int lane = 0; lane < entry.length; lane++) {
            if (lit == null || (lit[lane >>> 6] >>> lane & 1) != 0) {
                final long word = words.getLong(at);
                if (!LinkBundle.isOf(word, arriving) || (int) word < 0) {
                    throw new IllegalStateException("a cell is missing: slot=" + arriving + " node="
                        + (firstNode + in.node[lane]) + " channel=" + in.channel[lane]);
                }
                circuits.set(entry[lane], cells.place((int) word));
            }
            at += Long.BYTES;
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

    private static In[] ins(final SwitchedArrivals circuits, final Wiring wiring, final int first,
        final List<Fibres.BankLink<LinkBundle.Consumer>> links) {
        final PortNumbers ports = wiring.ports();
        final In[] ins = new In[links.size()];
        for (int i = 0; i < ins.length; i++) {
            final int[] of = links.get(i).ports();
            final int[] node = new int[of.length];
            final int[] channel = new int[of.length];
            final int[] entry = new int[of.length];
            for (int lane = 0; lane < of.length; lane++) {
                node[lane] = ports.nodeOf(of[lane]) - first;
                channel[lane] = ports.channelOf(of[lane]);
                entry[lane] = circuits.entry(channel[lane], node[lane]);
            }
            ins[i] = new In(links.get(i).end(), entry, node, channel, lit(wiring, of, wiring::receives));
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
        int cells = 0;
        for (int slotInEpoch = 0; slotInEpoch < lit.length; slotInEpoch++) {
            for (int lane = 0; lane < of.length; lane++) {
                final boolean cell = carries.cell(of[lane], slotInEpoch);
                lit[slotInEpoch][lane >>> 6] |= cell ? 1L << lane : 0;
                cells += cell ? 1 : 0;
            }
        }
        return cells == lit.length * of.length ? null : lit;
    }
}
