package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.LocalRule.LocalFlows;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Round robin of flows on every link, against lists and pointers to a flow or the end (docs/spec/shale.md §5.3 step 4).
 */
final class ShaleFlowSchedulerModelTest {
    private static final int SLOTS = 2_000;
    private static final int END = -1;
    private static final int UNTOUCHED = 77;
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

    private final Arena arena = Arena.ofAuto();
    private final List<Deque<Integer>> waiting = new ArrayList<>();
    private final List<List<Integer>> active = new ArrayList<>();
    private final List<Set<Integer>> spent = new ArrayList<>();
    private Phased schedule;
    private NodeRange range;
    private int[][] pointer;
    private FlowSet flows;
    private int[] sent;
    private long injected;
    private long started;
    /** Cells taken by lists, and flows that they ended. */
    private int taken;
    private int ended;
    private ShaleFlowScheduler scheduler;
    private HopByHop tokens;
    private final Phased sixteen = new Phased(2, 4);
    private final FlowSet few = new FlowSet();
    private final List<Integer> inTurn = new ArrayList<>();
    private final int[] left = new int[FLOWS];
    /** NODE: the flow that the pointer stands at, -1 at the head; DESTINATION: where the search begins. */
    private int turn;
    private int asked;

    private Bank.Ends ends(final FlowSet of) {
        return new Bank.Ends(of, new FlowTable(arena, of), null, null, new NoPayload());
    }

    @ParameterizedTest
    @CsvSource({"1, 5, 5, 12, 1200", "2, 5, 5, 12, 1200", "3, 5, 0, 25, 1200", "4, 12, 30, 140, 5000",
        "5, 12, 0, 144, 3000"})
    void shouldServeFlowsInTurn(final long seed, final int radix, final int firstId, final int endId, final int count) {
        final Random random = new Random(seed);
        schedule = new Phased(2, radix);
        range = new NodeRange(firstId, endId);
        final Population population = Population.complete(schedule);
        final Shale shale = new Shale(schedule, population, Mechanisms.HBH, 1, 1, 0, seed);
        flows = Flows.random(seed, schedule.nodes(), count, SLOTS / 2, 12);
        prepare();
        tokens = new HopByHop(arena, shale, range.size(), new SpillPool(arena, 1 << 16));
        scheduler = new ShaleFlowScheduler(arena, range, shale, ends(flows),
            new QueueBits(schedule.epochSlots() * range.size()), null);
        for (int slot = 0; slot < SLOTS; slot++) {
            final String where = "seed=" + seed + " slot=" + slot;
            activate(slot);
            scheduler.activate(slot);
            final int link = random.nextInt(schedule.epochSlots());
            for (int node = 0; node < range.size(); node++) {
                assertEquals(!active.get(node).isEmpty(), scheduler.hasFlow(node), where + " node=" + node);
                giveBackSome(node, link, random);
            }
            final boolean[] done = new boolean[range.size()];
            takeByList(link, done, random, where);
            for (int node = 0; node < range.size(); node++) {
                if (!done[node]) {
                    poll(node, link, where + " node=" + node);
                }
            }
            assertEquals(injected, scheduler.injected, where);
            assertEquals(started, scheduler.started, where);
        }
        assertTrue(taken > 200 && ended > 20, "by lists: seed=" + seed + " taken=" + taken + " ended=" + ended);
    }

    private void prepare() {
        sent = new int[flows.size()];
        pointer = new int[range.size()][schedule.epochSlots()];
        for (int node = 0; node < range.size(); node++) {
            waiting.add(new ArrayDeque<>());
            active.add(new ArrayList<>());
            Arrays.fill(pointer[node], END);
        }
        Stream.<Set<Integer>>generate(HashSet::new).limit(range.size() * schedule.epochSlots()).forEach(spent::add);
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flows.source(flow) >= range.first() && flows.source(flow) < range.end()) {
                waiting.get(flows.source(flow) - range.first()).add(flow);
            }
        }
    }

    private void activate(final long slot) {
        for (int node = 0; node < range.size(); node++) {
            if (!waiting.get(node).isEmpty() && flows.startSlot(waiting.get(node).peek()) <= slot) {
                active.get(node).add(waiting.get(node).remove());
                started++;
            }
        }
    }

    /** Admission at random: destinations whose only token is out are refused until it comes back here. */
    private void giveBackSome(final int node, final int link, final Random random) {
        final int queue = link * range.size() + node;
        for (final Iterator<Integer> out = spent.get(queue).iterator(); out.hasNext();) {
            final int destination = out.next();
            if (random.nextInt(3) == 0) {
                tokens.onNotice(queue, node, Route.bucket(destination, 1));
                out.remove();
            }
        }
    }

    /** As the transmitter does for a block: some nodes ask, those may take whose first flow is let go. */
    private void takeByList(final int link, final boolean[] done, final Random random, final String where) {
        final int nodes = range.size();
        final int firstNode = random.nextInt(nodes);
        final int queue = link * nodes + firstNode;
        final int[] which = some(nodes - firstNode, random);
        final int[] candidates = new int[nodes];
        final int[] destinations = new int[nodes];
        final int[] asks = new int[nodes];
        final long[] cells = new long[nodes];
        Arrays.fill(asks, UNTOUCHED);
        Arrays.fill(cells, UNTOUCHED);
        scheduler.ask(queue, firstNode, which, which.length, candidates, destinations, asks);
        final List<Integer> takers = new ArrayList<>();
        for (final int i : which) {
            final int node = firstNode + i;
            assertEquals(active.get(node).isEmpty() ? 0 : 1, asks[i], where + " node=" + node);
            if (asks[i] == 1) {
                assertEquals(flows.destination(active.get(node).get(start(node, link))), destinations[i],
                    where + " node=" + node);
                if (destinations[i] == peer(node, link) || tokens.admitLocal(queue + i, node, destinations[i])) {
                    takers.add(i);
                }
            }
        }
        assertEquals(nodes - which.length, Arrays.stream(asks).filter(asked -> asked == UNTOUCHED).count(), where);
        Collections.shuffle(takers, random);
        final int[] list = takers.stream().mapToInt(i -> i).toArray();
        final int half = random.nextInt(list.length + 1);
        scheduler.take(queue, firstNode, list, half, candidates, cells);
        for (int k = half; k < list.length; k++) {
            assertEquals(UNTOUCHED, cells[list[k]], where);
        }
        scheduler.take(queue, firstNode, Arrays.copyOfRange(list, half, list.length), list.length - half, candidates,
            cells);
        for (final int i : list) {
            final int flow = next(firstNode + i, link, peer(firstNode + i, link));
            final int before = active.get(firstNode + i).size();
            check(flow, cells[i], destinations[i], firstNode + i, link, where + " node=" + (firstNode + i));
            ended += before - active.get(firstNode + i).size();
            done[firstNode + i] = true;
        }
        taken += list.length;
    }

    private static int[] some(final int bound, final Random random) {
        final List<Integer> all = new ArrayList<>(IntStream.range(0, bound).boxed().toList());
        Collections.shuffle(all, random);
        return all.stream().mapToInt(i -> i).limit(random.nextInt(bound + 1)).toArray();
    }

    private void poll(final int node, final int link, final String where) {
        if (active.get(node).isEmpty()) {
            return;
        }
        final int flow = next(node, link, peer(node, link));
        assertEquals(flow != END, scheduler.poll(link * range.size() + node, node, peer(node, link), tokens), where);
        if (flow != END) {
            check(flow, scheduler.cell, scheduler.destination, node, link, where);
        }
    }

    /** A cell must be the next of the flow whose turn it is. */
    private void check(final int flow, final long cell, final int destination, final int node, final int link,
        final String where) {
        assertEquals(flow, Cell.flow(cell), where);
        assertEquals(sent[flow], Cell.sequence(cell), where);
        assertEquals(flows.destination(flow), destination, where);
        injected++;
        if (destination != peer(node, link)) {
            spent.get(link * range.size() + node).add(destination);
        }
        final List<Integer> list = active.get(node);
        final int at = list.indexOf(flow);
        final int after = at + 1 < list.size() ? list.get(at + 1) : END;
        pointer[node][link] = after;
        if (++sent[flow] == flows.cells(flow)) {
            list.remove(at);
            for (int other = 0; other < schedule.epochSlots(); other++) {
                pointer[node][other] = pointer[node][other] == flow ? after : pointer[node][other];
            }
        }
    }

    private int peer(final int node, final int link) {
        return schedule.peerOf(range.first() + node, link);
    }

    /** Where in its list the search of a node for a link begins. */
    private int start(final int node, final int link) {
        return pointer[node][link] == END ? 0 : active.get(node).indexOf(pointer[node][link]);
    }

    private int next(final int node, final int link, final int peer) {
        final List<Integer> list = active.get(node);
        for (int i = 0; i < list.size(); i++) {
            final int flow = list.get((start(node, link) + i) % list.size());
            final int to = flows.destination(flow);
            if (to == peer || !spent.get(link * range.size() + node).contains(to)) {
                return flow;
            }
        }
        return END;
    }

    @ParameterizedTest
    @ValueSource(strings = {"node", "destination", "own"})
    void shouldServeFlowsInTheOrderOfTheRule(final String name) {
        final Random random = new Random(11);
        for (int i = 0; i < FLOWS; i++) {
            left[i] = 1 + random.nextInt(6);
            few.add(i, NODE, (NODE + 1 + random.nextInt(15)) % 16, 244L * left[i], left[i], i / 2 * 3);
        }
        turn = name.equals("node") ? -1 : 0;
        final LocalRule rule = name.equals("own") ? OWN : name.equals("node") ? LocalRule.NODE : LocalRule.DESTINATION;
        final Shale shale = new Shale(sixteen, Population.complete(sixteen), Mechanisms.HBH.serving(rule), 1, 1, 0, 1);
        int served = 0;
        final ShaleFlowScheduler scheduler = new ShaleFlowScheduler(arena, new NodeRange(NODE, NODE + 1), shale,
            ends(few), new QueueBits(sixteen.epochSlots()), null);
        int next = 0;
        for (int slot = 0; slot < 400; slot++) {
            scheduler.activate(slot);
            if (next < FLOWS && few.startSlot(next) <= slot) {
                inTurn.add(next++);
            }
            final int allowed = random.nextInt(1 << 16);
            final int link = random.nextInt(sixteen.epochSlots());
            final int peer = sixteen.peerOf(NODE, link);
            final int expected = expect(name, allowed | 1 << peer);
            final Admission admission = new Allowed(allowed);
            final boolean found = scheduler.hasFlow(0) && scheduler.poll(link, 0, peer, admission);
            assertEquals(expected, found ? Cell.flow(scheduler.cell) : -1, name + " seed=11 slot=" + slot);
            served += found ? 1 : 0;
        }
        assertTrue(inTurn.isEmpty() && served > FLOWS, name + " served=" + served + " left=" + inTurn);
    }

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
        final List<Integer> order = new ArrayList<>(inTurn);
        if (name.equals("node")) {
            final int from = Math.max(0, inTurn.indexOf(turn));
            order.addAll(inTurn.subList(0, from));
            order.subList(0, from).clear();
        } else if (name.equals("destination")) {
            order.sort((a, b) -> Integer.compare(Math.floorMod(few.destination(a) - turn, 16),
                Math.floorMod(few.destination(b) - turn, 16)));
        } else {
            order.sort((a, b) -> Integer.compare(b, a));
        }
        for (final int flow : order) {
            if (name.equals("own") && ++asked % 3 == 0) {
                return -1;
            }
            if ((allowed >>> few.destination(flow) & 1) != 0) {
                final int at = inTurn.indexOf(flow);
                turn = name.equals("node") ? at + 1 < inTurn.size() ? inTurn.get(at + 1) : -1
                    : few.destination(flow) + 1;
                if (--left[flow] == 0) {
                    inTurn.remove(at);
                }
                return flow;
            }
        }
        return -1;
    }
}
