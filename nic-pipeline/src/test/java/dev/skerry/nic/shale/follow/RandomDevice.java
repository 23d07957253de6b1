package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.schedule.Phased;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/**
 * A device built from docs/spec/shale.md §5 without the node model, with every setting of its rules. What they leave
 * open it draws: ties, local flows, silence, the order of a shared store.
 */
final class RandomDevice {
    /** The device is dead from this slot on. */
    long diesIn = Long.MAX_VALUE;
    /** One in so many tokens of first hops that come back does not count; 0 for none. */
    int leaks;

    private final Shale shale;
    private final Phased schedule;
    private final int node;
    private final FollowRules is;
    private final Random random;
    private final int pause;
    private final int[] destinations;
    private final Map<Integer, Integer> sequences = new HashMap<>();
    private final List<List<Waiting>> queues = new ArrayList<>();
    private final List<ArrayDeque<long[]>> owed = new ArrayList<>();
    private final Map<Long, Integer> spent = new HashMap<>();
    private final ArrayDeque<NodeCells> cells = new ArrayDeque<>();
    private final ArrayDeque<NodeCells> tokens = new ArrayDeque<>();
    private int came;

    private record Waiting(long cell, int destination, int next, int back, int owes) {
    }

    /** @param pause one in so many turns has no local cell; 0 for a host that always has one. */
    RandomDevice(final Shale shale, final int node, final FollowRules is, final int pause, final Random random) {
        this.shale = shale;
        this.schedule = shale.schedule();
        this.node = node;
        this.is = is;
        this.pause = pause;
        this.random = random;
        this.destinations = random.ints(3, 1, shale.nodes()).map(far -> (node + far) % shale.nodes()).toArray();
        for (int link = 0; link < schedule.epochSlots(); link++) {
            queues.add(new ArrayList<>());
            owed.add(new ArrayDeque<>());
        }
    }

    int propagationSlots() {
        return shale.propagationSlots();
    }

    void step(final long slot, final NodeCells in, final NodeCells out) {
        if (is.is(Setting.RECEIVE_FIRST)) {
            receive(slot, in);
            send(slot, out);
        } else {
            send(slot, out);
            receive(slot, in);
        }
    }

    private void send(final long slot, final NodeCells out) {
        final int link = schedule.slotInEpoch(slot);
        if (slot >= diesIn || is.is(Setting.SILENCE) && random.nextInt(3) == 0) {
            out.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
            return;
        }
        out.clear();
        final Waiting held = next(link);
        if (held != null) {
            queues.get(link).remove(held);
            spend(link, held.destination, held.next);
            out.set(0, Route.first(held.destination, Route.sprays(held.next), 0), held.cell, -1);
            owed.get(held.back).add(new long[] {held.owes, slot + is.get(Setting.OWED_LATENCY)});
        } else if (pause == 0 || random.nextInt(pause) > 0) {
            sendLocal(link, out);
        }
        final long first = poll(link, slot);
        final long second = is.get(Setting.TOKENS_A_SLOT) == 1 ? -1 : poll(link, slot);
        out.set(0, out.route(0), out.cell(0), first & 0xFFFF_FFFFL | second << Integer.SIZE);
        if (held != null && is.full() == Full.DROP && owed.get(held.back).size() > is.get(Setting.OWED_FIFO)) {
            owed.get(held.back).removeLast();
        }
    }

    private Waiting next(final int link) {
        final List<Waiting> may = queues.get(link).stream().limit(is.get(Setting.SCAN_DEPTH))
            .filter(at -> mayGo(link, at.destination, at.next) && !(is.full() == Full.STALL
                && owed.get(at.back).size() >= is.get(Setting.OWED_FIFO))).toList();
        return may.isEmpty() ? null : may.get(is.is(Setting.FREE_ORDER) ? random.nextInt(may.size()) : 0);
    }

    private void sendLocal(final int link, final NodeCells out) {
        final int to = destinations[random.nextInt(destinations.length)];
        final int bucket = Route.bucket(to, schedule.phases() - 1);
        if (mayGo(link, to, bucket)) {
            spend(link, to, bucket);
            out.set(0, Route.first(to, schedule.phases() - 1, 0),
                Cell.of(node * shale.nodes() + to, sequences.merge(to, 1, Integer::sum) - 1), -1);
        }
    }

    private long at(final int link, final int bucket) {
        return (long) link << Integer.SIZE | bucket;
    }

    private boolean mayGo(final int link, final int destination, final int bucket) {
        return schedule.peerAt(node, 0, link) == destination
            || spent.getOrDefault(at(link, bucket), 0) < shale.budget(bucket);
    }

    private void spend(final int link, final int destination, final int bucket) {
        if (schedule.peerAt(node, 0, link) != destination) {
            spent.merge(at(link, bucket), 1, Integer::sum);
        }
    }

    private long poll(final int link, final long slot) {
        final long[] head = owed.get(link).peek();
        return head == null || head[1] > slot ? -1 : owed.get(link).remove()[0];
    }

    private void receive(final long slot, final NodeCells in) {
        final NodeCells kept = new NodeCells(1);
        kept.set(in);
        cells.add(kept);
        tokens.add(kept);
        if (cells.size() > is.get(Setting.CELL_DELAY)) {
            takeCell(slot - is.get(Setting.CELL_DELAY) - shale.propagationSlots(), cells.remove());
        }
        if (tokens.size() > is.get(Setting.TOKEN_DELAY)) {
            takeTokens(back(slot - is.get(Setting.TOKEN_DELAY) - shale.propagationSlots()),
                tokens.remove().feedback(0));
        }
    }

    private int back(final long sentIn) {
        final int inEpoch = Math.floorMod(sentIn, schedule.epochSlots());
        final int inPhase = inEpoch % schedule.linksPerPhase();
        return inEpoch - inPhase + schedule.reverseLink(inPhase);
    }

    private void takeTokens(final int link, final long feedback) {
        for (final int token : new int[] {(int) feedback, (int) (feedback >>> Integer.SIZE)}) {
            final boolean isFirst = token >= 0 && Route.sprays(token) == schedule.phases() - 1;
            if (token >= 0 && !(isFirst && leaks > 0 && ++came % leaks == 0)) {
                spent.merge(at(link, token), -1, Integer::sum);
            }
        }
    }

    private void takeCell(final long sentIn, final NodeCells in) {
        final int bucket = Route.bucket(in.route(0));
        final int destination = Route.bucketDestination(bucket);
        if (!InFlightCells.isCell(in.route(0)) || destination == node) {
            return;
        }
        final int sprays = Route.sprays(bucket);
        final int phase = schedule.slotInEpoch(sentIn) / schedule.linksPerPhase();
        final int to = sprays > 0 ? (phase + 1) % schedule.phases()
            : schedule.coordinates().nextDifference(node, destination, phase);
        final Waiting cell = new Waiting(in.cell(0), destination, Route.bucket(destination, Math.max(0, sprays - 1)),
            back(sentIn), bucket);
        final int first = to * schedule.linksPerPhase();
        final int link = sprays == 0 ? first + schedule.linkTowards(node, destination, to) : sprayed(first, cell);
        if (queues.get(link).size() < is.get(Setting.QUEUE_CELLS)) {
            queues.get(link).add(cell);
        }
    }

    private int sprayed(final int first, final Waiting cell) {
        final SprayRule rule = shale.mechanisms().spraying();
        final IntUnaryOperator length = link -> queues.get(link).size()
            + (rule != SprayRule.LEAST_BUCKET ? 0 : 1 << 16) * (spent.getOrDefault(at(link, cell.next), 0)
            + (int) queues.get(link).stream().filter(at -> at.next == cell.next
                && schedule.peerAt(node, 0, link) != at.destination).count());
        final List<Integer> best = new ArrayList<>();
        for (int link = first; link < first + schedule.linksPerPhase(); link++) {
            final int shorter = best.isEmpty() || rule == SprayRule.RANDOM ? 0
                : Integer.compare(length.applyAsInt(link), length.applyAsInt(best.getFirst()));
            if (shorter < 0) {
                best.clear();
            }
            if (shorter <= 0) {
                best.add(link);
            }
        }
        return best.get(shale.mechanisms().ties() == TieRule.LOWEST ? 0 : random.nextInt(best.size()));
    }
}
