package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.CircuitSwitch.Inlet;
import dev.skerry.dataplane.circuit.CircuitSwitch.Outlet;
import dev.skerry.dataplane.ring.LinkBundle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.List;

final class CircuitSwitchTest {
    private static final int DARK = LinkBundle.DARK;
    private static final int NOTHING = LinkBundle.MISSING;

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    /** Three nodes on one switch, node i to node i + t + 1 in slot t. */
    private static final class Star {
        final LinkBundle in;
        final LinkBundle out;
        final CircuitSwitch circuits;

        Star(final Arena arena, final int rows, final long first) {
            in = new LinkBundle(arena, 3, rows, first);
            out = new LinkBundle(arena, 3, rows, first);
            circuits = new CircuitSwitch(arena, "star",
                new RegisterTable(3, 2, (slot, output) -> Math.floorMod(output - slot - 1, 3)),
                List.of(new Inlet(in.consumer(), 0, 1, 2)), List.of(new Outlet(out.producer(), 0, 1, 2)));
        }

        void send(final int... handles) {
            final long slot = in.producer().slot();
            assertTrue(in.producer().writableUntil(slot) > slot);
            for (int lane = 0; lane < handles.length; lane++) {
                if (handles[lane] != NOTHING) {
                    in.producer().put(slot, lane, handles[lane]);
                }
            }
            in.producer().publish(slot + 1);
        }

        int[] receive() {
            final long slot = out.consumer().slot();
            assertTrue(out.consumer().readableUntil(slot) > slot, "slot has not come: slot=" + slot);
            final int[] handles = {
                out.consumer().handle(slot, 0), out.consumer().handle(slot, 1), out.consumer().handle(slot, 2)
            };
            out.consumer().free(slot + 1);
            return handles;
        }
    }

    @Test
    void shouldWaitForInputAndForRoom() {
        final Star star = new Star(arena, 2, 0);
        assertEquals(0, star.circuits.doWork());
        star.send(0, 1, 2);
        star.send(3, 4, 5);
        assertEquals(2, star.circuits.doWork());
        star.send(6, 7, 8);
        assertEquals(0, star.circuits.doWork(), "both rows of the output are taken");
        star.receive();
        assertEquals(1, star.circuits.doWork());
        assertEquals(3, star.circuits.slot());
    }

    @Test
    void shouldNotMakeOneWayWaitForTheOther() {
        final LinkBundle[] in = {new LinkBundle(arena, 1, 4, 0), new LinkBundle(arena, 1, 4, 0)};
        final LinkBundle[] out = {new LinkBundle(arena, 1, 4, 0), new LinkBundle(arena, 1, 4, 0)};
        final CircuitSwitch leaf = new CircuitSwitch(arena, "leaf", RegisterTable.of(2, 1, new int[] {1, 0}),
            List.of(new Inlet(in[0].consumer(), 0), new Inlet(in[1].consumer(), 1)),
            List.of(new Outlet(out[0].producer(), 0), new Outlet(out[1].producer(), 1)));
        in[0].producer().put(0, 0, 3);
        in[0].producer().publish(1);
        assertEquals(1, leaf.doWork(), "up, with nothing to come down");
        assertEquals(1, out[1].consumer().readableUntil(0));
        assertEquals(3, out[1].consumer().handle(0, 0));
        assertEquals(0, leaf.slot());
    }

    @Test
    void shouldBeDoneAtTheEndThatWasSet() {
        final Star star = new Star(arena, 8, 0);
        star.circuits.endAt(2);
        for (int slot = 0; slot < 3; slot++) {
            star.send(0, 1, 2);
        }
        assertEquals(2, star.circuits.doWork());
        assertEquals(CircuitSwitch.DONE, star.circuits.doWork());
        star.circuits.endAt(4);
        assertEquals(1, star.circuits.doWork());
        assertEquals(0, star.circuits.doWork());
    }

    @Test
    void shouldRefuseWiringThatDoesNotFit() {
        final LinkBundle a = new LinkBundle(arena, 2, 4, 0);
        final LinkBundle b = new LinkBundle(arena, 2, 4, 0);
        final LinkBundle late = new LinkBundle(arena, 2, 4, 1);
        final RegisterTable cross = RegisterTable.of(2, 1, new int[] {1, 0});
        final Inlet in = new Inlet(a.consumer(), 0, 1);
        final Outlet out = new Outlet(b.producer(), 0, 1);
        refuses("no links", cross, List.of(), List.of());
        refuses("the table uses a port without a link", cross, List.of(in), List.of());
        refuses("two links at one port", cross, List.of(in, in), List.of(out));
        refuses("two links at one port", cross, List.of(in), List.of(new Outlet(b.producer(), 1, 1)));
        refuses("no such output", cross, List.of(in), List.of(new Outlet(b.producer(), 0, 2)));
        refuses("a link needs a port for each lane", cross, List.of(new Inlet(a.consumer(), 0)), List.of(out));
        refuses("links must be at the same slot", cross, List.of(in), List.of(new Outlet(late.producer(), 0, 1)));
    }

    private void refuses(
        final String why,
        final RegisterTable table,
        final List<Inlet> inlets,
        final List<Outlet> outlets
    ) {
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new CircuitSwitch(arena, "leaf-3", table, inlets, outlets));
        assertTrue(refused.getMessage().startsWith(why + ": switch=leaf-3 "), refused.getMessage());
    }
}
