package dev.skerry.nic.stardust;

import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.PipelineState;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.stardust.StardustBank.StardustShared;
import dev.skerry.nic.stardust.adapter.Requests;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.Packets.FlowPackets;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.LongArrayList;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * One device of a Stardust fabric, an adapter or an element, for comparison with RTL: {@code step(slot, received) ->
 * sent}. It is a bank of one device with the same stages as in a run, so results of runs apply to it. It needs no
 * threads, files or JVM flags.
 *
 * <p>In each slot, the device first receives and then sends. A cell, a pause or a reachability message that arrives in
 * slot s was sent one link delay earlier. A request or credit was sent {@link #messageSlots} earlier, and arrives at
 * the adapter that it names; elements receive none. What an adapter sends to itself stays inside the device.
 *
 * <p>All models of a fabric must have the same flows, because the words of a cell refer to positions in a stream of
 * packets, which the receiver must also know. The faults of a script have the same effects as in a run: a device that
 * is down does nothing, and the end of a cut link loses what arrives over it. Hosts with TCP are not part of a device,
 * and packets from ports are not supported.
 *
 * <p>Not thread-safe; a process may have any number of models. The memory is that of the device's links and streams,
 * plus reachability tables.
 */
public final class DeviceModel implements AutoCloseable {
    private static final int SELF = 1;

    private final Arena arena;
    private final Stardust fabric;
    private final FoldedClos clos;
    private final int device;
    private final int firstPort;
    private final int links;
    private final int delay;
    private final int period;
    private final boolean hasFaults;
    private final StardustShared shared;
    private final StardustBank bank;
    private final DeviceSignals sent;
    private final DeviceProbes probes;
    private final StateImage image;
    private long slot;

    /**
     * Creates a device before slot 0.
     *
     * @param fabric  the fabric.
     * @param flows   flows of all devices.
     * @param faults  faults of the fabric.
     * @param healing timing of reachability messages, which are sent if something can fail or no device knows the
     *     others at slot 0.
     * @param device  number of the device; adapters come first.
     * @throws IllegalArgumentException if there is no such device, hosts use TCP, or packets come from ports.
     */
    public DeviceModel(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing,
        final int device) {
        this.fabric = fabric;
        this.clos = fabric.clos();
        Bounds.refuseIf(device < 0 || device >= clos.devices(), "no such device: device=", device, " devices=",
            clos.devices());
        Bounds.refuseIf(fabric.hosts().model() instanceof Reno || flows.isOnDemand(),
            "a single device requires hosts that send on request, not TCP or ports: hosts=", fabric.hosts().model());
        this.arena = Arena.ofShared();
        this.device = device;
        this.firstPort = clos.firstPort(device);
        this.links = clos.ports(device);
        this.delay = fabric.linkSlots();
        this.period = healing.period(delay);
        this.hasFaults = !faults.isEmpty();
        final DeviceRange[] shares = DeviceRange.around(clos, device);
        this.shared = StardustShared.of(arena, fabric, flows, faults, healing, shares, SELF, false);
        this.bank = new StardustBank(arena, fabric, flows, shares[SELF], shared, faults, healing);
        this.sent = new DeviceSignals(links);
        this.probes = new DeviceProbes(fabric, device, bank, sent);
        this.image = new StateImage(this, arena, (PipelineState) DeviceModel::isConstant);
    }

    private static boolean isConstant(final Object value) {
        return value instanceof Stardust || value instanceof FlowSet || value instanceof FlowPackets
            || value instanceof DeviceRange || value instanceof ReachTiming || value instanceof StateImage
            || value instanceof DeviceProbes || value instanceof FaultState || value instanceof Outcome.Drop
            || value.getClass().isRecord() && value.getClass().getName().contains(".stardust.fabric.");
    }

    /**
     * Executes one slot.
     *
     * @param now      the slot: 0 first, then consecutive slots.
     * @param received what arrives in this slot; read only during this call.
     * @return what the device sends in this slot, overwritten by the next step.
     * @throws IllegalArgumentException if {@code now} is not the next slot, or {@code received} contains something that
     *     no device could have sent; the model is then unchanged.
     */
    public DeviceSignals step(final long now, final DeviceSignals received) {
        if (now != slot) {
            throw new IllegalArgumentException("slots must be consecutive: slot=" + now + " next=" + slot);
        }
        check(received);
        receiveMessages(received);
        bank.step(slot);
        collectMessages();
        slot++;
        return sent;
    }

    /** Refuses what no neighbour could have sent, because it is used to index tables without bounds checks. */
    private void check(final DeviceSignals received) {
        if (received.links() != links) {
            throw new IllegalArgumentException("links must be " + links + ": links=" + received.links());
        }
        for (int link = 0; link < links; link++) {
            final boolean any = received.first(link) != 0 || received.pause(link) || received.report(link);
            if (any && (slot < delay || clos.peer(firstPort + link) == FoldedClos.NONE)) {
                throw new IllegalArgumentException("nothing can have arrived on this link: link=" + link + " slot="
                    + slot + " linkSlots=" + delay);
            }
            if (received.report(link) && shared.messages() == null) {
                throw new IllegalArgumentException("a fabric with known reachability and without faults has no "
                    + "reachability messages: link=" + link);
            }
            if (received.first(link) != 0) {
                checkCell(link, received.first(link), received.second(link));
            }
        }
        for (int i = 0; i < received.messages(); i++) {
            checkMessage(received.message(i));
        }
    }

    private void checkCell(final int link, final long first, final long second) {
        final int to = StardustCell.to(first);
        if (!StardustCell.isCell(first) || to >= clos.fas() || StardustCell.from(first) >= clos.fas()
            || StardustCell.queue(second) >= fabric.hosts().queues()
            || StardustCell.bytes(first) > fabric.cut().cellBytes() || isAdapter() && to != device) {
            throw new IllegalArgumentException("not a cell that this fabric sends here: link=" + link + " first=0x"
                + Long.toHexString(first) + " second=0x" + Long.toHexString(second));
        }
    }

    private void checkMessage(final long message) {
        final int issuer = Control.issuer(message);
        if (!isAdapter() || Control.target(message) != device || issuer >= clos.fas() || issuer == device
            || Control.queue(message) >= fabric.hosts().queues() || slot < messageSlots(issuer)) {
            throw new IllegalArgumentException("not a message that can arrive here in this slot: "
                + "slot=" + slot + " message=0x"
                + Long.toHexString(message));
        }
    }

    /** Stores what arrives where the device reads what its neighbours have sent. */
    private void receiveMessages(final DeviceSignals received) {
        final long then = slot - delay;
        for (int side = 0; side <= 2; side += 2) {
            shared.controls()[side].begin(slot);
            if (then >= 0) {
                shared.pauses()[side].begin(then);
            }
        }
        for (int link = 0; then >= 0 && link < links; link++) {
            final int port = clos.peer(firstPort + link);
            if (received.first(link) != 0) {
                shared.pipes().put(shared.pipes().row(then), port, received.first(link), received.second(link));
            }
            if (received.pause(link)) {
                shared.pauses()[2].add(then, port);
            }
            if (received.report(link)) {
                shared.messages().send(then, then / period, port, received.low(link), received.high(link),
                    received.faulty(link));
            }
        }
        // The messages of each issuer stay in order, and issuers are in the same order as in a run.
        for (int issuer = 0, left = received.messages(); left > 0; issuer++) {
            for (int i = 0; i < received.messages(); i++) {
                if (Control.issuer(received.message(i)) == issuer) {
                    shared.controls()[issuer < device ? 0 : 2].add(slot - messageSlots(issuer), received.message(i));
                    left--;
                }
            }
        }
    }

    /** Collects what the device has sent. */
    private void collectMessages() {
        sent.clear();
        final int row = shared.pipes().row(slot);
        for (int side = 0; side <= 2; side += 2) {
            shared.pipes().show(row, side, true,
                (port, first, second) -> sent.setCell(clos.peer(port) - firstPort, first, second));
        }
        final long[] paused = shared.pauses()[SELF].list(slot);
        for (int i = 0; i < shared.pauses()[SELF].count(slot); i++) {
            sent.setPause((int) paused[i] - firstPort, true);
        }
        final long turn = slot / period;
        for (int link = 0; shared.messages() != null && link < links; link++) {
            final int port = firstPort + link;
            if (shared.messages().wasSent(slot, turn, port)) {
                sent.setReport(link, shared.messages().low(turn, port), shared.messages().high(turn, port),
                    shared.messages().isFaulty(turn, port));
            }
        }
        final SlotLists control = shared.controls()[SELF];
        for (int i = 0; isAdapter() && i < control.count(slot); i++) {
            if (Control.target(control.list(slot)[i]) != device) {
                sent.add(control.list(slot)[i]);
            }
        }
    }

    /** Tells whether the device is an adapter rather than an element. */
    public boolean isAdapter() {
        return device < clos.fas();
    }

    /**
     * Returns the slots for which a request or credit is in flight to or from another adapter, on the shortest path.
     */
    public int messageSlots(final int other) {
        return messageSlots(fabric, device, other);
    }

    static int messageSlots(final Stardust fabric, final int one, final int other) {
        return 2 * StardustBank.meetAt(fabric.clos(), one, other) * fabric.linkSlots();
    }

    /** Returns the number of links of the device. */
    public int links() {
        return links;
    }

    /** Returns the next slot. */
    public long slot() {
        return slot;
    }

    /** Returns the device's part of the digest of all delivered packets; 0 for an element. */
    public long digest() {
        return isAdapter() ? bank.egress.digest() : 0;
    }

    public long count(final NicCounter counter) {
        return bank.tally.count(counter);
    }

    /** Returns the signals of the device. Read them between steps. */
    public DeviceProbes probes() {
        return probes;
    }

    /** Returns the whole state as bytes, which an equal model in any process can restore. */
    public byte[] save() {
        return image.save();
    }

    /**
     * Restores a saved state.
     *
     * @param state result of {@link #save} from a model with the same fabric, flows, faults and device.
     * @throws IllegalArgumentException if the state is damaged or belongs to another model, or the fabric has faults
     *     and this model has been stepped.
     */
    public void restore(final byte[] state) {
        Bounds.refuseIf(hasFaults && slot > 0, "with faults, only a new model accepts a state: slot=", slot);
        image.restore(state);
        if (hasFaults && slot > 0) {
            bank.faults.turnTo(slot - 1);
        }
    }

    @Override
    public void close() {
        arena.close();
    }

    /**
     * The signals of a Stardust device, each with a name and a width, read between slots:
     *
     * <pre>
     *   link2_cells            cells that wait for link 2
     *   link2_sent             cells that it has sent
     *   link2_paused           1 while the other end accepts nothing
     *   link2_pauses           1 if the device accepted nothing by it in the last slot
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
     * <p>The number of a signal is its index in {@link #signals}. Not thread-safe; used by the thread of the model.
     */
    public static final class DeviceProbes {
        private final List<Signal> signals = new ArrayList<>();
        private final List<LongSupplier> values = new ArrayList<>();
        private final Map<String, Integer> indexes = new HashMap<>();

        DeviceProbes(final Stardust fabric, final int device, final StardustBank bank, final DeviceSignals sent) {
            final FoldedClos clos = fabric.clos();
            IntStream.range(0, clos.ports(device)).forEach(link -> {
                final int port = clos.firstPort(device) + link;
                add("link" + link + "_cells", 16, () -> bank.devices.lengthAt(port));
                add("link" + link + "_sent", 32, () -> bank.devices.sent(port));
                add("link" + link + "_paused", 1, () -> bank.devices.isPaused(port) ? 1 : 0);
                add("link" + link + "_pauses", 1, () -> sent.pause(link) ? 1 : 0);
                final int peer = clos.peer(port);
                add("link" + link + "_peer_device", 32, () -> peer == FoldedClos.NONE ? -1 : clos.deviceOf(peer));
                add("link" + link + "_peer_link", 16, () -> peer == FoldedClos.NONE ? -1
                    : peer - clos.firstPort(clos.deviceOf(peer)));
                IntStream.range(0, clos.fas()).forEach(to -> add("link" + link + "_leads_d" + to, 1,
                    () -> bank.forwarding.leads(device, link, to) ? 1 : 0));
            });
            add("cells_held", 16, bank::held);
            add("cells_injected", 32, () -> bank.tally.count(NicCounter.CELLS_INJECTED));
            add("cells_delivered", 32, () -> bank.tally.count(NicCounter.CELLS_DELIVERED));
            add("cells_dropped", 32, () -> bank.tally.dropped());
            add("digest", 64, () -> bank.egress == null ? 0 : bank.egress.digest());
            if (device < clos.fas()) {
                addAdapter(fabric, device, bank);
            }
        }

        private void addAdapter(final Stardust fabric, final int device, final StardustBank bank) {
            final int perPair = fabric.hosts().queues();
            IntStream.range(0, fabric.clos().fas() * perPair).forEach(queue -> {
                final String name = "voq_d" + queue / perPair + "q" + queue % perPair;
                add(name + "_bytes", 64, () -> bank.ingress.bytes(queue));
                add(name + "_credit", 32, () -> bank.ingress.word(queue, Requests.BALANCE));
                add(name + "_next", 32, () -> bank.ingress.word(queue, Requests.NUMBER));
            });
            IntStream.range(0, fabric.hosts().ports()).forEach(port ->
                add("port" + port + "_askers", 16, () -> bank.scheduler.askers(port)));
            IntStream.range(0, fabric.clos().fas()).forEach(adapter ->
                add("message_slots_d" + adapter, 32, () -> DeviceModel.messageSlots(fabric, device, adapter)));
            add("bytes_waiting", 64, () -> bank.ingress.held());
            add("links_working", 16, () -> bank.links(device));
            add("credits_sent", 32, () -> bank.tally.count(NicCounter.CREDITS_SENT));
        }

        private void add(final String name, final int bits, final LongSupplier value) {
            indexes.put(name, signals.size());
            signals.add(new Signal(name, bits));
            values.add(value);
        }

        /** Returns the signals, in a fixed order. */
        public List<Signal> signals() {
            return List.copyOf(signals);
        }

        /**
         * Returns the number of a signal.
         *
         * @throws IllegalArgumentException if no signal has this name.
         */
        public int indexOf(final String name) {
            final Integer index = indexes.get(name);
            Bounds.refuseIf(index == null, "no such signal: name=", name);
            return index;
        }

        public long value(final String name) {
            return value(indexOf(name));
        }

        public long value(final int signal) {
            return values.get(signal).getAsLong();
        }
    }

    /**
     * What arrives at a Stardust device in a slot, or what it sends in one. For each link, counted from the device's
     * first port:
     *
     * <pre>
     *   cell         two words (docs/spec/stardust.md §3.5), the first of them 0 where there is no cell:
     *
     *    63        48 47        32  31   30    29 28  27  26        18 17              0
     *   +------------+------------+-----+-----+-----+-----+------------+----------------+
     *   | to adapter |from adapter|  1  |order| FCI | EOC | length - 1 | slot born mod  |
     *   +------------+------------+-----+-----+-----+-----+------------+ 2^18 ----------+
     *    63            52 51                 32 31                                      0
     *   +----------------+---------------------+----------------------------------------+
     *   | queue number   | number in stream    | place of the first byte in the stream  |
     *   +----------------+---------------------+----------------------------------------+
     *
     *   pause        whether the sender accepts nothing by the link (§4)
     *   report       a reachability message (§6), if there is one: 128 adapters, a bit each, and whether its sender
     *                considers the link faulty. The slot selects the adapters: block (slot sent / period) mod blocks.
     * </pre>
     *
     * <p>In addition, there are control messages of adapters: requests (§3.2) and credits (§5.1), which are not sent in
     * cells:
     *
     * <pre>
     *    63       48 47       32 31          20 19    18 17          0
     *   +----------+-----------+--------------+--------+-------------+
     *   | target   | issuer    | queue number | kind   | value       |   kind 0: wants so many bytes in all, 1: wants
     *   +----------+-----------+--------------+--------+-------------+   so many bytes, or 0: credits, 2: has enough
     *                                                  | bytes-1 |num|   3: a credit, its worth and its number mod 16
     *                                                  +---------+---+
     * </pre>
     *
     * <p>Messages are grouped by issuer, and those of an issuer are in the order in which they were sent. Not
     * thread-safe.
     */
    public static final class DeviceSignals {
        private static final int WORDS = 5;
        private static final int SECOND = 1;
        private static final int LOW = 2;
        private static final int HIGH = 3;
        private static final int FLAGS = 4;
        private static final int PAUSE = 1;
        private static final int REPORT = 2;
        private static final int FAULTY = 4;

        private final long[] words;
        private final LongArrayList messages = new LongArrayList();

        /**
         * Creates empty signals.
         *
         * @param links links of the device, at least 1.
         */
        public DeviceSignals(final int links) {
            Bounds.atLeast("links", links, 1);
            this.words = new long[links * WORDS];
        }

        /** Returns the number of links of the device. */
        public int links() {
            return words.length / WORDS;
        }

        /** Removes all contents. */
        public void clear() {
            Arrays.fill(words, 0);
            messages.clear();
        }

        /** Sets the cell of a link; a first word of 0 removes it. */
        public void setCell(final int link, final long firstWord, final long secondWord) {
            words[link * WORDS] = firstWord;
            words[link * WORDS + SECOND] = firstWord == 0 ? 0 : secondWord;
        }

        /** Returns the first word of the cell of a link; 0 if there is none. */
        public long first(final int link) {
            return words[link * WORDS];
        }

        /** Returns the second word of the cell of a link; 0 if there is none. */
        public long second(final int link) {
            return words[link * WORDS + SECOND];
        }

        /** Sets whether the sender accepts nothing over a link. */
        public void setPause(final int link, final boolean pauses) {
            set(link, PAUSE, pauses);
        }

        /** Tells whether the sender accepts nothing over a link. */
        public boolean pause(final int link) {
            return has(link, PAUSE);
        }

        /**
         * Sets the reachability message of a link.
         *
         * @param link     the link.
         * @param first64  the first 64 adapters of the block, one bit each.
         * @param others   the other 64 adapters.
         * @param isFaulty whether the sender considers the link faulty.
         */
        public void setReport(final int link, final long first64, final long others, final boolean isFaulty) {
            words[link * WORDS + LOW] = first64;
            words[link * WORDS + HIGH] = others;
            set(link, REPORT, true);
            set(link, FAULTY, isFaulty);
        }

        /** Tells whether a link has a reachability message. */
        public boolean report(final int link) {
            return has(link, REPORT);
        }

        /** Returns the first 64 adapters in the message of a link. */
        public long low(final int link) {
            return words[link * WORDS + LOW];
        }

        /** Returns the other 64 adapters in the message of a link. */
        public long high(final int link) {
            return words[link * WORDS + HIGH];
        }

        /** Tells whether the sender of the message considers the link faulty. */
        public boolean faulty(final int link) {
            return has(link, FAULTY);
        }

        private boolean has(final int link, final int flag) {
            return (words[link * WORDS + FLAGS] & flag) != 0;
        }

        private void set(final int link, final int flag, final boolean is) {
            final int at = link * WORDS + FLAGS;
            words[at] = is ? words[at] | flag : words[at] & ~flag;
        }

        /** Adds a control message. */
        public void add(final long message) {
            messages.addLong(message);
        }

        /** Returns the number of control messages. */
        public int messages() {
            return messages.size();
        }

        /** Returns a control message, 0 to {@link #messages()} - 1. */
        public long message(final int index) {
            return messages.getLong(index);
        }

        @Override
        public boolean equals(final Object other) {
            return other instanceof final DeviceSignals signals && Arrays.equals(words, signals.words)
                && messages.equals(signals.messages);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(words) + 31 * messages.hashCode();
        }
    }
}
