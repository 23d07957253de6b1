package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.LocalRule.LocalFlows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Which local flow a node serves, beside lists that say the same the obvious way. */
final class LocalRuleTest {
    private static final int NODE = 3;
    private static final int FLOWS = 40;
    /** Every third question is declined, else the flow with the highest index is asked. */
    private static final LocalRule OWN = (shale, nodes) -> new LocalChoice() {
        private int asked;

        @Override
        public int next(final int id, final int node, final int link, final LocalFlows flows) {
            int best = 0;
            for (int i = 1; i < flows.count(); i++) {
                best = flows.flow(i) > flows.flow(best) ? i : best;
            }
            return id != NODE || ++asked % 3 == 0 ? NONE : best;
        }
    };

    private final Phased schedule = new Phased(2, 4);
    private final FlowSet flows = new FlowSet();
    private final List<Integer> active = new ArrayList<>();
    private final int[] left = new int[FLOWS];
    /** NODE: the flow that the pointer stands at, -1 at the head; DESTINATION: where the search begins. */
    private int turn;
    private int asked;

    @ParameterizedTest
    @ValueSource(strings = {"node", "destination", "own"})
    void shouldServeFlowsInTheOrderOfTheRule(final String name) {
        final Random random = new Random(11);
        for (int i = 0; i < FLOWS; i++) {
            left[i] = 1 + random.nextInt(6);
            flows.add(i, NODE, (NODE + 1 + random.nextInt(15)) % 16, 244L * left[i], left[i], i / 2 * 3);
        }
        turn = name.equals("node") ? -1 : 0;
        final LocalRule rule = name.equals("own") ? OWN : name.equals("node") ? LocalRule.NODE
            : LocalRule.DESTINATION;
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH.serving(rule), 1, 1, 0,
            1);
        int served = 0;
        try (Arena arena = Arena.ofConfined()) {
            final ShaleFlowScheduler scheduler = new ShaleFlowScheduler(arena, new NodeRange(NODE, NODE + 1), shale,
                flows, new NoPayload(), new QueueBits(schedule.epochSlots()), null);
            int next = 0;
            for (int slot = 0; slot < 400; slot++) {
                scheduler.activate(slot);
                if (next < FLOWS && flows.startSlot(next) <= slot) {
                    active.add(next++);
                }
                final int allowed = random.nextInt(1 << 16);
                final int link = random.nextInt(schedule.epochSlots());
                final int peer = schedule.peerOf(NODE, link);
                final int expected = expect(name, allowed | 1 << peer);
                final Admission admission = new Allowed(allowed);
                final boolean found = scheduler.hasFlow(0) && scheduler.poll(link, 0, peer, admission);
                assertEquals(expected, found ? Cell.flow(scheduler.cell) : -1, name + " seed=11 slot=" + slot);
                served += found ? 1 : 0;
            }
        }
        assertTrue(active.isEmpty() && served > FLOWS, name + " served=" + served + " left=" + active);
    }

    /** Allows the destinations whose bits are set. */
    private record Allowed(int destinations) implements Admission {
        @Override
        public boolean admitLocal(final int queue, final int node, final int destination) {
            return (destinations >>> destination & 1) != 0;
        }

        @Override
        public long takeFeedback(final int queue) {
            return -1;
        }
    }

    /** The flow that has to be served, -1 for none; it is then served here too. */
    private int expect(final String name, final int allowed) {
        final List<Integer> order = new ArrayList<>(active);
        if (name.equals("node")) {
            final int from = Math.max(0, active.indexOf(turn));
            order.addAll(active.subList(0, from));
            order.subList(0, from).clear();
        } else if (name.equals("destination")) {
            order.sort((a, b) -> Integer.compare(Math.floorMod(flows.destination(a) - turn, 16),
                Math.floorMod(flows.destination(b) - turn, 16)));
        } else {
            order.sort((a, b) -> Integer.compare(b, a));
        }
        for (final int flow : order) {
            if (name.equals("own") && ++asked % 3 == 0) {
                return -1;
            }
            if ((allowed >>> flows.destination(flow) & 1) != 0) {
                final int at = active.indexOf(flow);
                turn = name.equals("node") ? at + 1 < active.size() ? active.get(at + 1) : -1
                    : flows.destination(flow) + 1;
                if (--left[flow] == 0) {
                    active.remove(at);
                }
                return flow;
            }
        }
        return -1;
    }
}
