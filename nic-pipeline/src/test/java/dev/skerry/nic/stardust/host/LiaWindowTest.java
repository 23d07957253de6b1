package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.host.Sender.WindowRule.LiaWindow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** MPTCP's linked increases against the formula of RFC 6356, and against what one TCP gets at the same loss. */
class LiaWindowTest {
    private static final int DELAY = 50;

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
            final FlowSet flows = new FlowSet();
            flows.add(0, 0, 1, 1000L * segments - 300, 1, 0);
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
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1L << 40, 1, 0);
        final Link link = new Link(seed, 0.001, flows, congestion);
        long before = 0;
        for (long slot = 0; slot < slots; slot++) {
            // The start, at full pace until the first loss, does not count.
            before = slot == slots / 4 ? link.received() : before;
            link.step(slot);
        }
        return (link.received() - before) / (0.75 * slots);
    }

    /** A link of a fixed delay that loses segments by chance. */
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
            for (int i = 0; i < DELAY; i++) {
                underWay.add(new ArrayList<>());
            }
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
}
