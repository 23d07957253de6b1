package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.Edge.CellEdge;
import dev.skerry.nic.fabric.Edge.Edges;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
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
        return edges(CellEdge.class, new CellEdge[ranges.length], ranges);
    }

    @Override
    public PacketEdge[] packetEdges(final Arena arena, final Fabric fabric, final NodeRange[] ranges) {
        return edges(PacketEdge.class, new PacketEdge[ranges.length], ranges);
    }

    private <T> T[] edges(final Class<T> type, final T[] into, final NodeRange[] ranges) {
        lastBank = ranges.length - 1;
        lastFirst = ranges[lastBank].first();
        Arrays.setAll(into, bank -> edge(type, bank == lastBank));
        return into;
    }

    /** Cells and packets carry nothing, and none is lost. */
    private <T> T edge(final Class<T> type, final boolean live) {
        final Intake[] intake = new Intake[1];
        final boolean[] offered = new boolean[1];
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "join" -> intake[0] = (Intake) arguments[0];
                case "poll" -> {
                    final long slot = (long) arguments[0];
                    if (live && slot >= FROM && !atCell) {
                        hook.run();
                    } else if (live && slot >= FROM && !offered[0]) {
                        offered[0] = true;
                        intake[0].offer(lastFirst, 1, slot);
                    }
                    yield slot + 1;
                }
                case "inject" -> {
                    hook.run();
                    yield arguments[0];
                }
                case "deliver" -> type == PacketEdge.class ? (Object) 1 : arguments[0];
                case "identify" -> arguments[0];
                case "waitingAt" -> 0L;
                case "copy" -> null;
                default -> throw new AssertionError("nothing is lost, refused or policed: " + method);
            }));
    }
}
