package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.cosim.Twin.Words;
import dev.skerry.tools.run.NodeChoice;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.run.stardust.StardustChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Devices of Stardust as rows of words: wired by the names of their words alone, they are the run. */
final class DeviceTwinTest {
    private static final int SLOTS = 130;
    private static final int LINK_WORDS = 5;

    /** A device, its last rows, and where its probes are. */
    private static final class Device {
        private final String line;
        private Twin twin;
        private final MemorySegment in;
        private final MemorySegment out;
        private final List<String> outputs;
        private final int links;
        private final long[][] sent = new long[SLOTS][];

        Device(final String line) {
            this.line = line;
            this.twin = twin(line);
            this.in = Arena.ofAuto().allocate(8L * twin.names().inputs().length, 8);
            this.out = Arena.ofAuto().allocate(8L * twin.names().outputs().length, 8);
            this.outputs = Arrays.asList(twin.names().outputs());
            this.links = outputs.indexOf("tx_messages") / LINK_WORDS;
        }

        long probe(final String name) {
            return Words.get(out, 0, outputs.indexOf(name));
        }

        long word(final int slot, final int index) {
            return sent[slot][index];
        }

        /** The device takes a slot; in between a fresh model goes on where it stands. */
        void step(final int slot) {
            if (slot % 40 == 39) {
                final Twin fresh = twin(line);
                fresh.copyFrom(twin);
                twin.close();
                twin = fresh;
            }
            twin.step(in, 0, out, 0);
            sent[slot] = new long[outputs.size()];
            Arrays.setAll(sent[slot], word -> Words.get(out, 0, word));
        }

        void put(final int word, final long value) {
            Words.set(in, 0, word, value);
        }
    }

    private static void deliver(final Device[] devices, final int number, final int adapters, final int slot,
        final int delay) {
        final Device to = devices[number];
        to.put(0, slot);
        for (int link = 0; slot > 0 && link < to.links; link++) {
            final int from = (int) to.probe("link" + link + "_peer_device");
            for (int word = 0; word < LINK_WORDS; word++) {
                final int at = LINK_WORDS * (int) to.probe("link" + link + "_peer_link") + word;
                to.put(1 + LINK_WORDS * link + word, from < 0 || slot < delay ? 0
                    : devices[from].word(slot - delay, at));
            }
        }
        int messages = 0;
        final int at = 1 + LINK_WORDS * to.links;
        for (int issuer = 0; slot > 0 && number < adapters && issuer < adapters; issuer++) {
            final int then = slot - (int) to.probe("message_slots_d" + issuer);
            final int count = LINK_WORDS * devices[issuer].links;
            for (int i = 1; issuer != number && then >= 0 && i <= devices[issuer].word(then, count); i++) {
                if (devices[issuer].word(then, count + i) >>> 48 == number) {
                    to.put(at + ++messages, devices[issuer].word(then, count + i));
                }
            }
        }
        to.put(at, messages);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "nodes=6 topology=single workload=all-to-all flowBytes=9000 propagation=3 seed=4",
        "topology=clos radix=4 adapterLinks=2 tiers=2 workload=all-to-all flowBytes=9000 "
            + "reachability=learnt propagation=2 slotNs=3000"
    })
    void shouldBeTheRunWhenWiredByNames(final String run) {
        final Map<String, String> settings = new TreeMap<>();
        Arrays.stream(run.split(" ")).map(pair -> pair.split("=")).forEach(pair -> settings.put(pair[0], pair[1]));
        final Scenario scenario = NodeChoice.scenario("a device", "stardust", settings);
        final Stardust fabric = (Stardust) scenario.fabric();
        final int adapters = fabric.clos().fas();
        final Device[] devices = new Device[fabric.clos().devices()];
        Arrays.setAll(devices, device -> new Device("stardust-device device=" + device + " probes=all " + run));
        final boolean followed = !run.contains("learnt");
        final ModelHandle[] followers = new ModelHandle[followed ? devices.length : 0];
        Arrays.setAll(followers, device -> ModelHandle.open("stardust-follower device=" + device + " " + run));
        long digest = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            digest = 0;
            for (int device = 0; device < devices.length; device++) {
                deliver(devices, device, adapters, slot, fabric.linkSlots());
                devices[device].step(slot);
                if (followed) {
                    follow(followers[device], devices[device], slot);
                }
                digest += devices[device].probe("digest");
            }
        }
        try (StardustEngine engine = new StardustEngine(fabric, scenario.flows(), scenario.faults(),
            ((StardustChoice) scenario.choice()).healing(), 1, false)) {
            engine.advance(SLOTS);
            assertTrue(engine.digest() != 0, run);
            assertEquals(engine.digest(), digest, run);
        }
        Arrays.stream(followers).forEach(ModelHandle::close);
        Arrays.stream(devices).forEach(device -> device.twin.close());
    }

    /** Nothing is found, but in the last slot, in which a cell is sent that nobody has. */
    private static void follow(final ModelHandle follower, final Device device, final int slot) {
        final int side = (follower.inputs().size() - 1) / 2;
        final long[] row = new long[1 + 2 * side];
        for (int word = 0; word < side; word++) {
            row[word] = Words.get(device.in, 0, word);
            row[1 + side + word] = device.word(slot, word);
        }
        row[side] = Words.get(device.in, 0, side);
        final long[] out = new long[follower.outputs().size()];
        if (slot == SLOTS - 1) {
            row[1 + side] = 1L << 48 | 4L << 32 | 1L << 31;
            row[2 + side] = 77L << 32;
        }
        follower.step(row, out);
        assertEquals(slot < SLOTS - 1, out[0] == 0, follower.findings());
        assertEquals(slot < SLOTS - 1, follower.findings().isEmpty());
    }

    @Test
    void shouldRefuseRowsThatNobodySends() {
        // As skerry.h and Description show it.
        twin("stardust-device device=5 nodes=6 topology=single messages=64 probes=link0_cells,voq_d3q0_bytes").close();
        final Device device = new Device("stardust-device device=1 nodes=6 topology=single propagation=1");
        device.put(3, 8);
        refuses(device, "flags=8");
        device.put(3, 4);
        refuses(device, "flags=4");
        device.put(3, 0);
        device.put(1 + LINK_WORDS * device.links, 65);
        refuses(device, "messages=65");
        device.put(1 + LINK_WORDS * device.links, 0);
        device.put(0, 7);
        refuses(device, "next=0");
        device.put(0, 0);
        device.step(0);
        TwinRig.refuses("new model", () -> device.twin.copyFrom(twin(
            "stardust-device device=1 nodes=6 topology=single propagation=1")));
        assertThrows(IllegalArgumentException.class, () -> twin("stardust-device device=1 nodes=6 topology=single")
            .copyFrom(twin("pieo capacity=4")));
        device.twin.close();
    }

    private static void refuses(final Device device, final String reason) {
        TwinRig.refuses(reason, () -> device.twin.step(device.in, 0, device.out, 0));
    }
}
