package dev.skerry.nic.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.fault.Faults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.SplittableRandom;

/** A node set from the registers of another one in mid-run goes on as that does. */
final class NodeRegistersTest {
    private static final int SLOTS = 3000;

    @ParameterizedTest
    @ValueSource(strings = {"shale", "shale4", "chosen", "none", "shoal", "shoal2"})
    void shouldGoOnFromRegisters(final String name) {
        final long seed = name.hashCode();
        final SplittableRandom random = new SplittableRandom(seed);
        final Recorded record = Recorded.of(OfferTest.fabric(name), SLOTS, 5);
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
        final Recorded record = Recorded.of(OfferTest.fabric("shale"), SLOTS, 5);
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
        final Recorded record = Recorded.of(OfferTest.fabric("shale"), 10, 5);
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
        final Recorded record = Recorded.of(OfferTest.fabric("shale"), 800, 5);
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
        final Recorded record = Recorded.of(OfferTest.fabric("shale"), 10, 5);
        try (NodeModel model = record.model()) {
            final NodeRegisters registers = model.registers();
            for (final String name : List.of("nothing", "queue9_cells", "queue3_head", "flow99_sent", "phase2_taken",
                "queue0_outstanding_d16n0", "queue0_outstanding_d5n2", "queue_cells", "phase0_sent")) {
                assertTrue(assertThrows(IllegalArgumentException.class, () -> registers.get(name)).getMessage()
                    .startsWith("no such register"), name);
            }
            refuse(registers, "flow5_sent", -1);
            refuse(registers, "flow6_sent", 1);
            refuse(registers, "flow5_sent", 1, 2);
            refuse(registers, "queue0_pointer", 6);
            refuse(registers, "queue0_outstanding_d5n0", 2);
            refuse(registers, "queue0_owed_tokens", 16 * 8);
            refuse(registers, "queue0_cells", 1, 2, 3);
            refuse(registers, "queue0_cells", -1, 24, 4, 25, 0);
            refuse(registers, "queue0_cells", 0, 24, 6, 25, 0);
            refuse(registers, "queue0_cells", 0, 24, 4, 33, 0);
            refuse(registers, "phase0_taken", 0);
            refuse(registers, "turn", 0);
            model.step(0, new NodeCells(1));
            assertThrows(IllegalArgumentException.class, () -> model.beginAt(5));
        }
    }

    @Test
    void shouldRefuseWhatNoRegisterOfShoalHolds() {
        final Recorded record = Recorded.of(OfferTest.fabric("shoal"), 10, 5);
        try (NodeModel model = record.model();
            NodeModel guarded = new NodeModel(Parts.of(record.fabric), record.flows, Faults.NONE.ofNode(), 5)) {
            model.beginAt(1);
            final NodeRegisters registers = model.registers();
            final int to = record.flows.destination(5);
            assertArrayEquals(new long[] {5}, registers.get("to" + to + "_messages"));
            assertArrayEquals(new long[] {to, 0}, registers.get("active"));
            for (final String name : List.of("queue15_cells", "queue0_sell", "flow999_sent", "to16_messages", "turn")) {
                assertTrue(assertThrows(IllegalArgumentException.class, () -> registers.get(name)).getMessage()
                    .startsWith("no such register"), name);
            }
            refuse(registers, "flow5_sent", -1);
            refuse(registers, "flow5_sent", 1, 2);
            refuse(registers, "to" + to + "_messages", 6);
            refuse(registers, "to" + to + "_messages", 5, 5);
            refuse(registers, "to" + (to == 3 ? 4 : 3) + "_messages", 5);
            refuse(registers, "active");
            refuse(registers, "active", to, 0, to, 0);
            refuse(registers, "queue0_cells", 1);
            refuse(registers, "queue0_cells", 7L << 16 | 6, 999L << 32);
            refuse(registers, "queue0_cells", 7L << 16 | 8, 7L << 32);
            refuse(registers, "queue0_own", to == 3 ? 4 : 3);
            refuse(registers, "queue0_own", 16);
            refuse(registers, "queue0_ready", -1);
            refuse(registers, "queue0_free", 1);
            refuse(registers, "queue0_joined", 0, 0, 0, 15);
            refuse(registers, "queue0_sent", 0);
            assertThrows(IllegalArgumentException.class, guarded::registers);
        }
    }

    private static void refuse(final NodeRegisters registers, final String name, final long... words) {
        assertThrows(IllegalArgumentException.class, () -> registers.set(name, words), name);
    }
}
