package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.stardust.host.PortSide.PortPackets;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class PortPacketsModelTest {
    private static final int FLOWS = 3;
    private static final int MOST = 8;

    @Test
    void shouldBeAQueueOfPacketsForEachFlow() {
        final long seed = 20_261_123;
        final SplittableRandom random = new SplittableRandom(seed);
        try (Arena arena = Arena.ofConfined()) {
            final PortPackets packets = new PortPackets(arena, new int[] {5, 0, 2}, 6, MOST);
            final List<ArrayDeque<Long>> model = Stream.generate(ArrayDeque<Long>::new).limit(FLOWS).toList();
            final int[] taken = new int[FLOWS];
            for (int step = 0; step < 10_000; step++) {
                final int flow = random.nextInt(FLOWS);
                final ArrayDeque<Long> queue = model.get(flow);
                final String where = "seed=" + seed + " step=" + step;
                assertEquals(queue.size() < MOST, packets.hasRoom(flow), where);
                if (random.nextBoolean() && queue.size() < MOST) {
                    final long packet = random.nextLong(1L << 62);
                    packets.add(flow, packet);
                    queue.add(packet);
                } else if (!queue.isEmpty()) {
                    assertEquals(queue.remove(), packets.take(flow), where);
                    taken[flow]++;
                }
                int number = taken[flow];
                for (final long packet : queue) {
                    assertEquals((int) (packet >>> 32), packets.length(Packets.word(flow, number++)), where);
                }
            }
        }
    }

    @Test
    void shouldHaveOneEndlessFlowAStream() {
        try (Arena arena = Arena.ofConfined()) {
            final PortPackets packets = new PortPackets(arena, new int[] {5, 0, 2}, 6, MOST);
            final int none = Packets.NONE;
            assertEquals(List.of(1, none, 2, none, none, 0),
                IntStream.range(0, 6).map(packets::first).boxed().toList());
            assertEquals(Packets.word(1, 0), packets.after(Packets.word(1, Integer.MAX_VALUE)));
            assertEquals(false, packets.isLast(Packets.word(1, Integer.MAX_VALUE)));
        }
    }
}
