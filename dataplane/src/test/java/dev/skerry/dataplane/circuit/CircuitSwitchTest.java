package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.CircuitSwitch.Inlet;
import dev.skerry.dataplane.circuit.CircuitSwitch.Outlet;
import dev.skerry.dataplane.ring.LinkBundle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

final class CircuitSwitchTest {
    private static final int DARK = LinkBundle.DARK;
    private static final int NOTHING = LinkBundle.MISSING;
    private static final int SLOTS = 300;
    private static final int PORTS = 8;
    private static final long SEED = 5;

    private final Arena arena = Arena.ofAuto();
    private final long[] expected = new long[SwitchCounter.values().length];
    private Random random;
    private String where;
    private int ports;
    private int epoch;
    private int[][] rows;
    private long first;
    private long startSlot = Long.MAX_VALUE;
    private int[][] sent;
    private int[][] surplus;
    private CircuitSwitch circuits;

    /** Three nodes on one switch, node i to node i + t + 1 in slot t. */
    private static final class Star {
        final LinkBundle in;
        final LinkBundle out;
        final CircuitSwitch circuits;

        Star(final Arena arena, final int rows, final long first) {
            in = new LinkBundle(arena, 3, rows, first);
            out = new LinkBundle(arena, 3, rows, first);
            circuits = new CircuitSwitch(arena, "star",
                new RegisterTable(3, 2, (slot, output) -> Math.floorMod(output - slot - 1, 3)),
                List.of(new Inlet(in.consumer(), 0, 1, 2)), List.of(new Outlet(out.producer(), 0, 1, 2)));
        }

        void send(final int... handles) {
            final long slot = in.producer().slot();
            assertTrue(in.producer().writableUntil(slot) > slot);
            for (int lane = 0; lane < handles.length; lane++) {
                if (handles[lane] != NOTHING) {
                    in.producer().put(slot, lane, handles[lane]);
                }
            }
            in.producer().publish(slot + 1);
        }

        int[] receive() {
            final long slot = out.consumer().slot();
            assertTrue(out.consumer().readableUntil(slot) > slot, "slot has not come: slot=" + slot);
            final int[] handles = {
                out.consumer().handle(slot, 0), out.consumer().handle(slot, 1), out.consumer().handle(slot, 2)
            };
            out.consumer().free(slot + 1);
            return handles;
        }
    }

    @Test
    void shouldWaitForInputAndForRoom() {
        final Star star = new Star(arena, 2, 0);
        assertEquals(0, star.circuits.doWork());
        star.send(0, 1, 2);
        star.send(3, 4, 5);
        assertEquals(2, star.circuits.doWork());
        star.send(6, 7, 8);
        assertEquals(0, star.circuits.doWork(), "both rows of the output are taken");
        star.receive();
        assertEquals(1, star.circuits.doWork());
        assertEquals(3, star.circuits.slot());
    }

    @Test
    void shouldNotMakeOneWayWaitForTheOther() {
        final LinkBundle[] in = {new LinkBundle(arena, 1, 4, 0), new LinkBundle(arena, 1, 4, 0)};
        final LinkBundle[] out = {new LinkBundle(arena, 1, 4, 0), new LinkBundle(arena, 1, 4, 0)};
        final CircuitSwitch leaf = new CircuitSwitch(arena, "leaf", RegisterTable.of(2, 1, new int[] {1, 0}),
            List.of(new Inlet(in[0].consumer(), 0), new Inlet(in[1].consumer(), 1)),
            List.of(new Outlet(out[0].producer(), 0), new Outlet(out[1].producer(), 1)));
        in[0].producer().put(0, 0, 3);
        in[0].producer().publish(1);
        assertEquals(1, leaf.doWork(), "up, with nothing to come down");
        assertEquals(1, out[1].consumer().readableUntil(0));
        assertEquals(3, out[1].consumer().handle(0, 0));
        assertEquals(0, leaf.slot());
    }

    @Test
    void shouldBeDoneAtTheEndThatWasSet() {
        final Star star = new Star(arena, 8, 0);
        star.circuits.endAt(2);
        for (int slot = 0; slot < 3; slot++) {
            star.send(0, 1, 2);
        }
        assertEquals(2, star.circuits.doWork());
        assertEquals(CircuitSwitch.DONE, star.circuits.doWork());
        star.circuits.endAt(4);
        assertEquals(1, star.circuits.doWork());
        assertEquals(0, star.circuits.doWork());
    }

    @Test
    void shouldRefuseWiringThatDoesNotFit() {
        final LinkBundle a = new LinkBundle(arena, 2, 4, 0);
        final LinkBundle b = new LinkBundle(arena, 2, 4, 0);
        final LinkBundle late = new LinkBundle(arena, 2, 4, 1);
        final RegisterTable cross = RegisterTable.of(2, 1, new int[] {1, 0});
        final Inlet in = new Inlet(a.consumer(), 0, 1);
        final Outlet out = new Outlet(b.producer(), 0, 1);
        refuses("no links", cross, List.of(), List.of());
        refuses("the table uses a port without a link", cross, List.of(in), List.of());
        refuses("two links at one port", cross, List.of(in, in), List.of(out));
        refuses("two links at one port", cross, List.of(in), List.of(new Outlet(b.producer(), 1, 1)));
        refuses("no such output", cross, List.of(in), List.of(new Outlet(b.producer(), 0, 2)));
        refuses("a link needs a port for each lane", cross, List.of(new Inlet(a.consumer(), 0)), List.of(out));
        refuses("links must be at the same slot", cross, List.of(in), List.of(new Outlet(late.producer(), 0, 1)));
    }

    private void refuses(final String why, final RegisterTable table, final List<Inlet> inlets,
        final List<Outlet> outlets) {
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> new CircuitSwitch(arena, "leaf-3", table, inlets, outlets));
        assertTrue(refused.getMessage().startsWith(why + ": switch=leaf-3 "), refused.getMessage());
    }

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
        final List<Link> in = links(arena);
        final List<Link> out = links(arena);
        circuits = new CircuitSwitch(arena, "model",
            new RegisterTable(ports, epoch, (slot, output) -> rows[slot][output]),
            in.stream().map(link -> new Inlet(link.bundle.consumer(), link.ports)).toList(),
            out.stream().map(link -> new Outlet(link.bundle.producer(), link.ports)).toList());
        circuits.endAt(first + SLOTS);
        run(in, out);
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
        return rows[slot < startSlot ? 0 : (int) ((slot - startSlot) % epoch)][output];
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

    @Test
    void shouldSelectAsTheTableSays() {
        final RegisterTable table = new RegisterTable(PORTS, PORTS - 1,
            (slot, output) -> Math.floorMod(output - slot - 1, PORTS));
        final SplittableRandom random = new SplittableRandom(SEED);
        final int[] in = new int[PORTS];
        final int[] out = new int[PORTS];
        final int[] expected = new int[PORTS];
        try (SwitchModel model = new SwitchModel(table)) {
            for (int slot = 0; slot < 10_000; slot++) {
                if (slot == 5) {
                    assertTrue(model.start(8));
                    assertFalse(model.start(9));
                }
                for (int port = 0; port < PORTS; port++) {
                    in[port] = random.nextInt(3) == 0 ? SwitchModel.DARK : random.nextInt(1 << 20);
                }
                for (int port = 0; port < PORTS; port++) {
                    expected[port] = in[table.input(Math.max(0, slot - 8) % table.epochSlots(), port)];
                }
                model.step(in, out);
                assertArrayEquals(expected, out, "seed=" + SEED + " slot=" + slot);
                assertEquals(slot >= 8, model.isRunning());
            }
            assertEquals(10_000, model.slot());
            assertEquals(1, model.count(SwitchCounter.SIGNALS_IGNORED));
        }
    }

    @Test
    void shouldGoOnFromASavedState() {
        final RegisterTable table = new RegisterTable(PORTS, PORTS - 1,
            (slot, output) -> Math.floorMod(output - slot - 1, PORTS));
        final int[] in = {0, 1, 2, 3, 4, 5, 6, 7};
        final int[] out = new int[PORTS];
        final int[] expected = new int[PORTS];
        try (SwitchModel model = new SwitchModel(table); SwitchModel other = new SwitchModel(table)) {
            model.start(2);
            for (int slot = 0; slot < 100; slot++) {
                other.restore(model.save());
                model.step(in, expected);
                other.step(in, out);
                assertArrayEquals(expected, out, "slot=" + slot);
                assertArrayEquals(model.save(), other.save());
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoSlot() {
        try (SwitchModel model = new SwitchModel(RegisterTable.of(2, 1, new int[] {1, 0}))) {
            assertThrows(IllegalArgumentException.class, () -> model.step(new int[1], new int[2]));
            assertThrows(IllegalArgumentException.class, () -> model.step(new int[] {-2, 0}, new int[2]));
        }
    }

    @Test
    void shouldSayWhatItWasGiven() {
        final RegisterTable table = RegisterTable.of(3, 2, new int[] {1, -1, 0, -1, 2, 1});
        assertArrayEquals(new int[] {3, 2, 1, RegisterTable.DARK, 2, 0}, new int[] {table.ports(), table.epochSlots(),
            table.input(0, 0), table.input(0, 1), table.input(1, 1), table.input(0, 2)});
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 1 0 0 | not a partial permutation: slot=1 input=0 outputs=0,1",
        "1 1 0 -1 | not a partial permutation: held before the start input=1 outputs=0,1",
        "0 1 2 0 | no such input: slot=1 output=0 input=2 ports=2",
        "0 -2 1 0 | no such input: slot=0 output=1 input=-2 ports=2",
        "0 1 1 | table is not of this epoch: entries=3 epochSlots=2 ports=2",
        "0 1 1 0 0 1 | table is not of this epoch: entries=6 epochSlots=2 ports=2"
    })
    void shouldRefuseATableThatIsNone(final String rows, final String message) {
        final int[] inputs = Arrays.stream(rows.trim().split(" ")).mapToInt(Integer::parseInt).toArray();
        final IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> RegisterTable.of(2, 2, inputs));
        assertEquals(message, refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-1, 1", "65535, 1", "1, 0", "65534, 4097"})
    void shouldRefuseASizeItCannotHave(final int ports, final int epochSlots) {
        assertThrows(IllegalArgumentException.class, () -> new RegisterTable(ports, epochSlots, (slot, output) -> -1));
    }
}
