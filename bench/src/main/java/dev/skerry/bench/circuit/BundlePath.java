package dev.skerry.bench.circuit;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.ring.LinkBundle;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Ours: the shipped switch between link bundles of a given number of lanes. */
final class BundlePath extends SwitchPath {
    private final CircuitSwitch circuits;
    private final LinkBundle.Producer[] out;
    private final LinkBundle.Consumer[] in;
    private final int lanes;

    BundlePath(final Arena arena, final int lanes) {
        this.lanes = lanes;
        final LinkBundle[] up = links(arena, lanes);
        final LinkBundle[] down = links(arena, lanes);
        this.out = Arrays.stream(up).map(LinkBundle::producer).toArray(LinkBundle.Producer[]::new);
        this.in = Arrays.stream(down).map(LinkBundle::consumer).toArray(LinkBundle.Consumer[]::new);
        final List<CircuitSwitch.Inlet> inlets = IntStream.range(0, up.length)
            .mapToObj(l -> new CircuitSwitch.Inlet(up[l].consumer(), ports(l, lanes))).toList();
        final List<CircuitSwitch.Outlet> outlets = IntStream.range(0, down.length)
            .mapToObj(l -> new CircuitSwitch.Outlet(down[l].producer(), ports(l, lanes))).toList();
        this.circuits = new CircuitSwitch(
            arena, "bench", new RegisterTable(PORTS, EPOCH, SwitchPath::input), inlets, outlets);
        circuits.start(0);
    }

    @Override
    void send(final long slot) {
        for (int l = 0; l < out.length; l++) {
            final LinkBundle.Producer link = out[l];
            if (link.writableUntil(slot) <= slot) {
                throw new IllegalStateException("no room: slot=" + slot);
            }
            for (int lane = 0; lane < lanes; lane++) {
                link.put(slot, lane, handle(slot, l * lanes + lane));
            }
            link.publish(slot + 1);
        }
    }

    @Override
    boolean receive(final long slot) {
        // The switch publishes its outputs in this order.
        final LinkBundle.Consumer last = in[in.length - 1];
        if (last.readableUntil(slot) <= slot) {
            return false;
        }
        final int slotInEpoch = (int) (slot % EPOCH);
        for (int l = 0; l < in.length; l++) {
            final LinkBundle.Consumer link = in[l];
            link.readableUntil(slot);
            for (int lane = 0; lane < lanes; lane++) {
                check(slot, slotInEpoch, l * lanes + lane, link.handle(slot, lane));
            }
            link.free(slot + 1);
        }
        return true;
    }

    @Override
    int circuits() {
        return circuits.doWork();
    }

    private static LinkBundle[] links(final Arena arena, final int lanes) {
        // Twice the slots in flight: the switch passes a slot on before it frees the rows that held it.
        return IntStream.range(0, PORTS / lanes).mapToObj(l -> new LinkBundle(arena, lanes, 2 * SLOTS, 0))
            .toArray(LinkBundle[]::new);
    }

    private static int[] ports(final int link, final int lanes) {
        return IntStream.range(link * lanes, (link + 1) * lanes).toArray();
    }
}
