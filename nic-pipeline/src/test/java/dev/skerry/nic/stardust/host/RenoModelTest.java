package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Senders and receivers against New Reno as a textbook has it, each over the same pipe, which loses, delays and swaps
 * packets by their number: the same segments in the same slots, and all of them there in the end.
 */
class RenoModelTest {
    private static final int SEGMENT = 1000;
    private static final int LEAST_TIMER = 300;

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
        try (Arena arena = Arena.ofConfined()) {
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
        }
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
}
