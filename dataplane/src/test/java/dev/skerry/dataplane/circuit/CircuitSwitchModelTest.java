package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.CircuitSwitch.Inlet;
import dev.skerry.dataplane.circuit.CircuitSwitch.Outlet;
import dev.skerry.dataplane.ring.LinkBundle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Random tables, links, phases and starts; cells, dark lanes, silent lanes and second cells; links written, switched
 * and read in random order. Against a model that knows rows only.
 */
final class CircuitSwitchModelTest {
    private static final int SLOTS = 300;
    private static final int NOTHING = LinkBundle.MISSING;

    private final long[] expected = new long[SwitchCounter.values().length];
    private Random random;
    private String where;
    private int ports;
    private int epoch;
    private int[][] rows;
    private int[] phases;
    private long first;
    private long startSlot = Long.MAX_VALUE;
    private int[][] sent;
    private int[][] surplus;
    private CircuitSwitch circuits;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 300);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldMoveWhatTheTableSays(final long seed) {
        random = new Random(seed);
        ports = 2 * (1 + random.nextInt(5));
        epoch = 1 + random.nextInt(7);
        first = new long[] {0, (1L << 31) - 100, (1L << 32) - 100, (1L << 40) + 1}[random.nextInt(4)];
        where = "seed=" + seed + " ports=" + ports + " epoch=" + epoch + " first=" + first;
        fillTable(random.nextBoolean());
        fillTraffic();
        try (Arena arena = Arena.ofConfined()) {
            final List<Link> in = links(arena);
            final List<Link> out = links(arena);
            circuits = new CircuitSwitch(arena, "model",
                new RegisterTable(ports, epoch, (slot, output) -> rows[slot][output], phases),
                in.stream().map(link -> new Inlet(link.bundle.consumer(), link.ports)).toList(),
                out.stream().map(link -> new Outlet(link.bundle.producer(), link.ports)).toList());
            circuits.endAt(first + SLOTS);
            run(in, out);
        }
        count();
        for (final SwitchCounter counter : SwitchCounter.values()) {
            assertEquals(expected[counter.ordinal()], circuits.count(counter), where + " " + counter);
        }
    }

    private void run(final List<Link> in, final List<Link> out) {
        while (out.stream().anyMatch(link -> link.bundle.consumer().slot() < first + SLOTS)
            || circuits.doWork() != CircuitSwitch.DONE) {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> write(in.get(random.nextInt(in.size())));
                case 4, 5, 6, 7 -> read(out.get(random.nextInt(out.size())));
                case 8, 9, 10 -> assertTrue(circuits.doWork() >= 0 || circuits.slot() == first + SLOTS, where);
                default -> {
                    if (random.nextInt(20) == 0) {
                        start();
                    }
                }
            }
        }
    }

    private void start() {
        final long slot = Math.max(0, circuits.slot() + random.nextInt(40) - 5);
        if (circuits.start(slot)) {
            assertTrue(startSlot == Long.MAX_VALUE && slot >= circuits.slot(), where);
            startSlot = slot;
        } else {
            expected[SwitchCounter.SIGNALS_IGNORED.ordinal()]++;
        }
    }

    /** Rows that are partial permutations; with two ways, each half of the outputs takes from the other half. */
    private void fillTable(final boolean twoWays) {
        rows = new int[epoch][ports];
        final int half = ports / 2;
        for (final int[] row : rows) {
            final List<Integer> inputs = new ArrayList<>(IntStream.range(0, ports).boxed().toList());
            Collections.shuffle(inputs.subList(0, twoWays ? half : ports), random);
            Collections.shuffle(inputs.subList(twoWays ? half : 0, ports), random);
            for (int output = 0; output < ports; output++) {
                final int from = twoWays ? (output + half) % ports : output;
                row[output] = random.nextInt(5) == 0 ? RegisterTable.DARK : inputs.get(from);
            }
        }
        final int up = random.nextInt(epoch);
        final int down = twoWays ? random.nextInt(epoch) : up;
        phases = IntStream.range(0, ports).map(output -> output < half ? down : up).toArray();
    }

    private void fillTraffic() {
        sent = new int[SLOTS][ports];
        surplus = new int[SLOTS][ports];
        for (int t = 0; t < SLOTS; t++) {
            for (int port = 0; port < ports; port++) {
                final int kind = random.nextInt(12);
                sent[t][port] = kind == 0 ? NOTHING : kind == 1 ? LinkBundle.DARK : random.nextInt(1 << 30);
                surplus[t][port] = kind == 2 ? 1 + random.nextInt(2) : 0;
            }
        }
    }

    /** The ports in random order, cut into links. */
    private List<Link> links(final Arena arena) {
        final List<Integer> order = new ArrayList<>(IntStream.range(0, ports).boxed().toList());
        Collections.shuffle(order, random);
        final List<Link> links = new ArrayList<>();
        for (int from = 0; from < ports;) {
            final int lanes = 1 + random.nextInt(ports - from);
            links.add(new Link(new LinkBundle(arena, lanes, 1 << random.nextInt(5), first),
                order.subList(from, from + lanes).stream().mapToInt(Integer::intValue).toArray()));
            from += lanes;
        }
        return links;
    }

    private record Link(LinkBundle bundle, int[] ports) {
    }

    private void write(final Link link) {
        final LinkBundle.Producer producer = link.bundle.producer();
        long slot = producer.slot();
        final long end = Math.min(producer.writableUntil(slot), first + SLOTS);
        for (int count = random.nextInt(4); count > 0 && slot < end; count--) {
            final int t = (int) (slot - first);
            for (int lane = 0; lane < link.ports.length; lane++) {
                final int port = link.ports[lane];
                for (int cells = sent[t][port] == NOTHING ? 0 : 1 + surplus[t][port]; cells > 0; cells--) {
                    producer.put(slot, lane, cells == 1 + surplus[t][port] ? sent[t][port] : 1);
                }
            }
            slot++;
        }
        producer.publish(slot);
    }

    private void read(final Link link) {
        final LinkBundle.Consumer consumer = link.bundle.consumer();
        long slot = consumer.slot();
        final long end = consumer.readableUntil(slot);
        for (int count = random.nextInt(4); count > 0 && slot < end; count--) {
            for (int lane = 0; lane < link.ports.length; lane++) {
                assertEquals(output(slot, link.ports[lane]), consumer.handle(slot, lane),
                    where + " slot=" + slot + " output=" + link.ports[lane] + " start=" + startSlot);
            }
            slot++;
        }
        consumer.free(slot);
    }

    private int selected(final long slot, final int output) {
        return rows[slot < startSlot ? 0 : Math.floorMod(slot - startSlot - phases[output], epoch)][output];
    }

    private int output(final long slot, final int output) {
        final int input = selected(slot, output);
        return input == RegisterTable.DARK ? LinkBundle.DARK : Math.max(sent[(int) (slot - first)][input], -1);
    }

    private void count() {
        for (int t = 0; t < SLOTS; t++) {
            final int[] outputOf = new int[ports];
            Arrays.fill(outputOf, -1);
            for (int output = 0; output < ports; output++) {
                final int input = selected(first + t, output);
                if (input == RegisterTable.DARK) {
                    expected[SwitchCounter.DARK_BY_TABLE.ordinal()]++;
                } else {
                    outputOf[input] = output;
                    expected[(sent[t][input] >= 0 ? SwitchCounter.CELLS_FORWARDED
                        : SwitchCounter.DARK_NO_INPUT).ordinal()]++;
                }
            }
            for (int input = 0; input < ports; input++) {
                final int cells = sent[t][input] >= 0 ? 1 : 0;
                expected[SwitchCounter.CELLS_RECEIVED.ordinal()] += cells + surplus[t][input];
                expected[SwitchCounter.DROPPED_SECOND_CELL.ordinal()] += surplus[t][input];
                expected[SwitchCounter.DROPPED_UNSELECTED.ordinal()] += outputOf[input] == -1 ? cells : 0;
                expected[SwitchCounter.WRONG_STAMP.ordinal()] += sent[t][input] == NOTHING ? 1 : 0;
            }
        }
    }
}
