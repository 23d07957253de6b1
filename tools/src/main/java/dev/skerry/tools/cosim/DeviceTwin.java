package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.stardust.DeviceModel;
import dev.skerry.nic.stardust.DeviceModel.DeviceProbes;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.run.stardust.StardustChoice;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A single Stardust device, an adapter or an element, one slot per step. Words are those of {@link DeviceSignals};
 * probes are read after the slot.
 *
 * <pre>
 *   in    slot | first 0 | second 0 | flags 0 | low 0 | high 0 | first 1 | ... | messages | message 0 | message 1 | ...
 *   out          first 0 | second 0 | flags 0 | low 0 | high 0 | first 1 | ... | messages | message 0 | ... | probes
 *         first     0: no cell on the link
 *         flags     + 1: the sender accepts nothing on the link; + 2: there is a reachability message, with the
 *                   adapters in low and high; + 4: its sender considers the link faulty
 *         messages  number of requests and credits that follow; the remaining message words are ignored, and are
 *                   0 in outputs
 * </pre>
 */
final class DeviceTwin implements Twin {
    private static final int PAUSE = 1;
    private static final int REPORT = 2;
    private static final int FAULTY = 4;
    static final String[] WORDS = {"first", "second", "flags", "low", "high"};
    static final int MOST_MESSAGES = 1 << 16;

    private final DeviceModel model;
    private final int room;
    private final DeviceSignals received;
    private final int[] probes;

    /**
     * Creates a device before slot 0.
     *
     * @param run      Stardust run that contains the device.
     * @param device   number of the device.
     * @param messages maximum number of requests and credits in a row.
     * @param probes   names of signals, separated by commas; {@code all} for all; empty for none.
     */
    DeviceTwin(final Scenario run, final int device, final int messages, final String probes) {
        this.room = (int) Bounds.require("messages", messages, 1, MOST_MESSAGES);
        this.model = new DeviceModel((Stardust) run.fabric(), run.flows(), run.faults(),
            ((StardustChoice) run.choice()).healing(), device);
        this.received = new DeviceSignals(model.links());
        final DeviceProbes inside = model.probes();
        try {
            this.probes = Twin.probes(probes, inside.signals().size(), inside::indexOf);
        } catch (final IllegalArgumentException e) {
            model.close();
            throw e;
        }
    }

    /** Returns the names of the words of one direction, {@code rx} or {@code tx}. */
    static List<String> words(final String way, final int links, final int room) {
        final List<String> names = new ArrayList<>();
        for (int link = 0; link < links; link++) {
            for (final String word : WORDS) {
                names.add(way + link + "_" + word);
            }
        }
        names.add(way + "_messages");
        for (int i = 0; i < room; i++) {
            names.add(way + "_message" + i);
        }
        return names;
    }

    @Override
    public Names names() {
        final List<String> in = new ArrayList<>(List.of("slot"));
        in.addAll(words("rx", model.links(), room));
        final List<String> out = words("tx", model.links(), room);
        Arrays.stream(probes).mapToObj(signal -> model.probes().signals().get(signal).name()).forEach(out::add);
        return new Names(in, out);
    }

    @Override
    public List<String> probes() {
        return model.probes().signals().stream().map(NodeProbes.Signal::name).toList();
    }

    @Override
    public long slot() {
        return model.slot();
    }

    /** Copies the whole state of another device with the same description into a fresh device. */
    @Override
    public void copyFrom(final Twin other) {
        if (!(other instanceof final DeviceTwin device)) {
            throw new IllegalArgumentException("a device of Stardust can begin only from the state of another one");
        }
        if (model.slot() != 0) {
            throw new IllegalArgumentException("only a new model can begin from the state of another one: slot="
                + model.slot());
        }
        model.restore(device.model.save());
    }

    @Override
    public byte[] save() {
        return model.save();
    }

    @Override
    public void restore(final byte[] state) {
        model.restore(state);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        throw new IllegalArgumentException("rows of a device of Stardust are not drawn");
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        read(in, inAt, 1, room, received);
        final DeviceSignals sent = model.step(Words.get(in, inAt, 0), received);
        if (sent.messages() > room) {
            throw new IllegalStateException("the device sends more messages than fit in a row: messages="
                + sent.messages() + " room=" + room + ", open it with messages=" + sent.messages() + " or more");
        }
        int at = 0;
        for (int link = 0; link < sent.links(); link++) {
            final int flags = (sent.pause(link) ? PAUSE : 0) | (sent.report(link) ? REPORT : 0)
                | (sent.faulty(link) ? FAULTY : 0);
            Words.set(out, outAt, at, sent.first(link), sent.second(link), flags, sent.low(link), sent.high(link));
            at += WORDS.length;
        }
        Words.set(out, outAt, at++, sent.messages());
        for (int i = 0; i < room; i++) {
            Words.set(out, outAt, at++, i < sent.messages() ? sent.message(i) : 0);
        }
        for (final int probe : probes) {
            Words.set(out, outAt, at++, model.probes().value(probe));
        }
    }

    /** Reads the words of one direction, the first of which has index {@code first}. */
    static void read(final MemorySegment in, final long inAt, final int first, final int room,
        final DeviceSignals into) {
        into.clear();
        int at = first;
        for (int link = 0; link < into.links(); link++, at += WORDS.length) {
            final long flags = Words.get(in, inAt, at + 2);
            if ((flags & ~(PAUSE | REPORT | FAULTY)) != 0 || (flags & (REPORT | FAULTY)) == FAULTY) {
                throw new IllegalArgumentException("not the flags of a link: link=" + link + " flags=" + flags);
            }
            into.setCell(link, Words.get(in, inAt, at), Words.get(in, inAt, at + 1));
            into.setPause(link, (flags & PAUSE) != 0);
            if ((flags & REPORT) != 0) {
                into.setReport(link, Words.get(in, inAt, at + 3), Words.get(in, inAt, at + 4),
                    (flags & FAULTY) != 0);
            }
        }
        final int messages = Words.intOf(in, inAt, at, "messages", 0, room);
        for (int i = 1; i <= messages; i++) {
            into.add(Words.get(in, inAt, at + i));
        }
    }

    @Override
    public void close() {
        model.close();
    }
}
