package dev.skerry.nic.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Congestion;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.Sender.WindowRule.DctcpWindow;
import dev.skerry.nic.host.Sender.WindowRule.LiaWindow;
import dev.skerry.nic.stardust.fabric.Fabrics;
import org.agrona.collections.IntArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Senders and receivers against New Reno as a textbook has it, each over the same pipe, which loses, delays and swaps
 * packets by their number: the same segments in the same slots, and all of them there in the end.
 */
class RenoModelTest {
    private static final int SEGMENT = 1000;
    private static final int LEAST_TIMER = 300;
    private static final double EPSILON = 1e-4;
    private static final int DELAY = 50;
    private static final int PACKET = 1000;
    private static final double LINE = 125;
    private static final int CNP = 200;
    private static final int PERIOD = 100;
    private static final int LOST = 20_000;
    private static final Congestion.Dcqcn LAW = new Congestion.Dcqcn(CNP, PERIOD, 1L << 40, 4, 5, 1, 10);

    private final Arena arena = Arena.ofAuto();
    private final IntArrayList sent = new IntArrayList();
    private final IntArrayList sentIn = new IntArrayList();
    private boolean free = true;
    private long slot;

    @ParameterizedTest
    @CsvSource({"1, 200, 0, 0", "2, 2000, 0.01, 0", "3, 2000, 0.05, 0", "4, 1000, 0.2, 0", "5, 1500, 0.02, 30",
        "6, 700, 0.4, 5", "7, 5000, 0.003, 0", "8, 1, 0.5, 0", "9, 3, 0, 40", "10, 9000, 0.0003, 0"})
    void shouldSendWhatATextbookWould(final long seed, final int segments, final double loss, final int jitter) {
        final Reno rules = new Reno(seed == 10 ? 2000 : 64, 2, 100, 40, LEAST_TIMER, 0);
        final List<String> ours = ours(rules, segments, new Pipe(seed, loss, jitter));
        final List<String> textbook = textbook(rules, segments, new Pipe(seed, loss, jitter));
        for (int i = 0; i < Math.min(ours.size(), textbook.size()); i++) {
            assertEquals(textbook.get(i), ours.get(i), "seed=" + seed + " event=" + i);
        }
        assertEquals(textbook.size(), ours.size(), "seed=" + seed);
        assertTrue(ours.getLast().endsWith("all " + segments), "seed=" + seed + " last=" + ours.getLast());
    }

    private static List<String> ours(final Reno rules, final int segments, final Pipe pipe) {
        final List<String> events = new ArrayList<>();
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1, 1, 0);
        flows.add(1, 0, 1, (long) segments * SEGMENT - 7, 1, 0);
        final Arena arena = Arena.ofAuto();
        final RenoSender sender = new RenoSender(RenoSender.table(arena, 2, rules),
            new Connections(flows, SEGMENT, 1), rules,
            (slot, flow, number) -> {
                events.add(slot + " segment " + number);
                pipe.put(slot, number, false);
            });
        final RenoReceiver receiver = new RenoReceiver(RenoReceiver.table(arena, 2, rules), rules);
        for (long slot = 0; receiver.expected(1) < segments; slot++) {
            for (final int packet : pipe.take(slot)) {
                if (packet < 0) {
                    sender.onAck(slot, 1, ~packet, false);
                } else {
                    pipe.put(slot, receiver.onSegment(1, packet), true);
                }
            }
            sender.turn(slot);
            if (slot == 0) {
                sender.start(slot, 1);
            }
        }
        events.add(sender.timeouts() + " timeouts, all " + receiver.expected(1));
        return events;
    }

    private static List<String> textbook(final Reno rules, final int segments, final Pipe pipe) {
        final List<String> events = new ArrayList<>();
        final Textbook tcp = new Textbook(rules, segments, events, pipe);
        final Set<Integer> there = new HashSet<>();
        int expected = 0;
        for (long slot = 0; expected < segments; slot++) {
            for (final int packet : pipe.take(slot)) {
                if (packet < 0) {
                    tcp.onAck(slot, ~packet);
                } else {
                    there.add(packet);
                    while (there.contains(expected)) {
                        expected++;
                    }
                    pipe.put(slot, expected, true);
                }
            }
            if (tcp.timer == slot) {
                tcp.onTimeout(slot);
            }
            if (slot == 0) {
                tcp.send(slot);
            }
        }
        events.add(tcp.timeouts + " timeouts, all " + expected);
        return events;
    }

    /** 20 slots one way and some more by chance, which also decides what is lost. */
    private static final class Pipe {
        private final Random random;
        private final double loss;
        private final int jitter;
        private final TreeMap<Long, List<Integer>> underWay = new TreeMap<>();
        Pipe(final long seed, final double loss, final int jitter) {
            this.random = new Random(seed);
            this.loss = loss;
            this.jitter = jitter;
        }

        void put(final long slot, final int number, final boolean ack) {
            final long delay = 20 + (jitter == 0 ? 0 : random.nextInt(jitter));
            if (random.nextDouble() >= loss) {
                underWay.computeIfAbsent(slot + delay, at -> new ArrayList<>()).add(ack ? ~number : number);
            }
        }
        List<Integer> take(final long slot) {
            final List<Integer> here = underWay.remove(slot);
            return here == null ? List.of() : here;
        }
    }

    /** RFC 5681, RFC 6582 with its impatient timer, RFC 6298 with one measurement at a time. */
    private static final class Textbook {
        private final Reno rules;
        private final int segments;
        private final List<String> events;
        private final Pipe pipe;
        private int una;
        private int next;
        private int highest = -1;
        private int recover = -1;
        private double cwnd;
        private double ssthresh;
        private int duplicates;
        private boolean recovering;
        private boolean partial;
        private int timed = -1;
        private long timedAt;
        private int rtt8;
        private int var4;
        private int doublings;
        private long timer = -1;
        private int timeouts;

        Textbook(final Reno rules, final int segments, final List<String> events, final Pipe pipe) {
            this.rules = rules;
            this.segments = segments;
            this.events = events;
            this.pipe = pipe;
            this.cwnd = rules.initialPackets();
            this.ssthresh = rules.windowPackets();
        }

        void onAck(final long slot, final int ack) {
            if (ack > una) {
                onNewAck(slot, ack);
            } else if (ack == una && next > una) {
                onDuplicate(slot);
            }
        }

        private void onNewAck(final long slot, final int ack) {
            final int newly = ack - una;
            una = ack;
            next = Math.max(next, una);
            doublings = 0;
            if (timed >= 0 && timed < una) {
                measure((int) (slot - timedAt));
                timed = -1;
            }
            boolean restarts = true;
            if (!recovering) {
                duplicates = 0;
                cwnd += Math.floor(cwnd) < ssthresh ? 1 : Math.floor(65536 / cwnd) / 65536;
                cwnd = Math.min(cwnd, rules.windowPackets());
            } else if (una > recover) {
                cwnd = Math.min(ssthresh, Math.max(next - una, 1) + 1);
                recovering = false;
                duplicates = 0;
            } else {
                restarts = !partial;
                partial = true;
                cwnd = Math.max(1, cwnd - newly + 1);
                emit(slot, una);
            }
            if (una == next) {
                timer = -1;
            } else if (restarts) {
                restart(slot);
            }
            send(slot);
        }

        private void onDuplicate(final long slot) {
            if (recovering) {
                cwnd += 1;
                send(slot);
            } else if (++duplicates == 3 && una > recover) {
                ssthresh = Math.max(2, (next - una) / 2);
                cwnd = ssthresh + 3;
                recover = highest;
                recovering = true;
                partial = false;
                emit(slot, una);
                restart(slot);
                send(slot);
            }
        }

        void onTimeout(final long slot) {
            timeouts++;
            if (doublings == 0) {
                ssthresh = Math.max(2, (next - una) / 2);
            }
            doublings = Math.min(6, doublings + 1);
            recover = highest;
            recovering = false;
            duplicates = 0;
            cwnd = 1;
            next = una;
            timer = -1;
            send(slot);
        }

        void send(final long slot) {
            final int end = Math.min(segments, una + Math.min((int) cwnd, rules.windowPackets()));
            if (next < end && timer < 0) {
                restart(slot);
            }
            while (next < end) {
                if (next > highest && timed < 0) {
                    timed = next;
                    timedAt = slot;
                }
                emit(slot, next++);
            }
        }

        private void emit(final long slot, final int number) {
            if (number <= highest) {
                timed = -1;
            }
            highest = Math.max(highest, number);
            events.add(slot + " segment " + number);
            pipe.put(slot, number, false);
        }

        private void measure(final int slots) {
            if (rtt8 == 0) {
                rtt8 = 8 * slots;
                var4 = 2 * slots;
            } else {
                final int error = slots - rtt8 / 8;
                rtt8 += error;
                var4 += Math.abs(error) - var4 / 4;
            }
        }

        private void restart(final long slot) {
            timer = slot + ((long) Math.max(rules.minRtoSlots(), rtt8 / 8 + Math.max(1, var4)) << doublings);
        }
    }

    /** Alpha begins at 1; a window without a mark takes a sixteenth of it, one that is half marked adds 1/32. */
    @Test
    void shouldEstimateOnceAWindow() {
        final DctcpWindow dctcp = new DctcpWindow(Congestion.Dctcp.USUAL, 2);
        assertEquals(1, alpha(dctcp, 1));
        // The window observed first ends with the first segment; the next with that which was to be sent then.
        assertEquals(0, dctcp.onAck(1, 1, 1, 11, false));
        assertEquals(15.0 / 16, alpha(dctcp, 1), EPSILON);
        for (int una = 2; una <= 11; una++) {
            dctcp.onAck(1, una, 1, 30, una % 2 == 0);
            assertEquals(15.0 / 16, alpha(dctcp, 1), EPSILON);
        }
        dctcp.onAck(1, 13, 2, 30, false);
        assertEquals(15.0 / 16 * 15 / 16 + 5.0 / 12 / 16, alpha(dctcp, 1), EPSILON);
        assertEquals(1, alpha(dctcp, 0));
    }

    /** The first echo takes alpha / 2; others only when all that was under way is acknowledged. */
    @Test
    void shouldCutOnceAWindow() {
        final DctcpWindow dctcp = new DctcpWindow(Congestion.Dctcp.USUAL, 1);
        assertEquals(0, dctcp.onAck(0, 1, 1, 20, false));
        assertEquals(15.0 / 32, dctcp.onAck(0, 2, 1, 22, true) / 65536.0, EPSILON);
        assertEquals(0, dctcp.onAck(0, 3, 1, 22, true));
        assertEquals(0, dctcp.onAck(0, 22, 19, 40, true));
        assertTrue(dctcp.onAck(0, 23, 1, 41, true) > 0);
    }

    /** The RFC's own steps in floating point, over random acknowledgements. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldDoWhatTheRfcSays(final long seed) {
        final Random random = new Random(seed);
        final DctcpWindow dctcp = new DctcpWindow(Congestion.Dctcp.USUAL, 1);
        double alpha = 1;
        double acked = 0;
        double marked = 0;
        int windowEnd = 0;
        int cwr = 0;
        int una = 0;
        final double share = random.nextDouble();
        for (int i = 0; i < 3000; i++) {
            final int newly = random.nextInt(3);
            final int next = una + newly + random.nextInt(40);
            final boolean ece = random.nextDouble() < share;
            una += newly;
            acked += newly;
            marked += ece ? newly : 0;
            if (una > windowEnd) {
                alpha = alpha * (1 - 1.0 / 16) + 1.0 / 16 * (marked / acked);
                windowEnd = next;
                acked = 0;
                marked = 0;
            }
            double cut = 0;
            if (ece && una > cwr) {
                cut = alpha / 2;
                cwr = next;
            }
            assertEquals(cut, dctcp.onAck(0, una, newly, next, ece) / 65536.0, EPSILON, "seed=" + seed + " i=" + i);
            assertEquals(alpha, alpha(dctcp, 0), EPSILON, "seed=" + seed + " i=" + i);
        }
    }

    /** The sender: an echo cuts its window and sets its threshold, and no echo makes it grow. */
    @Test
    void shouldShrinkTheWindowOfItsSender() {
        final Reno rules = new Reno(64, 16, 100, 40, 300, 0, Congestion.Dctcp.USUAL);
        final FlowSet flows = Fabrics.one(0, 1, 1_000_000, 1, 0);
        final List<Integer> sent = new ArrayList<>();
        final RenoSender sender = new RenoSender(RenoSender.table(arena, 1, rules),
            new Connections(flows, 1000, 1), rules,
            (slot, flow, number) -> sent.add(number));
        sender.start(0, 0);
        assertEquals(16, sent.size());
        sender.onAck(5, 0, 1, true);
        // One segment of one was marked: alpha stays 1, and half of the window goes.
        assertEquals(8, sender.window(0), EPSILON);
        sender.onAck(6, 0, 2, true);
        assertEquals(8, sender.window(0), EPSILON);
        sender.onAck(7, 0, 3, false);
        assertEquals(8 + 1.0 / 8, sender.window(0), EPSILON);
        assertEquals(16, sent.size());
    }

    private static double alpha(final DctcpWindow dctcp, final int flow) {
        return dctcp.markedShare(flow);
    }

    /** The increase as §3 of the RFC writes it, with alpha in its own terms. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void shouldGrowAsTheRfcSays(final int subflows) {
        final Random random = new Random(subflows);
        for (int i = 0; i < 500; i++) {
            final double[] windows = random.doubles(subflows, 2, 300).toArray();
            final double[] roundTrips = random.doubles(subflows, 20, 2000).toArray();
            final LiaWindow lia = new LiaWindow(subflows, new LiaWindow.Siblings() {
                @Override
                public double window(final int connection) {
                    return windows[connection - subflows];
                }

                @Override
                public double roundTrip(final int connection) {
                    return roundTrips[connection - subflows];
                }
            });
            double total = 0;
            double most = 0;
            double sum = 0;
            for (int s = 0; s < subflows; s++) {
                total += windows[s];
                most = Math.max(most, windows[s] / (roundTrips[s] * roundTrips[s]));
                sum += windows[s] / roundTrips[s];
            }
            final double alpha = total * most / (sum * sum);
            for (int s = 0; s < subflows; s++) {
                final double expected = Math.min(alpha / total, 1 / windows[s]);
                final int window = (int) (windows[s] * 65536);
                assertEquals(expected, lia.growth(subflows + s, window, 2) / 65536.0, 1e-4, "i=" + i);
                assertEquals(1, lia.growth(subflows + s, window, 1000) / 65536.0);
            }
        }
    }

    /** At one loss rate on all ways several subflows get what one TCP gets, not several times as much. */
    @Test
    void shouldTakeNoMoreThanOneTcp() {
        final double one = throughput(Congestion.NEW_RENO, 1, 200_000);
        for (final int subflows : new int[] {2, 4}) {
            final double lia = throughput(new Congestion.Mptcp(subflows), subflows, 200_000);
            final double alone = subflows * one;
            final String what = "one=" + one + " lia=" + lia + " subflows=" + subflows;
            assertTrue(lia < 1.4 * one && lia > 0.8 * one, what);
            assertTrue(lia < 0.7 * alone, what);
        }
    }

    /** The segments of a flow are taken by whichever subflow has room, each once, and all come over loss. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldShareTheSegmentsOfAFlow(final long seed) {
        for (final int segments : new int[] {1, 2, 7, 500}) {
            final FlowSet flows = Fabrics.one(0, 1, 1000L * segments - 300, 1, 0);
            final Link link = new Link(seed, 0.03, flows, new Congestion.Mptcp(4));
            for (long slot = 0; slot < 200_000 && link.received() < flows.bytes(0); slot++) {
                link.step(slot);
            }
            assertEquals(flows.bytes(0), link.received(), "seed=" + seed + " segments=" + segments);
            assertEquals(segments, link.sentFirst.size());
            long bytes = 0;
            for (final long packet : link.sentFirst) {
                bytes += link.connections.bytes(TcpPacket.flow(packet), TcpPacket.number(packet));
            }
            assertEquals(flows.bytes(0), bytes);
            assertTrue(segments < 500 || link.sentFirst.stream().map(TcpPacket::flow).distinct().count() == 4);
        }
    }

    private static double throughput(final Congestion congestion, final int seed, final int slots) {
        final FlowSet flows = Fabrics.one(0, 1, 1L << 40, 1, 0);
        final Link link = new Link(seed, 0.001, flows, congestion);
        long before = 0;
        for (long slot = 0; slot < slots; slot++) {
            // The start, at full pace until the first loss, does not count.
            before = slot == slots / 4 ? link.received() : before;
            link.step(slot);
        }
        return (link.received() - before) / (0.75 * slots);
    }

    private static final class Link {
        private final List<List<Long>> underWay = new ArrayList<>();
        private final Random random;
        private final double loss;
        private final Connections connections;
        private final RenoSender sender;
        private final RenoReceiver receiver;
        private final Set<Long> sentFirst = new HashSet<>();

        Link(final long seed, final double loss, final FlowSet flows, final Congestion congestion) {
            this.random = new Random(seed);
            this.loss = loss;
            final Reno rules = new Reno(400, 2, 500, 40, 1000, 0, congestion);
            this.connections = Connections.of(flows, 1000, rules);
            Stream.<List<Long>>generate(ArrayList::new).limit(DELAY).forEach(underWay::add);
            this.sender = new RenoSender(RenoSender.table(Arena.ofAuto(), 1, rules), connections, rules,
                (slot, connection, number) -> {
                    final long packet = TcpPacket.segment(connection, number);
                    sentFirst.add(packet);
                    if (random.nextDouble() >= this.loss) {
                        put(slot, packet);
                    }
                });
            this.receiver = new RenoReceiver(RenoReceiver.table(Arena.ofAuto(), 1, rules), rules);
        }

        private void put(final long slot, final long packet) {
            underWay.get((int) ((slot + DELAY - 1) % DELAY)).add(packet);
        }

        void step(final long slot) {
            final List<Long> here = underWay.get((int) (slot % DELAY));
            underWay.set((int) (slot % DELAY), new ArrayList<>());
            for (final long packet : here) {
                final int connection = TcpPacket.flow(packet);
                if (TcpPacket.isAck(packet)) {
                    sender.onAck(slot, connection, TcpPacket.number(packet), false);
                } else {
                    put(slot, TcpPacket.answer(packet, receiver.onSegment(connection, TcpPacket.number(packet))));
                }
            }
            sender.turn(slot);
            if (slot == 0) {
                sender.start(slot, 0);
            }
        }

        long received() {
            return receiver.received(connections, 0);
        }
    }

    private Sender sender(final Congestion law, final long bytes) {
        final FlowSet flows = Fabrics.one(0, 1, bytes, 1, 0);
        final Reno rules = new Reno(1000, 2, 100, 40, LOST, 0, law);
        final Sender sender = Sender.of(Sender.table(Arena.ofAuto(), 1, rules),
            Connections.of(flows, PACKET, rules), rules, LINE, new Sender.Line() {
                @Override
                public void segment(final long at, final int connection, final int number) {
                    sent.addInt(number);
                    sentIn.addInt((int) at);
                }
                @Override
                public boolean isFree(final long at, final int connection) {
                    return free;
                }
            });
        sender.start(0, 0);
        return sender;
    }

    /** Slots up to one, each of which acknowledges all that was sent. */
    private void advance(final Sender sender, final long to) {
        while (slot < to) {
            sender.turn(++slot);
            if (!sent.isEmpty()) {
                sender.onAck(slot, 0, TcpPacket.ack(0, sent.getInt(sent.size() - 1) + 1));
            }
        }
    }

    private void cut(final Sender sender) {
        sender.onAck(slot, 0, TcpPacket.marked(TcpPacket.ack(0, 0)));
    }

    /** A segment each time that the last one has gone out at the rate, that of the port at first. */
    @Test
    void shouldSendAtItsRate() {
        final Sender sender = sender(LAW, 1L << 30);
        advance(sender, 8000);
        assertEquals(1001, sent.size());
        assertEquals(LINE, sender.rate(0));
        assertEquals(0, sender.resent());
        cut(sender);
        assertEquals(LINE / 2, sender.rate(0), 1e-3);
        sent.clear();
        sentIn.clear();
        advance(sender, 8000 + PERIOD);
        assertEquals(PERIOD * LINE / 2 / PACKET, sent.size(), 1.1);
        assertEquals(16, sentIn.getInt(2) - sentIn.getInt(1));
    }

    /** Half of alpha goes at once; alpha grows by g of the way to 1, and falls by g of itself in a period without. */
    @Test
    void shouldCutByHalfOfAlpha() {
        final Sender sender = sender(LAW, 1L << 40);
        advance(sender, 50);
        cut(sender);
        assertEquals(1, sender.markedShare(0), 1e-6);
        advance(sender, 50 + 3 * PERIOD);
        final double alpha = Math.pow(15 / 16.0, 3);
        assertEquals(alpha, sender.markedShare(0), 1e-6);
        final double before = sender.rate(0);
        cut(sender);
        assertEquals(before * (1 - alpha / 2), sender.rate(0), before / 500);
        assertEquals(alpha * 15 / 16 + 1 / 16.0, sender.markedShare(0), 1e-6);
    }

    /** Fast recovery: half of the way back in each of four periods; from the fifth on the target grows by R_AI. */
    @Test
    void shouldRecoverAndThenAdd() {
        final Sender sender = sender(LAW, 1L << 40);
        advance(sender, 50);
        cut(sender);
        advance(sender, 50 + PERIOD / 2);
        cut(sender);
        final double target = LINE / 2;
        double rate = sender.rate(0);
        final long start = slot;
        double aim = target;
        for (int period = 1; period <= 12; period++) {
            advance(sender, start + (long) period * PERIOD - 1);
            assertEquals(rate, sender.rate(0), 1e-3, "period " + period);
            advance(sender, start + (long) period * PERIOD);
            aim += period >= 5 ? 1 : 0;
            rate = (rate + aim) / 2;
            assertEquals(rate, sender.rate(0), 1e-3, "period " + period);
        }
        assertTrue(rate > target + 5, "rate=" + rate);
    }

    /** Once more than F periods and F counts of bytes have passed, the target grows by multiples of R_HAI. */
    @Test
    void shouldIncreaseFasterAfterPeriodsAndBytes() {
        final int counter = 4000;
        final Sender sender = sender(new Congestion.Dcqcn(CNP, PERIOD, counter, 4, 2, 0.25, 8), 1L << 40);
        cut(sender);
        cut(sender);
        cut(sender);
        assertEquals(LINE / 8, sender.rate(0), 1e-2);
        advance(sender, 2 * PERIOD + 50);
        final double slow = sender.rate(0);
        assertTrue(slow < LINE / 4 + 2, "rate=" + slow);
        advance(sender, 8 * PERIOD);
        assertTrue(sender.rate(0) > LINE / 4 + 10, "rate=" + sender.rate(0));
        advance(sender, 60 * PERIOD);
        assertEquals(LINE, sender.rate(0), 0.5);
    }

    /** A NAK sends again what was sent from the missing segment on, once; a silence does so too. */
    @Test
    void shouldGoBackToTheFirstMissingSegment() {
        final Sender sender = sender(LAW, 100 * PACKET);
        while (sent.size() < 10) {
            sender.turn(++slot);
        }
        final long nak = TcpPacket.answer(TcpPacket.segment(0, 9), 4, false);
        assertTrue(TcpPacket.isNak(nak));
        assertFalse(TcpPacket.isNak(TcpPacket.answer(TcpPacket.segment(0, 4), 5, false)));
        sender.onAck(slot, 0, nak);
        while (sent.size() < 13) {
            sender.turn(++slot);
        }
        sender.onAck(slot, 0, nak);
        while (sent.size() < 16) {
            sender.turn(++slot);
        }
        assertEquals(4, sent.getInt(10));
        assertEquals(9, sent.getInt(15));
        assertEquals(6, sender.resent());
        assertEquals(0, sender.timeouts());
        final long silent = slot + LOST + 1;
        while (slot < silent) {
            sender.turn(++slot);
        }
        assertEquals(1, sender.timeouts());
        sender.onAck(slot, 0, TcpPacket.ack(0, 100));
        final int all = sent.size();
        while (slot < silent + 3L * LOST) {
            sender.turn(++slot);
        }
        assertEquals(1, sender.timeouts());
        assertEquals(all, sent.size());
    }

    /** A port that is not free holds a sender up, and it makes up for nothing afterwards. */
    @Test
    void shouldWaitForItsPortAndSaveNothingUp() {
        final Sender sender = sender(LAW, 1L << 40);
        advance(sender, 80);
        free = false;
        final int before = sent.size();
        advance(sender, 1000);
        assertEquals(before, sent.size());
        free = true;
        advance(sender, 1800);
        assertTrue(sent.size() - before <= 101 && sent.size() - before >= 99, "sent " + (sent.size() - before));
    }

    /** The receiver sends a notification for marks, once an interval at most, and none for what is not marked. */
    @Test
    void shouldNotifyOnceAnInterval() {
        final Reno rules = new Reno(64, 2, 100, 40, LOST, 0, LAW);
        final RenoReceiver receiver = new RenoReceiver(RenoReceiver.table(Arena.ofAuto(), 2, rules), rules);
        final long marked = TcpPacket.marked(TcpPacket.segment(1, 0));
        assertFalse(TcpPacket.isMarked(receiver.answer(5, TcpPacket.segment(1, 0), 1)));
        assertTrue(TcpPacket.isMarked(receiver.answer(5, marked, 1)));
        assertFalse(TcpPacket.isMarked(receiver.answer(6, marked, 1)));
        assertTrue(TcpPacket.isMarked(receiver.answer(6, TcpPacket.marked(TcpPacket.segment(0, 0)), 1)));
        assertFalse(TcpPacket.isMarked(receiver.answer(5 + CNP - 1, marked, 1)));
        assertTrue(TcpPacket.isMarked(receiver.answer(5 + CNP, marked, 1)));
        for (int number = 0; number < 200; number++) {
            assertEquals(number + 1, receiver.onSegment(1, number));
        }
        assertFalse(TcpPacket.isMarked(receiver.answer(5 + 2 * CNP - 1, marked, 1)));
    }

    /** RED between Kmin and Kmax: the share of marked packets, none below and all above. */
    @Test
    void shouldMarkAShareThatGrows() {
        final MarkLaw red = new MarkLaw(1000, 3000, 0.2);
        for (final int bytes : new int[]{1000, 1500, 2000, 3000, 3001}) {
            final int marked = IntStream.range(0, 100_000)
                .map(packet -> red.isMarked(bytes, 3, packet / 100, packet) ? 1 : 0).sum();
            final double share = bytes > 3000 ? 1 : 0.2 * (bytes - 1000) / 2000;
            assertEquals(share, marked / 100_000.0, 0.004, "bytes=" + bytes);
        }
        assertFalse(MarkLaw.above(5).isMarked(5, 1, 1, 1));
        assertTrue(MarkLaw.above(5).isMarked(6, 1, 1, 1));
        assertFalse(MarkLaw.NONE.marks());
        assertThrows(IllegalArgumentException.class, () -> new MarkLaw(0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new MarkLaw(2, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new MarkLaw(1, 2, 0));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dcqcn(1, 1, 1, 8, 5, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dcqcn(1, 1, 0, 8, 5, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dcqcn(0, 1, 1, 8, 5, 1, 1));
    }
}
