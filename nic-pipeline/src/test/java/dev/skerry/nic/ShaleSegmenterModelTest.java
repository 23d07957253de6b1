package dev.skerry.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.shale.CongestionControl;
import dev.skerry.nic.fabric.shale.HopByHop;
import dev.skerry.nic.fabric.shale.Route;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Round robin of flows on every link, against lists and pointers to a flow or the end (spec/shale §5.3 step 4). */
final class ShaleSegmenterModelTest {
    private static final int SLOTS = 3_000;
    private static final int END = -1;
    private static final NodeRange RANGE = new NodeRange(5, 12);
    private static final Phased SCHEDULE = new Phased(2, 5);
    private static final int LINKS = SCHEDULE.epochSlots();

    private final List<Deque<Integer>> waiting = new ArrayList<>();
    private final List<List<Integer>> active = new ArrayList<>();
    private final int[][] pointer = new int[RANGE.size()][LINKS];
    private final List<Set<Integer>> spent = new ArrayList<>();
    private FlowSet flows;
    private int[] sent;
    private long injected;
    private final int[] candidates = new int[CellBatch.CELLS];
    private final int[] destinations = new int[CellBatch.CELLS];
    private final long[] cells = new long[CellBatch.CELLS];
    private long started;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldServeFlowsInTurn(final long seed) {
        final Random random = new Random(seed);
        final Population population = Population.complete(SCHEDULE);
        final Shale shale = new Shale(SCHEDULE, population, CongestionControl.HBH, 1, 1, 0, seed);
        flows = Flows.random(seed, 25, 1200, SLOTS / 2, 12);
        prepare();
        try (Arena arena = Arena.ofConfined()) {
            final HopByHop tokens = new HopByHop(arena, shale, RANGE.size(), new SpillPool(arena, 10_000));
            final ShaleSegmenter segmenter = new ShaleSegmenter(arena, RANGE, LINKS, population, flows,
                new NoPayload());
            for (int slot = 0; slot < SLOTS; slot++) {
                activate(slot);
                segmenter.activate(slot);
                for (int node = 0; node < RANGE.size(); node++) {
                    final String where = "seed=" + seed + " slot=" + slot + " node=" + node;
                    assertEquals(!active.get(node).isEmpty(), segmenter.hasFlow(node), where);
                    final int link = random.nextInt(LINKS);
                    giveBackSome(tokens, node, random);
                    poll(segmenter, tokens, node, link, where);
                }
                assertEquals(injected, segmenter.injected(), "seed=" + seed + " slot=" + slot);
                assertEquals(started, segmenter.started(), "seed=" + seed + " slot=" + slot);
            }
        }
    }

    private void prepare() {
        sent = new int[flows.size()];
        for (int node = 0; node < RANGE.size(); node++) {
            waiting.add(new ArrayDeque<>());
            active.add(new ArrayList<>());
            Arrays.fill(pointer[node], END);
        }
        for (int queue = 0; queue < RANGE.size() * LINKS; queue++) {
            spent.add(new HashSet<>());
        }
        for (int flow = 0; flow < flows.size(); flow++) {
            if (flows.source(flow) >= RANGE.first() && flows.source(flow) < RANGE.end()) {
                waiting.get(flows.source(flow) - RANGE.first()).add(flow);
            }
        }
    }

    private void activate(final long slot) {
        for (int node = 0; node < RANGE.size(); node++) {
            if (!waiting.get(node).isEmpty() && flows.startSlot(waiting.get(node).peek()) <= slot) {
                active.get(node).add(waiting.get(node).remove());
                started++;
            }
        }
    }

    /** Admission at random: destinations whose only token is out are refused until it comes back here. */
    private void giveBackSome(final HopByHop tokens, final int node, final Random random) {
        for (int link = 0; link < LINKS; link++) {
            final int queue = link * RANGE.size() + node;
            for (final Iterator<Integer> out = spent.get(queue).iterator(); out.hasNext();) {
                final int destination = out.next();
                if (random.nextInt(12) == 0) {
                    tokens.onNotice(queue, node, Route.bucket(destination, 1));
                    out.remove();
                }
            }
        }
    }

    /** As the transmitter does for a block, if the flow that is asked first may send. */
    private boolean takeFirst(final ShaleSegmenter segmenter, final HopByHop tokens, final int queue, final int node,
        final int peer) {
        if (segmenter.ask(queue, node, 1, candidates, destinations) == 0
            || destinations[0] != peer && !tokens.admitLocal(queue, node, destinations[0])) {
            return false;
        }
        segmenter.take(queue, node, 1, candidates, cells);
        return true;
    }

    private void poll(final ShaleSegmenter segmenter, final HopByHop tokens, final int node, final int link,
        final String where) {
        if (active.get(node).isEmpty()) {
            return;
        }
        final int queue = link * RANGE.size() + node;
        final int peer = SCHEDULE.peerOf(RANGE.first() + node, link);
        final int flow = next(node, link, peer);
        final boolean first = injected % 3 > 0 && takeFirst(segmenter, tokens, queue, node, peer);
        assertEquals(flow != END, first || segmenter.poll(queue, node, peer, tokens), where);
        if (flow == END) {
            return;
        }
        final long cell = first ? cells[0] : segmenter.cell();
        assertEquals(flow, Cell.flow(cell), where);
        assertEquals(sent[flow], Cell.sequence(cell), where);
        assertEquals(flows.destination(flow), first ? destinations[0] : segmenter.destination(), where);
        injected++;
        if (flows.destination(flow) != peer) {
            spent.get(queue).add(flows.destination(flow));
        }
        final List<Integer> list = active.get(node);
        final int at = list.indexOf(flow);
        final int after = at + 1 < list.size() ? list.get(at + 1) : END;
        pointer[node][link] = after;
        if (++sent[flow] == flows.cells(flow)) {
            list.remove(at);
            for (int other = 0; other < LINKS; other++) {
                pointer[node][other] = pointer[node][other] == flow ? after : pointer[node][other];
            }
        }
    }

    private int next(final int node, final int link, final int peer) {
        final List<Integer> list = active.get(node);
        final int start = pointer[node][link] == END ? 0 : list.indexOf(pointer[node][link]);
        for (int i = 0; i < list.size(); i++) {
            final int flow = list.get((start + i) % list.size());
            final int to = flows.destination(flow);
            if (to == peer || !spent.get(link * RANGE.size() + node).contains(to)) {
                return flow;
            }
        }
        return END;
    }
}
