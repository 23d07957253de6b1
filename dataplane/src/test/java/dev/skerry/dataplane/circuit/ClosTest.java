package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.CircuitSwitch.Inlet;
import dev.skerry.dataplane.circuit.CircuitSwitch.Outlet;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.LinkBundle;
import dev.skerry.dataplane.worker.AgentThreads;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.dataplane.worker.SharedThreads;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * The paper's example of 8 nodes on leaves and spines of 4 ports, with the tables of docs/spec/shoal.md §2.4 and 2.5
 * written out by hand: leaf ports 0 and 1 are its nodes (a, b), 2 and 3 the spines (c, d); spine port l is leaf l.
 * Composed, the three stages must connect node i to node i + t + 1 in slot t (invariant C2), on any thread at any time.
 */
@Timeout(300)
final class ClosTest {
    private static final int NODES = 8;
    private static final int EPOCH = NODES - 1;
    private static final int WORDS = 3;

    private final Arena arena = Arena.ofAuto();

    @Test
    void shouldHaveTheTablesOfTheSpecification() {
        final String[] up = {"a-c b-d", "a-d b-c", "a-d b-c", "a-c b-d", "a-c b-d", "a-d b-c", "a-d b-c"};
        final String[] down = {"d-a c-b", "d-a c-b", "c-a d-b", "c-a d-b", "d-a c-b", "d-a c-b", "c-a d-b"};
        for (int slot = 0; slot < EPOCH; slot++) {
            for (final String pair : (up[slot] + " " + down[slot]).split(" ")) {
                assertEquals(pair.charAt(0) - 'a', leaf(0, slot, pair.charAt(2) - 'a'), "slot " + slot + ": " + pair);
            }
        }
    }

    /** Which spine a cell of node i takes with shift s. */
    private static int spine(final int i, final int shift) {
        return (i + shift / 2) % 2;
    }

    private static int leaf(final int leaf, final int slot, final int output) {
        for (int i = 0; i < NODES; i++) {
            final int j = (i + slot + 1) % NODES;
            final int port = 2 + spine(i, slot + 1);
            if (i / 2 == leaf && port == output) {
                return i % 2;
            }
            if (j / 2 == leaf && j % 2 == output) {
                return port;
            }
        }
        throw new AssertionError("every output of a leaf is lit: slot=" + slot + " output=" + output);
    }

    private static int spineInput(final int spine, final int slot, final int output) {
        for (int i = 0; i < NODES; i++) {
            if (spine(i, slot + 1) == spine && (i + slot + 1) % NODES / 2 == output) {
                return i / 2;
            }
        }
        throw new AssertionError("every output of a spine is lit: slot=" + slot + " output=" + output);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 0, 1", "1, 3, 0, 1", "2, 4, 1, 2", "2, 2, 3, 4", "4, 1, 0, 2", "8, 16, 5, 16", "8, 5, 0, 1",
        "4, 3, 40, 64"})
    void shouldConnectEveryPairOnceInAnEpoch(final int banks, final int threads, final int delay, final int rows)
        throws InterruptedException {
        final long slots = 4_000;
        final Fabric fabric = new Fabric(banks, delay, rows, slots);
        try (AgentThreads agents = SharedThreads.of(fabric.agents(banks * 31 + threads), threads, Idle.YIELD)) {
            agents.start();
            agents.await();
        }
        for (final Bank bank : fabric.banks) {
            assertEquals(slots, bank.received);
        }
        for (final CircuitSwitch circuits : fabric.switches) {
            assertEquals(slots, circuits.slot());
            assertTrue(circuits.isRunning());
            assertEquals(4 * slots, circuits.count(SwitchCounter.CELLS_FORWARDED), circuits.roleName());
            assertEquals(4 * slots, circuits.count(SwitchCounter.CELLS_RECEIVED), circuits.roleName());
        }
    }

    /** The six switches, the banks and the links: a bundle for each pair of agents joined by a fibre. */
    private final class Fabric {
        final List<Bank> banks = new ArrayList<>();
        final List<CircuitSwitch> switches = new ArrayList<>();

        Fabric(final int count, final int delay, final int rows, final long slots) {
            // A sender is never more than 2 x delay + 1 slots ahead of the last receiver.
            final int window = 2 * delay + 2;
            final Region cells = Region.allocate(arena, (long) NODES * window * WORDS * Long.BYTES);
            final List<List<Inlet>> leafIn = lists(4);
            final List<List<Outlet>> leafOut = lists(4);
            for (int b = 0; b < count; b++) {
                final Bank bank = new Bank(b * NODES / count, (b + 1) * NODES / count, delay, window, cells, slots);
                for (int first = bank.first; first < bank.end;) {
                    final int lanes = Math.min(bank.end, first / 2 * 2 + 2) - first;
                    final int[] ports = lanes == 2 ? new int[] {0, 1} : new int[] {first % 2};
                    final LinkBundle up = new LinkBundle(arena, lanes, rows, 0);
                    final LinkBundle down = new LinkBundle(arena, lanes, rows, 0);
                    leafIn.get(first / 2).add(new Inlet(up.consumer(), ports));
                    leafOut.get(first / 2).add(new Outlet(down.producer(), ports));
                    bank.out.add(up.producer());
                    bank.in.add(down.consumer());
                    first += lanes;
                }
                banks.add(bank);
            }
            for (int s = 0; s < 2; s++) {
                final int spine = s;
                final List<Inlet> in = new ArrayList<>();
                final List<Outlet> out = new ArrayList<>();
                for (int leaf = 0; leaf < 4; leaf++) {
                    final LinkBundle up = new LinkBundle(arena, 1, rows, 0);
                    final LinkBundle down = new LinkBundle(arena, 1, rows, 0);
                    leafOut.get(leaf).add(new Outlet(up.producer(), 2 + spine));
                    leafIn.get(leaf).add(new Inlet(down.consumer(), 2 + spine));
                    in.add(new Inlet(up.consumer(), leaf));
                    out.add(new Outlet(down.producer(), leaf));
                }
                add("spine-" + spine, (slot, output) -> spineInput(spine, slot, output), in, out, slots);
            }
            for (int l = 0; l < 4; l++) {
                final int leaf = l;
                add("leaf-" + leaf, (slot, output) -> leaf(leaf, slot, output), leafIn.get(l), leafOut.get(l), slots);
            }
        }

        private void add(final String name, final RegisterTable.Selection table, final List<Inlet> in,
            final List<Outlet> out, final long slots) {
            final CircuitSwitch circuits = new CircuitSwitch(arena, name, new RegisterTable(4, EPOCH, table), in, out);
            assertTrue(circuits.start(0));
            circuits.endAt(slots);
            switches.add(circuits);
        }

        List<Agent> agents(final long seed) {
            final List<Agent> agents = new ArrayList<>(switches);
            agents.addAll(banks);
            Collections.shuffle(agents, new Random(seed));
            return agents;
        }

        private static <T> List<List<T>> lists(final int count) {
            final List<List<T>> lists = Stream.<List<T>>generate(ArrayList::new).limit(count).toList();
            return lists;
        }
    }

    /**
     * Sends a cell of each node in every slot, at most one delay ahead of the last slot received; checks what it
     * receives.
     */
    private static final class Bank implements Agent {
        final int first;
        final int end;
        final List<LinkBundle.Producer> out = new ArrayList<>();
        final List<LinkBundle.Consumer> in = new ArrayList<>();
        long sent;
        long received;
        private final int delay;
        private final int window;
        private final Region cells;
        private final long slots;

        Bank(final int first, final int end, final int delay, final int window, final Region cells, final long slots) {
            this.first = first;
            this.end = end;
            this.delay = delay;
            this.window = window;
            this.cells = cells;
            this.slots = slots;
        }

        @Override
        public int doWork() {
            int work = 0;
            if (sent < slots && sent <= received + delay && out.stream().allMatch(l -> l.writableUntil(sent) > sent)) {
                int node = first;
                for (final LinkBundle.Producer link : out) {
                    for (int lane = 0; lane < link.lanes(); lane++) {
                        link.put(sent, lane, write(node++));
                    }
                    link.publish(sent + 1);
                }
                sent++;
                work++;
            }
            if (in.stream().allMatch(l -> l.readableUntil(received) > received)) {
                int node = first;
                for (final LinkBundle.Consumer link : in) {
                    for (int lane = 0; lane < link.lanes(); lane++) {
                        check(node++, link.handle(received, lane));
                    }
                    link.free(received + 1);
                }
                received++;
                work++;
            }
            return received == slots ? -1 : work;
        }

        private int write(final int node) {
            final int handle = node * window + (int) (sent % window);
            final long at = (long) handle * WORDS * Long.BYTES;
            cells.setLong(at, node);
            cells.setLong(at + 8, (node + sent % EPOCH + 1) % NODES);
            cells.setLong(at + 16, sent);
            return handle;
        }

        private void check(final int node, final int handle) {
            final long at = (long) handle * WORDS * Long.BYTES;
            final long source = Math.floorMod(node - received % EPOCH - 1, NODES);
            if (handle < 0 || cells.getLong(at) != source || cells.getLong(at + 8) != node
                || cells.getLong(at + 16) != received) {
                throw new AssertionError("slot=" + received + " node=" + node + " handle=" + handle
                    + (handle < 0 ? "" : " from=" + cells.getLong(at) + " to=" + cells.getLong(at + 8)
                    + " sent=" + cells.getLong(at + 16)));
            }
        }

        @Override
        public String roleName() {
            return "bank-" + first;
        }
    }
}
