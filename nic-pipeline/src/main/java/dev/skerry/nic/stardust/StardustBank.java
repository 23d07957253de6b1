package dev.skerry.nic.stardust;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.StardustControl;
import dev.skerry.codec.StardustHeader;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.fabric.Edge.PacketEdge;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Releases;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.nic.stardust.StardustThreads.ElementCells;
import dev.skerry.nic.stardust.adapter.AdapterEgress;
import dev.skerry.nic.stardust.adapter.AdapterIngress;
import dev.skerry.nic.stardust.adapter.AdapterIngress.Bursts;
import dev.skerry.nic.stardust.adapter.EgressScheduler;
import dev.skerry.nic.stardust.element.ElementIntake;
import dev.skerry.nic.stardust.element.ElementIntake.PortArrivals;
import dev.skerry.nic.stardust.element.ElementIntake.PortFaults;
import dev.skerry.nic.stardust.element.ForwardingTable;
import dev.skerry.nic.stardust.element.LinkForwarder;
import dev.skerry.nic.stardust.element.Pipes;
import dev.skerry.nic.stardust.element.StardustReach;
import dev.skerry.nic.stardust.element.StardustReach.ReachMessages;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.Packets.PacketBytes;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.PortSide.PortPackets;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.UpDownReach;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * A share of a fabric's devices, stepped slot by slot: the work of one worker or agent. One thread at a time.
 *
 * <p>The order in a slot: arriving messages and cells are received, flows that start join their queues, adapters cut
 * what credits released into cells and spray them over their links, schedulers grant credits, and every link sends.
 */
final class StardustBank {
    private static final int FRAME_BYTES = StardustControl.frameBytes(StardustControl.REQUEST);
    /** Slots between two sweeps of a stream for overdue cells. */
    private static final int SWEEP_SLOTS = 64;

    private final Stardust fabric;
    private final FlowSet flows;
    final DeviceRange share;
    private final StardustShared shared;
    final BankCounters tally = new BankCounters();
    final ForwardingTable forwarding;
    final LinkForwarder devices;
    private final PortArrivals arrivals;
    private final ElementIntake elements;
    /** Null if the bank has no adapters, like the three fields after it. */
    private final SlotLists control;
    final AdapterIngress ingress;
    final AdapterEgress egress;
    final EgressScheduler scheduler;
    /** Null unless hosts speak TCP. */
    final RenoHosts tcp;
    /** Cells that adapters sent to themselves, and the adapters that have such cells. */
    private final LongFifo[] loopbacks;
    private final QueueBits looping;
    /** Bytes that the links of each adapter still carry; null if a cell takes a slot. */
    private final long[] pots;
    private final LinkCharge charge;
    /** Null if nothing ever fails. */
    private final PortFaults portFaults;
    /** Null if cells carry no bytes. */
    private final CellWriter writer;
    final Timeline timeline = new Timeline();
    /** Null if nothing ever fails, like the two fields after it. */
    final FaultState faults;
    private final StardustReach reach;
    private final LinkChanges changes;
    /** Whether each device from the lowest on is down. */
    private final boolean[] down;
    private final int first;
    private final int adapters;
    /** Source and sink of the packets of ports; null if flows are not on demand. */
    PortSide side;

    StardustBank(final Arena arena, final Stardust fabric, final FlowSet flows, final DeviceRange share,
        final StardustShared shared, final Faults faults, final ReachTiming healing) {
        this.fabric = fabric;
        this.flows = flows;
        this.share = share;
        this.shared = shared;
        final FoldedClos clos = fabric.clos();
        this.first = share.first(0);
        this.adapters = share.end(0) - first;
        final boolean any = share.hasAdapters();
        this.control = any ? shared.controls()[share.bank()] : null;
        this.forwarding = new ForwardingTable(clos, share, fabric.seed(), fabric.links().spraying());
        share.devices().forEach(device -> forwarding.learn(device, shared.reach(), healing.bringUp()));
        this.devices = new LinkForwarder(arena, fabric, share, shared.pipes(), shared.pauses(),
            shared.neighbours()[share.bank()], shared.frames(), tally);
        this.ingress = any ? new AdapterIngress(arena, fabric, flows, shared.packets(), control, tally, first, adapters)
            : null;
        this.egress = any ? new AdapterEgress(arena, fabric, flows, shared.packets(), tally, shared.flowOutcomes(),
            first, adapters) : null;
        final PacketBytes bytes = (packet, offset, to, at, length) -> (side == null
            ? PacketBytes.MADE_UP : side).copy(packet, offset, to, at, length);
        this.writer = any && shared.frames() != null ? new CellWriter(bytes) : null;
        if (writer != null) {
            egress.read(arena, shared.frames(), bytes);
        }
        this.tcp = any && shared.ends() != null ? connectHosts() : null;
        this.scheduler = any ? new EgressScheduler(fabric, egress.ports(), control, tally, first, adapters) : null;
        this.faults = healing.speaks(faults) ? faults.state(clos.devices()) : null;
        this.reach = this.faults == null ? null : new StardustReach(fabric, share, healing, this.faults,
            shared.messages(), forwarding, shared.reach(), this::onChange);
        this.changes = reach == null || !any ? null : new LinkChanges(healing.refreshSlots());
        this.portFaults = reach == null ? null : new PortFaults(clos, this.faults, reach, shared.frames(), tally);
        this.arrivals = new PortArrivals(fabric, share, shared.pipes());
        this.elements = new ElementIntake(fabric, share, arrivals, forwarding, devices, portFaults, tally);
        this.loopbacks = LongFifo.of(adapters);
        this.looping = new QueueBits(adapters);
        this.charge = fabric.links().charge();
        this.pots = charge == null ? null : new long[adapters];
        devices.connect(fabric, shared.controls(), reach);
        this.down = new boolean[share.span()];
        if (reach != null && any) {
            ingress.freeze(reach);
        }
        if (any && shared.flowOutcomes().releases() != null) {
            ingress.feed().release(shared.flowOutcomes().releases());
        }
    }

    private RenoHosts connectHosts() {
        final SentPackets packets = (SentPackets) shared.packets();
        final RenoHosts hosts = new RenoHosts(fabric, flows, packets, shared.ends(), tally,
            ingress.feed().policer(packets), first * fabric.hosts().ports(), adapters * fabric.hosts().ports());
        ingress.feed().connect(hosts);
        egress.connect(hosts, packets);
        return hosts;
    }

    /**
     * Connects an edge to which flows are on demand: packets come from it and go back to it. The edge also counts the
     * cells of the given elements.
     */
    void connect(final PacketEdge edge, final ElementCells elements) {
        side = new PortSide(edge, (PortPackets) shared.packets(), flows.size(),
            () -> held() + egress.held() + ingress.held() + elements.held(),
            () -> tally.count(NicCounter.CELLS_INJECTED) + elements.sent(), ingress.feed()::refuses);
        ingress.feed().connect(side);
        egress.connect(side);
    }

    /** Runs one slot of all devices of the bank. */
    void step(final long slot) {
        if (control != null) {
            control.begin(slot);
            egress.begin(slot);
        }
        if (faults != null) {
            heal(slot);
        }
        arrivals.turnTo(slot);
        devices.turnTo(slot);
        elements.receive(slot);
        if (control != null) {
            stepAdapters(slot);
        }
        devices.transmit(slot);
    }

    private void stepAdapters(final long slot) {
        final long before = tally.count(NicCounter.CELLS_DELIVERED);
        receiveMessages(slot);
        receive(slot);
        loop(slot);
        ingress.feed().arrive(slot);
        final QueueBits granted = ingress.granted();
        for (int a = 0; fabric.credits().voqs().givesUp() && a < adapters; a++) {
            ingress.giveUp(slot, a);
        }
        for (int a = granted.next(0, adapters); a < adapters; a = granted.next(a + 1, adapters)) {
            if ((faults == null || !faults.isDown(first + a)) && !cut(slot, a)) {
                granted.clear(a);
            }
        }
        if (fabric.pull()) {
            scheduler.issue(slot);
        }
        timeline.endBefore(slot + 1);
        timeline.add(slot, tally.count(NicCounter.CELLS_DELIVERED) - before);
    }

    /**
     * Receives the messages of this slot, from near to far, those of each bank in the order in which they were sent.
     */
    private void receiveMessages(final long slot) {
        for (int level = 1; level <= fabric.clos().tiers(); level++) {
            final long sent = slot - 2L * level * fabric.linkSlots();
            for (int bank = 0; sent >= 0 && bank < shared.controls().length; bank++) {
                receiveMessages(slot, sent, level, shared.controls()[bank]);
            }
        }
    }

    private void receiveMessages(final long slot, final long sent, final int level, final SlotLists from) {
        final long[] messages = from.list(sent);
        final int count = from.count(sent);
        for (int i = 0; i < count; i++) {
            final int target = Control.target(messages[i]);
            final int issuer = Control.issuer(messages[i]);
            if (target >= first && target < first + adapters && meetAt(fabric.clos(), target, issuer) == level
                && (faults == null || !faults.isDown(target) && reach.reaches(target, issuer))) {
                tally.add(NicCounter.CONTROL_BYTES, 2L * level * FRAME_BYTES);
                for (int copies = faults == null ? 1 : copies(sent, messages[i]); copies > 0; copies--) {
                    take(slot, target, issuer, messages[i]);
                }
            }
        }
    }

    private void take(final long slot, final int target, final int issuer, final long message) {
        if (Control.kind(message) == Control.CREDIT) {
            ingress.credit(slot, target, issuer, message);
        } else {
            scheduler.request(target, issuer, Control.queue(message), Control.kind(message),
                Control.asked(message));
        }
    }

    /** Returns how many copies of a message arrive that was sent in a slot. */
    private int copies(final long sent, final long message) {
        final int copies = faults.copies(sent, message);
        tally.add(NicCounter.CONTROL_LOST, copies == 0 ? 1 : 0);
        return copies;
    }

    /** Returns the tier up to which a shortest path between two adapters goes, at least 1. */
    static int meetAt(final FoldedClos clos, final int one, final int other) {
        int level = 1;
        while (level < clos.tiers() && clos.subTreeOf(one, level) != clos.subTreeOf(other, level)) {
            level++;
        }
        return level;
    }

    /** Begins and ends faults, exchanges reachability messages, and repeats requests that may have been lost. */
    private void heal(final long slot) {
        if (faults.turnTo(slot)) {
            reach.onFaults(slot);
            for (int tier = 0; tier <= fabric.clos().tiers(); tier++) {
                for (int device = share.first(tier); device < share.end(tier); device++) {
                    if (faults.isDown(device) && !down[device - share.base()]) {
                        devices.lose(slot, device);
                    }
                    down[device - share.base()] = faults.isDown(device);
                    if (tier == 0) {
                        scheduler.setSilent(device - first, faults.isDown(device));
                        scheduler.setRogue(device - first, faults.isRogue(device));
                        stopHosts(slot, device);
                    }
                }
            }
        }
        reach.hear(slot);
        tally.set(NicCounter.REACH_LAST_CHANGED, reach.lastChange());
        tally.add(NicCounter.CONTROL_BYTES, reach.speak(slot));
        for (int adapter = LinkChanges.turn(slot, first, SWEEP_SLOTS); adapter < adapters; adapter += SWEEP_SLOTS) {
            egress.sweep(slot, adapter);
        }
        if (changes != null) {
            changes.turnTo(slot);
        }
    }

    private void stopHosts(final long slot, final int adapter) {
        for (int port = 0, ports = fabric.hosts().ports(); port < ports; port++) {
            egress.ports().stop(slot, (adapter - first) * ports + port, faults.isStopped(adapter * ports + port));
        }
    }

    private void onChange(final long slot, final int adapter) {
        changes.onChange(slot, adapter);
    }

    /** Returns the links of an adapter of the bank that its scheduler counts. */
    int links(final int adapter) {
        return scheduler.links(adapter - first);
    }

    /** Checks that the bank's adapters count the links that they may use, and that no element holds too many cells. */
    void agreeOnLinks() {
        devices.checkPools();
        if (changes != null) {
            changes.agree();
        }
    }

    /** Returns a number that grows while the bank's adapters send or receive cells, or a flow waits for its delay. */
    long moves() {
        return tally.count(NicCounter.CELLS_DELIVERED) + tally.count(NicCounter.CELLS_INJECTED)
            + ingress.feed().delayedSlots();
    }

    /** Returns the cells in queues, between slots and in windows, without those in flight on links. */
    long held() {
        return devices.held() + looped();
    }

    /** Receives the cells that arrive at adapters in a slot. */
    private void receive(final long slot) {
        final int end = fabric.clos().firstPort(first + adapters);
        for (int port = arrivals.take(fabric.clos().firstPort(first), end); port < end;
            port = arrivals.take(port + 1, end)) {
            final long word = arrivals.first(port);
            if (portFaults == null || !portFaults.loses(slot, port, word)) {
                final int adapter = fabric.clos().deviceOf(port) - first;
                scheduler.onCell(adapter, StardustCell.fci(word));
                egress.receive(slot, adapter, word, arrivals.second(port));
            }
        }
    }

    /** Receives the cells that adapters sent to themselves. */
    private void loop(final long slot) {
        final int end = loopbacks.length;
        for (int adapter = looping.next(0, end); adapter < end; adapter = looping.next(adapter + 1, end)) {
            final LongFifo loopback = loopbacks[adapter];
            while (!loopback.isEmpty()) {
                final long word = loopback.poll();
                egress.receive(slot, adapter, word, loopback.poll());
            }
            looping.clear(adapter);
        }
    }

    /** Returns the number of cells that adapters sent to themselves and have not received. */
    private long looped() {
        long looped = 0;
        for (final LongFifo loopback : loopbacks) {
            looped += loopback.size() / 2;
        }
        return looped;
    }

    /**
     * Cuts as many cells as the remaining links of an adapter carry.
     *
     * @return whether it may have more to cut in the next slot.
     */
    private boolean cut(final long slot, final int adapter) {
        final Bursts bursts = ingress.bursts();
        final int device = first + adapter;
        if (devices.isFull(device)) {
            // The links are paused: packets wait in their queues, not in front of links.
            return true;
        }
        // An adapter that has lost all links still cuts for itself.
        int room = Math.max(1, scheduler.links(adapter));
        if (pots != null) {
            pots[adapter] = Math.min(pots[adapter], 0) + room * charge.perSlot();
            room = pots[adapter] > 0 ? room : 0;
        }
        while (room > 0 && (bursts.left(adapter) > 0 || begin(slot, adapter))) {
            final int to = bursts.to(adapter);
            final long route = StardustCell.route(to, device, fabric.order(bursts.queue(adapter)));
            while (room > 0 && bursts.left(adapter) > 0) {
                final long second = StardustCell.second(bursts.queue(adapter), bursts.number(adapter),
                    bursts.place(adapter));
                final int bytes = bursts.cut(adapter);
                launch(slot, adapter, to, StardustCell.first(route, bytes, bursts.ends(adapter), slot), second);
                room = pots == null ? room - 1 : charge(adapter, bytes, room);
            }
        }
        return room == 0;
    }

    private boolean begin(final long slot, final int adapter) {
        final boolean begins = ingress.begin(slot, adapter);
        if (begins && writer != null) {
            writer.begin(adapter, ingress.bursts().packet(adapter));
        }
        return begins;
    }

    /** Charges an adapter for a cell that it cut; returns the number of cells for which its links still have room. */
    private int charge(final int adapter, final int bytes, final int room) {
        pots[adapter] -= charge.of(StardustCell.first(0, bytes, ingress.bursts().ends(adapter), 0));
        return pots[adapter] > 0 ? room - 1 : 0;
    }

    private void launch(final long slot, final int adapter, final int to, final long cell, final long second) {
        final long word = writer == null ? cell : writer.write(slot, adapter, cell, second);
        tally.increment(NicCounter.CELLS_INJECTED);
        final int device = first + adapter;
        if (to == device) {
            loopbacks[adapter].add(word, second);
            looping.set(adapter);
            return;
        }
        final int port = forwarding.port(device, word, second, devices);
        if (port == ForwardingTable.NONE) {
            tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
            devices.release(word);
        } else {
            devices.enqueue(slot, device, port, word, second);
        }
    }

    /**
     * Writes the cells that a bank's adapters cut into their frames: lengths and bytes of packets, header and CRC
     * (docs/spec/stardust.md §3.4, §3.5). One thread.
     */
    private final class CellWriter {
        private final CellFrames frames = shared.frames();
        private final Packets packets = shared.packets();
        /**
         * By adapter: the packet with which the next cell continues, and its bytes, including its length, already in
         * cells.
         */
        private final long[] packet;
        private final int[] done;
        private final PacketBytes source;

        CellWriter(final PacketBytes source) {
            this.source = source;
            this.packet = new long[adapters];
            this.done = new int[adapters];
        }

        /** Begins a burst with a packet. */
        void begin(final int adapter, final long first) {
            packet[adapter] = first;
            done[adapter] = 0;
        }

        /**
         * Writes the next cell of a burst.
         *
         * @param word its first word.
         * @return the word with the number of its frame.
         */
        long write(final long slot, final int adapter, final long word, final long second) {
            final int number = frames.open(first + adapter, slot);
            final MemorySegment chunk = frames.chunk(first + adapter, number);
            final long payload = frames.payload(number);
            final int bytes = StardustCell.bytes(word);
            int start = StardustHeader.NO_START;
            int filled = 0;
            while (filled < bytes) {
                final int length = packets.length(packet[adapter]);
                if (done[adapter] == 0 && start == StardustHeader.NO_START) {
                    start = filled;
                }
                filled += fill(adapter, length, chunk, payload + filled, bytes - filled);
                if (done[adapter] == length + CellPacker.PREFIX_BYTES) {
                    packet[adapter] = packets.after(packet[adapter]);
                    done[adapter] = 0;
                }
            }
            final long framed = StardustCell.framed(word, number);
            frames.seal(framed, second, start);
            return framed;
        }

        /**
         * Writes a byte of the length of a packet, or as many of its bytes as there is room for; returns their number.
         */
        private int fill(final int adapter, final int length, final MemorySegment chunk, final long at,
            final int room) {
            final int before = done[adapter];
            int part = 1;
            if (before < CellPacker.PREFIX_BYTES) {
                chunk.set(ValueLayout.JAVA_BYTE, at, (byte) (before == 0 ? length >>> Byte.SIZE : length));
            } else {
                part = Math.min(length + CellPacker.PREFIX_BYTES - before, room);
                source.copy(packet[adapter], before - CellPacker.PREFIX_BYTES, chunk, at, part);
            }
            done[adapter] = before + part;
            return part;
        }
    }

    /**
     * Applies a change of links to the parts of a bank's adapters (docs/spec/stardust.md §6): it updates the number of
     * links of schedulers and of the cutting of cells, drops requests of adapters that are not reached, and makes
     * queues ask again. One thread, that of the bank.
     */
    private final class LinkChanges {
        private static final long NEVER = Long.MAX_VALUE;

        private final int refreshSlots;
        private final int fas;
        /** By adapter and other adapter, whether the former reached the latter at the last change. */
        private final BitSet reached;
        /** The slot in which the queues of each adapter ask again, and the smallest of these slots. */
        private final long[] asksIn;
        private long nextAsk = NEVER;

        /** Creates the state for the links before slot 0; all queues also ask again after some slots. */
        LinkChanges(final int refreshSlots) {
            this.refreshSlots = refreshSlots;
            this.fas = fabric.clos().fas();
            this.reached = new BitSet(adapters * fas);
            this.asksIn = new long[adapters];
            Arrays.fill(asksIn, NEVER);
            for (int local = 0; local < adapters; local++) {
                scheduler.setLinks(local, reach.usable(first + local));
                for (int other = 0; other < fas; other++) {
                    reached.set(local * fas + other, reach.reaches(first + local, other));
                }
            }
        }

        /** Updates an adapter that reaches others than before, or over other links. */
        void onChange(final long slot, final int adapter) {
            final int local = adapter - first;
            scheduler.setLinks(local, reach.usable(adapter));
            for (int other = 0; other < fas; other++) {
                final boolean reaches = reach.reaches(adapter, other);
                if (!reaches) {
                    scheduler.forget(local, other);
                } else if (!reached.get(local * fas + other)) {
                    asksIn[local] = slot + reach.settleSlots();
                    nextAsk = Math.min(nextAsk, asksIn[local]);
                }
                reached.set(local * fas + other, reaches);
            }
        }

        /**
         * Makes queues ask again: those of adapters that reach others again, once both ends know it; and all of them,
         * one after the other, at intervals, as a message may be lost.
         */
        void turnTo(final long slot) {
            for (int local = turn(slot, first, refreshSlots); local < asksIn.length; local += refreshSlots) {
                ask(slot, local);
            }
            if (slot >= nextAsk) {
                nextAsk = NEVER;
                for (int local = 0; local < asksIn.length; local++) {
                    if (asksIn[local] <= slot) {
                        asksIn[local] = NEVER;
                        ask(slot, local);
                    }
                    nextAsk = Math.min(nextAsk, asksIn[local]);
                }
            }
        }

        private void ask(final long slot, final int local) {
            if (!faults.isDown(first + local)) {
                ingress.refresh(slot, local);
            }
        }

        /** Checks that schedulers count the links that reachability tables let their adapters use. */
        void agree() {
            for (int local = 0; local < asksIn.length; local++) {
                Laws.brokenIf(scheduler.links(local) != reach.usable(first + local), "adapter ", first + local,
                    " may use ", reach.usable(first + local), " links and its scheduler counts ",
                    scheduler.links(local));
            }
        }

        /**
         * Returns the first adapter of a bank that has its turn, once in each period. The slot of a turn depends on the
         * adapter alone, as results must not depend on the banks.
         */
        static int turn(final long slot, final int first, final int period) {
            return (int) Math.floorMod(-slot - first, (long) period);
        }
    }

    /**
     * The state that the banks of a run share. One bank writes what lies between two banks in a slot; the other reads
     * it after it has seen that the slot was done, at a barrier or by a {@link dev.skerry.dataplane.circuit.SlotGate}.
     *
     * @param pipes        cells in flight.
     * @param pauses       by bank and slot, the ports by which its devices accept nothing: a pause reaches the other
     *                     end of its link a propagation delay later.
     * @param neighbours   by bank, the banks to which its links lead, possibly itself.
     * @param controls     the messages of each bank that has adapters, which are the first banks.
     * @param flowOutcomes the outcome of each flow.
     * @param packets      all packets.
     * @param ends         the ends of all connections, null unless hosts speak TCP.
     * @param reach        reachability at the start.
     * @param messages     reachability messages in flight, null if nothing ever fails.
     * @param frames       bytes of cells, null unless a run checks them.
     */
    record StardustShared(Pipes pipes, SlotLists[] pauses, int[][] neighbours, SlotLists[] controls,
        FlowOutcomes flowOutcomes, Packets packets, RenoHosts.Ends ends, UpDownReach reach, ReachMessages messages,
        CellFrames frames) {
        /**
         * Creates the state before slot 0.
         *
         * @param only the bank that runs, if others only stand for its neighbours ({@link DeviceRange#around}); or
         *             {@link Pipes#ALL}.
         */
        static StardustShared of(final Arena arena, final Stardust fabric, final FlowSet flows, final Faults faults,
            final ReachTiming healing, final DeviceRange[] shares, final int only, final boolean check) {
            if (flows.waits() != null && (only != Pipes.ALL || !fabric.takesWaits())) {
                throw new IllegalArgumentException("flows that wait for others require a whole fabric with credits, "
                    + "without bounds of queues and without a low-latency class: " + fabric.credits());
            }
            final FoldedClos clos = fabric.clos();
            // A slot overwrites what was sent two delays before; its receiver has read it by then, see SlotGate.
            final int window = 2 * fabric.linkSlots();
            final SlotLists[] controls = new SlotLists[only != Pipes.ALL ? shares.length
                : (int) Arrays.stream(shares).filter(DeviceRange::hasAdapters).count()];
            // The last message is received after 2 n delays, and banks of adapters are up to two delays apart; an
            // element whose link carries it may be up to 2 n - 1 delays behind.
            Arrays.setAll(controls, bank -> new SlotLists((fabric.links().carriesControl() ? 2 * clos.tiers()
                : clos.tiers() + 1) * window));
            final int[] bankOf = DeviceRange.bankOf(clos, shares);
            final int[][] neighbours = Arrays.stream(shares).map(share -> share.neighbours(bankOf))
                .toArray(int[][]::new);
            final Reno reno = fabric.hosts().model() instanceof final Reno rules ? rules : null;
            final FlowOutcomes outcomes = new FlowOutcomes(arena, flows.size(), flows.waits() == null ? null
                : new Releases(flows, fabric.population(), fabric.noticeSlots()));
            return new StardustShared(new Pipes(arena, clos, shares, window, only),
                Arrays.stream(shares).map(share -> new SlotLists(window)).toArray(SlotLists[]::new), neighbours,
                controls, outcomes, Packets.of(arena, fabric, flows),
                reno == null ? null : new RenoHosts.Ends(Sender.table(arena, flows.size(), reno),
                RenoReceiver.table(arena, flows.size(), reno), outcomes),
                new UpDownReach(present(fabric.deployment(), faults)),
                healing.speaks(faults) ? new ReachMessages(clos.ports()) : null,
                check && CellFrames.canCarry(fabric) ? new CellFrames(arena, fabric) : null);
        }

        /**
         * Returns the deployment without devices, and without links in both directions, that are down from the
         * beginning: they may join later.
         */
        private static Deployment present(final Deployment all, final Faults faults) {
            final FoldedClos clos = all.clos();
            final Set<Long> lacking = new HashSet<>();
            Deployment present = all;
            for (final Fault fault : faults.plan().faults()) {
                if (fault instanceof final Fault.Node node && node.slot() == 0 && !node.up()) {
                    present = present.without(node.node());
                } else if (fault instanceof final Fault.Link link && link.slot() == 0 && !link.up()) {
                    lacking.add((long) link.from() << Integer.SIZE | link.to());
                    for (int port = clos.firstPort(link.from()); port < clos.firstPort(link.from() + 1); port++) {
                        if (clos.peer(port) != FoldedClos.NONE && clos.deviceOf(clos.peer(port)) == link.to()
                            && lacking.contains((long) link.to() << Integer.SIZE | link.from())) {
                            present = present.withoutLink(port);
                        }
                    }
                }
            }
            return present;
        }
    }
}
