package dev.skerry.nic.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fault.LinkFaults.LinkFaultInjector;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** The injector loses and damages cells as the state of the slot says. */
final class LinkFaultInjectorTest {
    private static final int NODES = 6;
    private static final RoundRobin SCHEDULE = RoundRobin.plain(NODES, 2);
    private static final long HEADER = 0xFFF;

    /**
     * Fills one slot: cells from even nodes, idle cells from odd nodes, silence from the last node, nothing in dark
     * slots.
     */
    private static void write(final InFlightCells link, final long slot) {
        for (int channel = 0; channel < 2; channel++) {
            for (int id = 0; id < NODES; id++) {
                final long at = at(link, slot, channel, id);
                if (SCHEDULE.peerAt(id, channel, SCHEDULE.slotInEpoch(slot)) < 0) {
                    link.sendIdle(at, InFlightCells.NO_FEEDBACK);
                } else if (id == NODES - 1) {
                    link.silence(at);
                } else if (id % 2 == 0) {
                    link.send(at, 100 + id, 200 + id, 300 + id);
                } else {
                    link.sendIdle(at, 300 + id);
                }
            }
        }
    }

    private static long at(final InFlightCells link, final long slot, final int channel, final int id) {
        return link.offset(slot) + ((long) channel * NODES + id) * InFlightCells.PLACE_BYTES;
    }

    private static LinkFaultInjector medium(final Faults faults, final InFlightCells link, final FaultState[] state,
        final int first,
        final int end) {
        state[0] = faults.state(NODES);
        return new LinkFaultInjector(new NodeRange(first, end), SCHEDULE, state[0], link, HEADER,
            LinkFaultInjector.Bytes.NONE);
    }

    @Test
    void shouldSilenceWhatIsCutOff() {
        try (Arena arena = Arena.ofConfined()) {
            final InFlightCells link = new InFlightCells(arena, 2 * NODES, 4);
            final FaultState[] state = new FaultState[1];
            final LinkFaultInjector medium = medium(Scripts.of(new Fault.Link(1, 0, 2, false), new Fault.Link(1, 1, 3,
                false),
                new Fault.Node(2, 4, false)), link, state, 0, NODES);
            int silent = 0;
            int cells = 0;
            for (long slot = 0; slot < 3 * SCHEDULE.epochSlots(); slot++) {
                write(link, slot);
                state[0].turnTo(slot);
                medium.afflict(slot);
                for (int channel = 0; channel < 2; channel++) {
                    for (int id = 0; id < NODES; id++) {
                        final int peer = SCHEDULE.peerAt(id, channel, SCHEDULE.slotInEpoch(slot));
                        final long at = at(link, slot, channel, id);
                        final boolean lost = peer >= 0 && id < NODES - 1 && (slot >= 2 && (id == 4 || peer == 4)
                            || slot >= 1 && peer == id + 2 && id < 2);
                        silent += lost ? 1 : 0;
                        cells += lost && id % 2 == 0 ? 1 : 0;
                        final long expected = peer < 0 ? InFlightCells.NO_CELL : lost || id == NODES - 1
                            ? InFlightCells.SILENCE
                            : id % 2 == 0 ? 100 + id : InFlightCells.NO_CELL;
                        assertEquals(expected, link.route(at), "slot=" + slot + " node=" + id);
                        assertEquals(expected == InFlightCells.SILENCE || peer < 0
                            ? InFlightCells.NO_FEEDBACK : 300 + id,
                            link.feedback(at), "slot=" + slot + " node=" + id);
                    }
                }
            }
            assertTrue(silent > 10 && cells > 0 && cells < silent);
            assertEquals(cells, medium.lost());
            assertEquals(0, medium.damaged());
        }
    }

    /**
     * However the nodes are split into banks, the same cells are damaged in the same way. Silence cannot be damaged.
     */
    @Test
    void shouldDamageTheSameCellsWhateverTheBanks() {
        final Faults faults = Scripts.of(new Fault.Corruption(1, 0.3));
        final int slots = 400;
        try (Arena arena = Arena.ofConfined()) {
            final InFlightCells whole = new InFlightCells(arena, 2 * NODES, slots);
            final InFlightCells split = new InFlightCells(arena, 2 * NODES, slots);
            final FaultState[] state = new FaultState[1];
            final FaultState[] lower = new FaultState[1];
            final FaultState[] upper = new FaultState[1];
            final LinkFaultInjector one = medium(faults, whole, state, 0, NODES);
            final LinkFaultInjector first = medium(faults, split, lower, 0, 2);
            final LinkFaultInjector second = medium(faults, split, upper, 2, NODES);
            final int[] seen = new int[3];
            for (long slot = 0; slot < slots; slot++) {
                write(whole, slot);
                write(split, slot);
                state[0].turnTo(slot);
                lower[0].turnTo(slot);
                upper[0].turnTo(slot);
                one.afflict(slot);
                second.afflict(slot);
                first.afflict(slot);
                for (int place = 0; place < 2 * NODES; place++) {
                    final long at = at(whole, slot, 0, place);
                    assertEquals(whole.route(at), split.route(at));
                    assertEquals(whole.feedback(at), split.feedback(at));
                    if (whole.route(at) == InFlightCells.DAMAGED) {
                        final long wrong = whole.feedback(at) ^ 300 + place % NODES;
                        assertTrue(slot > 0 && place % NODES < NODES - 1 && (wrong & ~HEADER) == 0);
                        seen[0]++;
                        seen[1] += place % 2 == 0 ? 1 : 0;
                        seen[2] += wrong == 0 ? 1 : 0;
                    }
                }
            }
            assertEquals(seen[0], one.damaged());
            assertEquals(seen[1], one.damagedCells());
            assertEquals(one.damaged(), first.damaged() + second.damaged());
            // Damage has probability 0.3. Five of six nodes are not silent, in five of six slots. Half of the damaged
            // cells have a correct header.
            assertEquals(0.3 * slots * 2 * 5 * 5 / 6, seen[0], 120);
            assertEquals(seen[0] / 2.0, seen[2], seen[0] * 0.1);
        }
    }
}
