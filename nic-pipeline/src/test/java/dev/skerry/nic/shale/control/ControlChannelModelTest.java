package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.ReceiverDriven.ControlChannel;
import dev.skerry.nic.shale.control.ReceiverDriven.ControlChannel.MessagesInFlight;
import dev.skerry.schedule.Coordinates;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** The control channel of two banks against lists of messages: the same message on every link in every slot. */
final class ControlChannelModelTest {
    private static final int SLOTS = 1_500;

    private final Arena arena = Arena.ofAuto();

    /** Hops as the authors' simulator counts them: from 0 at the node that starts the message. */
    private record Message(int kind, int to, int hops, long cell) {
    }

    private Shale shale;
    private Phased schedule;
    private Coordinates coordinates;
    private double[] cost;
    private final List<Deque<Message>> own = new ArrayList<>();
    /** By node, then position in the epoch. */
    private final List<List<Deque<Message>>> forwarded = new ArrayList<>();
    /** By slot, then node. */
    private final List<Message[]> sent = new ArrayList<>();
    private double[] debt;
    private int held;

    @ParameterizedTest
    @CsvSource({"1, 1, 6, 6, 0, 3.2, 1.5", "2, 2, 4, 16, 3, 3.2, 40", "3, 2, 4, 13, 5, 6.4, 4", "4, 3, 3, 27, 0, 1, 20",
        "5, 3, 3, 20, 7, 3.2, 12", "6, 2, 9, 81, 2, 0.7, 64", "7, 4, 2, 16, 4, 10, 10"})
    void shouldSendWhatListsSend(final long seed, final int h, final int r, final int present, final int propagation,
        final double costOfNack, final double costOfPull) {
        schedule = new Phased(h, r);
        coordinates = schedule.coordinates();
        shale = new Shale(schedule, Population.of(schedule, present, 0), Mechanisms.of("ndp"), 1, 1, propagation, seed);
        cost = new double[] {costOfPull, 0, costOfNack};
        debt = new double[schedule.nodes()];
        for (int node = 0; node < schedule.nodes(); node++) {
            own.add(new ArrayDeque<>());
            forwarded.add(new ArrayList<>());
            for (int position = 0; position < schedule.epochSlots(); position++) {
                forwarded.get(node).add(new ArrayDeque<>());
            }
        }
        compare(arena, new Random(seed), "seed=" + seed);
    }

    private void compare(final Arena arena, final Random random, final String seed) {
        final MessagesInFlight link = new MessagesInFlight(arena, shale, 2 * shale.propagationSlots() + 2,
            ControlChannel.NACK);
        final NodeRange[] ranges = {NodeRange.share(schedule.nodes(), 0, 2), NodeRange.share(schedule.nodes(), 1, 2)};
        final ControlChannel[] channels = new ControlChannel[2];
        for (int bank = 0; bank < 2; bank++) {
            channels[bank] = new ControlChannel(arena, shale, ranges[bank], link, (slot, channel, first, count, to) -> {
                schedule.senders(schedule.slotInEpoch(slot), first, count, to);
                for (int i = 0; i < count; i++) {
                    to[i] = link.place(slot, (int) to[i]);
                }
            }, new SpillPool(arena, 1 << 20), cost);
        }
        final Set<Long> started = new HashSet<>();
        final Set<Long> arrived = new HashSet<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            final String where = seed + " slot=" + slot;
            if (slot < SLOTS / 2) {
                begin(random, slot, ranges, channels, started);
            }
            for (final ControlChannel channel : channels) {
                channel.send(slot);
            }
            sendFromLists(slot);
            assertSame(link, slot, where);
            final Set<Long> expected = new HashSet<>();
            receiveByLists(slot, expected);
            final Set<Long> found = new HashSet<>();
            for (final ControlChannel channel : channels) {
                channel.receive(slot, (node, kind, cell) -> found.add(cell));
            }
            assertEquals(expected, found, where);
            found.forEach(cell -> assertTrue(arrived.add(cell), where));
        }
        assertTrue(arrived.size() > 200, seed + " arrived=" + arrived.size());
        assertEquals(started.size(), arrived.size() + held, seed);
    }

    private void begin(final Random random, final int slot, final NodeRange[] ranges, final ControlChannel[] channels,
        final Set<Long> started) {
        for (int n = 0; n < 1 + schedule.nodes() / 8; n++) {
            final int from = shale.population().nodeOf(random.nextInt(shale.population().endpoints()));
            final int to = shale.population().nodeOf(random.nextInt(shale.population().endpoints()));
            final int kind = random.nextBoolean() ? ControlChannel.PULL : ControlChannel.NACK;
            final long cell = (long) slot << 20 | n;
            if (from != to) {
                final int bank = from < ranges[0].end() ? 0 : 1;
                channels[bank].start(from - ranges[bank].first(), kind, to, cell);
                own.get(from).add(new Message(kind, to, 0, cell));
                started.add(cell);
                held++;
            }
        }
    }

    private void sendFromLists(final int slot) {
        final int position = schedule.slotInEpoch(slot);
        final Message[] row = new Message[schedule.nodes()];
        for (int node = 0; node < row.length; node++) {
            debt[node] = Math.max(0, debt[node] - 1);
            final Deque<Message> waiting = forwarded.get(node).get(position);
            if (!waiting.isEmpty()) {
                row[node] = waiting.remove();
            } else if (!own.get(node).isEmpty() && debt[node] < 10 && isPresent(schedule.peerOf(node, slot))) {
                row[node] = own.get(node).remove();
                debt[node] += cost[row[node].kind];
            }
        }
        sent.add(row);
    }

    private void receiveByLists(final int slot, final Set<Long> arrived) {
        final int from = slot - shale.propagationSlots();
        if (from < 0) {
            return;
        }
        final int phase = schedule.slotInEpoch(from) / schedule.linksPerPhase();
        for (int node = 0; node < schedule.nodes(); node++) {
            final Message before = sent.get(from)[schedule.senderTo(node, from)];
            if (before == null) {
                continue;
            }
            final Message message = new Message(before.kind, before.to, before.hops + 1, before.cell);
            if (message.to == node) {
                arrived.add(message.cell);
                held--;
            } else if (message.hops < schedule.phases()) {
                spray(slot, node, (phase + 1) % schedule.phases(), message);
            } else {
                int next = (phase + 1) % schedule.phases();
                while (digit(node, next) == digit(message.to, next)) {
                    next = (next + 1) % schedule.phases();
                }
                forwarded.get(node).get(position(node, next, digit(message.to, next))).add(message);
            }
        }
    }

    private void spray(final int slot, final int node, final int phase, final Message message) {
        final List<Integer> usable = new ArrayList<>();
        for (int link = 0; link < schedule.linksPerPhase(); link++) {
            final int peer = schedule.peerOf(node, phase, link);
            if (isPresent(peer) && (message.hops + 1 < schedule.phases() || leadsTo(peer, phase, message.to))) {
                usable.add(link);
            }
        }
        if (usable.isEmpty()) {
            own.get(node).add(new Message(message.kind, message.to, 0, message.cell));
            return;
        }
        final long random = CounterRandom.bits(shale.seed(), node, slot, 3);
        forwarded.get(node).get(phase * schedule.linksPerPhase()
            + usable.get(CounterRandom.below(random, usable.size()))).add(message);
    }

    private boolean leadsTo(final int from, final int phase, final int to) {
        int at = from;
        for (int next = (phase + 1) % schedule.phases(); at != to; next = (next + 1) % schedule.phases()) {
            at += (digit(to, next) - digit(at, next)) * coordinates.weight(next);
            if (!isPresent(at)) {
                return false;
            }
        }
        return true;
    }

    private void assertSame(final MessagesInFlight link, final int slot, final String where) {
        for (int node = 0; node < schedule.nodes(); node++) {
            final long at = link.place(slot, node);
            final Message message = sent.get(slot)[node];
            if (message == null) {
                assertEquals(MessagesInFlight.NONE, link.word(at), where + " node=" + node);
            } else {
                assertEquals(ControlChannel.message(message.kind, message.to,
                    Math.max(0, schedule.phases() - 1 - message.hops)), link.word(at), where + " node=" + node);
                assertEquals(message.cell, link.cell(at), where + " node=" + node);
            }
        }
    }

    private int position(final int node, final int phase, final int digit) {
        return phase * schedule.linksPerPhase() + (digit - digit(node, phase) - 1 + schedule.radix())
            % schedule.radix();
    }

    private int digit(final int node, final int phase) {
        return coordinates.digit(node, phase);
    }

    private boolean isPresent(final int node) {
        return shale.population().present(node);
    }
}
