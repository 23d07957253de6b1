package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.Edge;
import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Edges whose last bank does as a test says, on the thread that runs the bank: after slot {@link #FROM} in a look
 * around, or when a cell is asked for that was offered then.
 */
final class HookedEdges implements Edges {
    static final long FROM = 20;

    private final Runnable hook;
    private final boolean atCell;
    int lastBank;
    int lastFirst;

    /**
     * Edges before they are made.
     *
     * @param hook   what happens.
     * @param atCell whether it happens when the bank asks for a cell; else in a look around.
     */
    HookedEdges(final Runnable hook, final boolean atCell) {
        this.hook = hook;
        this.atCell = atCell;
    }

    /** A flow on demand from every endpoint to the next one. */
    FlowSet flows(final int endpoints) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < endpoints; from++) {
            flows.addOnDemand(from, from, (from + 1) % endpoints);
        }
        return flows;
    }

    @Override
    public CellEdge[] cellEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges,
        final boolean byName) {
        last(ranges);
        final CellEdge[] edges = new CellEdge[ranges.length];
        Arrays.setAll(edges, bank -> new Cells(bank == lastBank));
        return edges;
    }

    @Override
    public PacketEdge[] packetEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
        last(ranges);
        final PacketEdge[] edges = new PacketEdge[ranges.length];
        Arrays.setAll(edges, bank -> new Packets(bank == lastBank));
        return edges;
    }

    private void last(final NodeRange[] ranges) {
        lastBank = ranges.length - 1;
        lastFirst = ranges[lastBank].first();
    }

    /** Cells that carry nothing, of which none is lost. */
    interface BareCells extends CellEdge {
        @Override
        default long inject(final long identity) {
            return identity;
        }

        @Override
        default long deliver(final long cell) {
            return cell;
        }

        @Override
        default long identify(final long cell) {
            return cell;
        }

        @Override
        default void discard(final long cell) {
            throw new AssertionError("nothing is lost");
        }
    }

    private abstract class Hooked implements Edge {
        private final boolean live;
        private Intake intake;
        private boolean offered;

        Hooked(final boolean live) {
            this.live = live;
        }

        @Override
        public void join(final Intake of) {
            intake = of;
        }

        @Override
        public long poll(final long slot) {
            if (live && slot >= FROM) {
                if (!atCell) {
                    hook.run();
                } else if (!offered) {
                    offered = true;
                    intake.offer(lastFirst, 1, slot);
                }
            }
            return slot + 1;
        }
    }

    private final class Cells extends Hooked implements BareCells {
        Cells(final boolean live) {
            super(live);
        }

        @Override
        public long inject(final long identity) {
            hook.run();
            return identity;
        }
    }

    private final class Packets extends Hooked implements PacketEdge {
        Packets(final boolean live) {
            super(live);
        }

        @Override
        public long inject(final long identity, final int cells) {
            hook.run();
            return identity;
        }

        @Override
        public int deliver(final long packet) {
            return 1;
        }

        @Override
        public int refuse(final long packet) {
            throw new AssertionError("nothing is refused");
        }

        @Override
        public int police(final long packet) {
            throw new AssertionError("nothing is policed");
        }

        @Override
        public int discard(final long packet) {
            throw new AssertionError("nothing is lost");
        }

        @Override
        public void copy(final long packet, final int offset, final MemorySegment to, final long at, final int bytes) {
            // Nobody looks at bytes.
        }

        @Override
        public long waitingAt(final int endpoint) {
            return 0;
        }
    }
}
