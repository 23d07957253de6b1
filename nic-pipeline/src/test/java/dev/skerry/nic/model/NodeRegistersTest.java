package dev.skerry.nic.model;

import static dev.skerry.nic.engine.Outcomes.refused;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A node set from the registers of another one in mid-run goes on as that does, and a flow that is offered while a
 * model runs is sent as if it had been known beforehand.
 */
final class NodeRegistersTest {
    private static final int SLOTS = 3000;
    private static final int FLOWS = 300;

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shale4", "chosen", "none", "shoal", "shoal2"})
    void shouldGoOnFromRegisters(final String name) {
        final long seed = name.hashCode();
        final SplittableRandom random = new SplittableRandom(seed);
        final Recorded record = Recorded.of(fabric(name), SLOTS, 5);
        for (int round = 0; round < 3; round++) {
            final int at = 1 + random.nextInt(SLOTS - 500);
            try (NodeModel first = record.model(); NodeModel second = record.model()) {
                for (int slot = 0; slot < at; slot++) {
                    first.step(slot, record.received.get(slot));
                }
                second.beginAt(at);
                final NodeRegisters from = first.registers();
                final NodeRegisters to = second.registers();
                from.names().forEach(register -> to.set(register, from.get(register)));
                for (final String register : from.names()) {
                    assertArrayEquals(from.get(register), to.get(register), register);
                }
                for (int slot = at; slot < SLOTS; slot++) {
                    assertEquals(record.sent.get(slot), second.step(slot, record.received.get(slot)), "seed=" + seed
                        + " from=" + at + " slot=" + slot);
                    // Numbers of cells sent and most ever held count from the beginning; what there is is the same.
                    for (int i = 0; i < record.signals.get(slot).length; i++) {
                        final long value = second.probes().value(i);
                        assertEquals(record.signals.get(slot)[i], value, second.probes().signals().get(i).name());
                    }
                }
            }
        }
    }

    /** A token that is not owed in the copy does not go back: the copy differs. */
    @Test
    void shouldShowARegisterSetWrong() {
        final Recorded record = Recorded.of(fabric("shale"), SLOTS, 5);
        final int at = 1500;
        try (NodeModel first = record.model(); NodeModel second = record.model()) {
            for (int slot = 0; slot < at; slot++) {
                first.step(slot, record.received.get(slot));
            }
            second.beginAt(at);
            first.registers().copyTo(second.registers());
            final String owed = first.registers().names().stream().filter(name -> name.endsWith("_owed_tokens")
                && first.registers().get(name).length > 0).findFirst().orElseThrow();
            second.registers().set(owed);
            boolean differs = false;
            for (int slot = at; slot < at + 7; slot++) {
                differs |= !record.sent.get(slot).equals(second.step(slot, record.received.get(slot)));
            }
            assertTrue(differs, owed);
        }
    }

    @Test
    void shouldSeeOneRegisterFromBothEnds() {
        final Recorded record = Recorded.of(fabric("shale"), 10, 5);
        try (NodeModel model = record.model()) {
            model.registers().set("queue2_tokens_d3n1", 0);
            assertArrayEquals(new long[] {2}, model.registers().get("queue2_outstanding_d3n1"));
            assertEquals(2, model.probes().outstanding(2, 3, 1));
            assertEquals(1, model.probes().value("active_buckets"));
            model.registers().set("queue2_outstanding_d3n1", 0);
            assertEquals(0, model.probes().value("active_buckets"));
            model.registers().set("queue1_cells", 7, 3 * 8, 4, 3 * 8 + 1, 12, 8, 3 * 8, 4, 3 * 8 + 1, 13);
            model.registers().set("queue1_cells", 9, 3 * 8, 4, 3 * 8 + 1, 14);
            assertArrayEquals(new long[] {9, 24, 4, 25, 14}, model.registers().get("queue1_cells"));
            assertEquals(1, model.probes().value("queue1_length"));
            assertEquals(1, model.probes().value("cells_held"));
        }
    }

    /** Details of buckets and places add up to the signals of links, and each is found by its name. */
    @Test
    void shouldShowEachBucket() {
        final Recorded record = Recorded.of(fabric("shale"), 800, 5);
        try (NodeModel model = record.model()) {
            final NodeProbes probes = model.probes();
            final List<NodeProbes.Signal> details = probes.details();
            for (int i = 0; i < details.size(); i++) {
                assertEquals(probes.signals().size() + i, probes.indexOf(details.get(i).name()));
            }
            long cells = 0;
            for (int slot = 0; slot < 800; slot++) {
                model.step(slot, record.received.get(slot));
                if (slot % 50 == 0) {
                    for (int link = 0; link < probes.links(); link++) {
                        cells += compareLink(probes, "queue" + link + "_");
                    }
                }
            }
            assertTrue(cells > 50, "few cells wait: cells=" + cells);
        }
    }

    private static long compareLink(final NodeProbes probes, final String queue) {
        final long[] sum = new long[4];
        final List<String> kinds = List.of("outstanding", "tokens", "owed", "cells");
        for (int bucket = 0; bucket < 32; bucket++) {
            for (int kind = 0; kind < sum.length; kind++) {
                sum[kind] += probes.value(queue + kinds.get(kind) + "_d" + bucket / 2 + "n" + bucket % 2);
            }
            // Own cells have two tokens of a bucket, others one.
            assertEquals(1 + bucket % 2, probes.value(queue + "outstanding_d" + bucket / 2 + "n" + bucket % 2)
                + probes.value(queue + "tokens_d" + bucket / 2 + "n" + bucket % 2));
        }
        assertEquals(probes.value(queue + "outstanding"), sum[0]);
        assertEquals(probes.value(queue + "owed"), sum[2]);
        assertEquals(probes.value(queue + "length"), sum[3]);
        assertEquals(probes.value(queue + "next_token"), probes.value(queue + "owed_0"));
        assertEquals(sum[3] == 0, probes.value(queue + "cell_0") == -1);
        assertEquals(sum[3] < 3, probes.value(queue + "cell_2") == -1);
        assertEquals(sum[2] < 2, probes.value(queue + "owed_1") == -1);
        return sum[3];
    }

    @Test
    void shouldRefuseWhatNoRegisterHolds() {
        final Recorded record = Recorded.of(fabric("shale"), 10, 5);
        try (NodeModel model = record.model()) {
            final NodeRegisters registers = model.registers();
            for (final String name : List.of("nothing", "queue9_cells", "queue3_head", "flow99_sent", "phase2_taken",
                "queue0_outstanding_d16n0", "queue0_outstanding_d5n2", "queue_cells", "phase0_sent")) {
                refused("no such register", () -> registers.get(name));
            }
            refuse(registers, "flow5_sent -1", "flow6_sent 1", "flow5_sent 1 2", "queue0_pointer 6",
                "queue0_outstanding_d5n0 2", "queue0_owed_tokens 128", "queue0_cells 1 2 3",
                "queue0_cells -1 24 4 25 0", "queue0_cells 0 24 6 25 0", "queue0_cells 0 24 4 33 0", "phase0_taken 0",
                "turn 0");
            model.step(0, new NodeCells(1));
            assertThrows(IllegalArgumentException.class, () -> model.beginAt(5));
        }
    }

    @Test
    void shouldRefuseWhatNoRegisterOfShoalHolds() {
        final Recorded record = Recorded.of(fabric("shoal"), 10, 5);
        try (NodeModel model = record.model();
            NodeModel guarded = new NodeModel(Parts.of(record.fabric), record.flows, Faults.NONE.ofNode(), 5)) {
            model.beginAt(1);
            final NodeRegisters registers = model.registers();
            final int to = record.flows.destination(5);
            assertArrayEquals(new long[] {5}, registers.get("to" + to + "_messages"));
            assertArrayEquals(new long[] {to, 0}, registers.get("active"));
            for (final String name : List.of("queue15_cells", "queue0_sell", "flow999_sent", "to16_messages", "turn")) {
                refused("no such register", () -> registers.get(name));
            }
            final int other = to == 3 ? 4 : 3;
            refuse(registers, "flow5_sent -1", "flow5_sent 1 2", "to" + to + "_messages 6", "to" + to + "_messages 5 5",
                "to" + other + "_messages 5", "active", "active " + to + " 0 " + to + " 0", "queue0_cells 1",
                "queue0_cells " + (7L << 16 | 6) + " " + (999L << 32),
                "queue0_cells " + (7L << 16 | 8) + " " + (7L << 32), "queue0_own " + other, "queue0_own 16",
                "queue0_ready -1", "queue0_free 1", "queue0_joined 0 0 0 15", "queue0_sent 0");
            assertThrows(IllegalArgumentException.class, guarded::registers);
        }
    }

    /** Asserts that words are refused; each row names a register, then the words. */
    private static void refuse(final NodeRegisters registers, final String... rows) {
        for (final String row : rows) {
            final String[] part = row.split(" ");
            final long[] words = Arrays.stream(part, 1, part.length).mapToLong(Long::parseLong).toArray();
            assertThrows(IllegalArgumentException.class, () -> registers.set(part[0], words), row);
        }
    }

    private static CircuitFabric fabric(final String name) {
        return switch (name) {
            case "shale" -> Parts.shale(2, 4, Mechanisms.HBH_SPRAY, 2, 9, 7);
            case "shale4" -> Parts.shale(4, 2, Mechanisms.HBH_SPRAY.with(TieRule.ROTATING).serving(LocalRule.NODE), 3,
                5, 7);
            case "chosen" -> Parts.shale(2, 4, Mechanisms.HBH_SPRAY.with(TieRule.LOWEST).serving(LocalRule.DESTINATION),
                2, 0, 7);
            case "none" -> Parts.shale(2, 4, Mechanisms.NONE, 2, 3, 7);
            case "shoal" -> Parts.shoal(16, 1, 3);
            default -> Parts.shoal(16, 2, 2);
        };
    }

    private static FlowSet random(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSet flows = new FlowSet();
        long start = 0;
        for (int flow = 0; flow < FLOWS; flow++) {
            final int from = random.nextInt(16);
            final int cells = random.nextInt(50) == 0 ? FlowSet.ENDLESS : 1 + random.nextInt(40);
            flows.add(flow, from, (from + 1 + random.nextInt(15)) % 16, Long.MAX_VALUE, cells, start);
            start += random.nextInt(3) == 0 ? random.nextInt(25) : 0;
        }
        return flows;
    }

    /** Offers the flows of another set that start before a slot. */
    private static void offer(final FlowSet flows, final FlowSet open, final long until, final NodeModel[] models) {
        for (int flow = open.size(); flow < flows.size() && flows.startSlot(flow) < until; flow = open.size()) {
            final NodeModel source = models[flows.source(flow)];
            assertEquals(flow, source.offer(flows.startSlot(flow), flows.destination(flow), flows.cells(flow)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shale4", "chosen", "none", "shoal", "shoal2"})
    void shouldEqualAFlowKnownBeforehand(final String name) {
        final long seed = name.hashCode();
        final CircuitFabric fabric = fabric(name);
        final FlowSet flows = random(seed);
        final FlowSet open = FlowSet.open(FLOWS);
        final SplittableRandom ahead = new SplittableRandom(seed);
        try (FabricModel known = new FabricModel(Parts.of(fabric), flows);
            FabricModel offered = new FabricModel(Parts.of(fabric), open)) {
            for (long slot = 0; slot < SLOTS; slot++) {
                final long until = slot + 1 + ahead.nextInt(30);
                for (int f = open.size(); f < FLOWS && flows.startSlot(f) < until; f = open.size()) {
                    offered.offer(flows.startSlot(f), flows.source(f), flows.destination(f), flows.cells(f));
                }
                known.step();
                offered.step();
            }
            assertTrue(known.count(NicCounter.FLOWS_COMPLETED) > FLOWS / 8, "few flows: seed=" + seed);
            for (final NicCounter counter : List.of(NicCounter.FLOWS_STARTED, NicCounter.FLOWS_COMPLETED,
                NicCounter.CELLS_INJECTED, NicCounter.CELLS_FORWARDED, NicCounter.CELLS_DELIVERED)) {
                assertEquals(known.count(counter), offered.count(counter), counter + " seed=" + seed);
            }
            assertNotEquals(0, known.digest());
            assertEquals(known.digest(), offered.digest(), "seed=" + seed);
        }
    }

    /** Nodes alone: what one sends the fabric brings to the others, all flows offered at their nodes. */
    @ParameterizedTest
    @ValueSource(strings = {"shale", "shoal2"})
    void shouldReachNodesThatRunAlone(final String name) {
        final long seed = 5;
        final CircuitFabric fabric = fabric(name);
        final FlowSet flows = random(seed);
        final FlowSet open = FlowSet.open(FLOWS);
        final NodeModel[] nodes = new NodeModel[16];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] = new NodeModel(Parts.of(fabric), open, node);
        }
        final NodeCells in = new NodeCells(fabric.channels());
        final NodeCells out = new NodeCells(fabric.channels());
        try (FabricModel known = new FabricModel(Parts.of(fabric), flows)) {
            for (long slot = 0; slot < SLOTS / 3; slot++) {
                offer(flows, open, slot + 1, nodes);
                known.step();
                for (int node = 0; node < nodes.length; node++) {
                    known.received(node, in);
                    known.sent(node, out);
                    assertEquals(out, nodes[node].step(slot, in), "slot=" + slot + " node=" + node + " seed=" + seed);
                }
            }
            long digest = 0;
            for (final NodeModel node : nodes) {
                digest += node.digest();
                node.close();
            }
            assertEquals(known.digest(), digest, "seed=" + seed);
        }
    }

    @Test
    void shouldRefuseWhatIsNoFlow() {
        final CircuitFabric fabric = fabric("shale");
        try (NodeModel closed = new NodeModel(Parts.of(fabric), new FlowSet(), 3);
            NodeModel node = new NodeModel(Parts.of(fabric), FlowSet.open(3), 3)) {
            refused("fixed set of flows", () -> closed.offer(0, 1, 5));
            assertEquals(0, node.offer(7, 1, 5));
            refused("in order of start slot", () -> node.offer(6, 1, 5));
            refused("not a flow", () -> node.offer(7, 3, 5));
            refused("no such endpoint", () -> node.offer(7, 16, 5));
            refused("no such endpoint", () -> node.offer(7, -1, 5));
            refused("not a flow", () -> node.offer(7, 1, 0));
            node.step(0, new NodeCells(1));
            node.step(1, new NodeCells(1));
            refused("next slot or later", () -> node.offer(1, 1, 5));
            node.offer(9, 2, 1);
            node.offer(9, 4, FlowSet.ENDLESS);
            refused("room for no more", () -> node.offer(9, 4, 1));
        }
        assertThrows(IllegalArgumentException.class, () -> FlowSet.open(0));
    }
}
