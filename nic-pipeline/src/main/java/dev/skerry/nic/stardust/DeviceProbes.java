package dev.skerry.nic.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.stardust.credit.Requests;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The signals inside a device of Stardust, each with a name and a width, read between slots:
 *
 * <pre>
 *   link2_cells            cells in front of link 2
 *   link2_sent             cells that it has sent
 *   link2_paused           1 while the other end takes nothing
 *   link2_pauses           1 if the device took nothing by it in the last slot
 *   link2_leads_d7         1 if cells for adapter 7 may take it: the reachability table
 *   link2_peer_device      the device at the other end, and its link; -1 if there is none: how to wire a fabric
 *   link2_peer_link
 *   cells_held cells_injected cells_delivered cells_dropped
 *   digest                 the device's part of the digest of all packets delivered
 *
 *   of an adapter:
 *   voq_d7q0_bytes         bytes that queue 0 to adapter 7 holds
 *   voq_d7q0_credit        bytes of credits that it has not used, below 0 if it has used more
 *   voq_d7q0_next          number of its next cell in the stream
 *   port0_askers           queues that ask port 0 for credits
 *   message_slots_d7       slots that a request or credit takes to or from adapter 7
 *   bytes_waiting links_working credits_sent
 * </pre>
 *
 * A signal's number is its index in {@link #signals}. One thread, that of the model.
 */
public final class DeviceProbes {
    private final List<Signal> signals = new ArrayList<>();
    private final List<LongSupplier> values = new ArrayList<>();
    private final Map<String, Integer> indexes = new HashMap<>();

    DeviceProbes(final Stardust fabric, final int device, final StardustBank bank, final DeviceSignals sent) {
        final FoldedClos clos = fabric.clos();
        for (int of = 0; of < clos.ports(device); of++) {
            final int link = of;
            final int port = clos.firstPort(device) + link;
            add("link" + link + "_cells", 16, () -> bank.devices.lengthAt(port));
            add("link" + link + "_sent", 32, () -> bank.devices.sent(port));
            add("link" + link + "_paused", 1, () -> bank.devices.isPaused(port) ? 1 : 0);
            add("link" + link + "_pauses", 1, () -> sent.pause(link) ? 1 : 0);
            final int peer = clos.peer(port);
            add("link" + link + "_peer_device", 32, () -> peer == FoldedClos.NONE ? -1 : clos.deviceOf(peer));
            add("link" + link + "_peer_link", 16, () -> peer == FoldedClos.NONE ? -1
                : peer - clos.firstPort(clos.deviceOf(peer)));
            for (int adapter = 0; adapter < clos.fas(); adapter++) {
                final int to = adapter;
                add("link" + link + "_leads_d" + to, 1, () -> bank.forwarding.leads(device, link, to) ? 1 : 0);
            }
        }
        add("cells_held", 16, bank::held);
        add("cells_injected", 32, () -> bank.count(NicCounter.CELLS_INJECTED));
        add("cells_delivered", 32, () -> bank.count(NicCounter.CELLS_DELIVERED));
        add("cells_dropped", 32, () -> bank.tally.dropped());
        add("digest", 64, () -> bank.egress == null ? 0 : bank.egress.digest());
        if (device < clos.fas()) {
            addAdapter(fabric, device, bank);
        }
    }

    private void addAdapter(final Stardust fabric, final int device, final StardustBank bank) {
        final int perPair = fabric.hosts().queues();
        for (int of = 0; of < fabric.clos().fas() * perPair; of++) {
            final int queue = of;
            final String name = "voq_d" + queue / perPair + "q" + queue % perPair;
            add(name + "_bytes", 64, () -> bank.ingress.bytes(queue));
            add(name + "_credit", 32, () -> bank.ingress.word(queue, Requests.BALANCE));
            add(name + "_next", 32, () -> bank.ingress.word(queue, Requests.NUMBER));
        }
        for (int of = 0; of < fabric.hosts().ports(); of++) {
            final int port = of;
            add("port" + port + "_askers", 16, () -> bank.scheduler.askers(port));
        }
        for (int adapter = 0; adapter < fabric.clos().fas(); adapter++) {
            final int slots = DeviceModel.messageSlots(fabric, device, adapter);
            add("message_slots_d" + adapter, 32, () -> slots);
        }
        add("bytes_waiting", 64, () -> bank.ingress.held());
        add("links_working", 16, () -> bank.links(device));
        add("credits_sent", 32, () -> bank.count(NicCounter.CREDITS_SENT));
    }

    private void add(final String name, final int bits, final LongSupplier value) {
        indexes.put(name, signals.size());
        signals.add(new Signal(name, bits));
        values.add(value);
    }

    /** The signals, in a fixed order. */
    public List<Signal> signals() {
        return List.copyOf(signals);
    }

    /**
     * The number of a signal.
     *
     * @throws IllegalArgumentException if no signal has this name.
     */
    public int indexOf(final String name) {
        final Integer index = indexes.get(name);
        if (index == null) {
            throw new IllegalArgumentException("no such signal: name=" + name);
        }
        return index;
    }

    public long value(final String name) {
        return value(indexOf(name));
    }

    public long value(final int signal) {
        return values.get(signal).getAsLong();
    }
}
