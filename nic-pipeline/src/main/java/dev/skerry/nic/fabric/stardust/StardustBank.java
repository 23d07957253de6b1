package dev.skerry.nic.fabric.stardust;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.NicCounter;
import dev.skerry.nic.Timeline;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.UpDownReach;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * A share of a fabric's devices, stepped slot by slot: what one worker does. One thread at a time.
 *
 * <p>In a slot, in this order: messages and cells that come are taken in, flows that start join their queues, adapters
 * cut what credits released and spray it over their links, schedulers hand out credits, and every link sends.
 */
final class StardustBank {
    /** How often streams are looked at for cells that are not waited for any longer. */
    private static final int SWEEP_SLOTS = 64;

    private final Stardust fabric;
    private final FoldedClos clos;
    private final Share share;
    private final Shared shared;
    private final Tally tally = new Tally();
    private final Forwarding forwarding;
    private final Devices devices;
    private final Ingress ingress;
    private final Egress egress;
    private final EgressScheduler scheduler;
    private final Control control;
    private final Loopback[] loopbacks;
    private final Timeline timeline = new Timeline();
    /** Null where nothing ever fails, as the two after it. */
    private final FaultState faults;
    private final StardustReach reach;
    private final Wires wires;
    private final boolean[] down;
    private final int refreshSlots;
    private final int first;
    private final int propagation;
    private final int levels;

    /**
     * What banks have in common.
     *
     * @param pipes     cells under way.
     * @param pauses    who paused.
     * @param controls  the messages of each bank.
     * @param flowTable what came of each flow.
     * @param packets   all packets.
     * @param reach     who reaches whom at the start.
     * @param messages  reachability messages under way, null where nothing ever fails.
     */
    record Shared(Pipes pipes, Pauses pauses, Control[] controls, Region flowTable, Packets packets,
        UpDownReach reach, ReachMessages messages) {

        /** Before slot 0. */
        static Shared of(final Arena arena, final Stardust fabric, final FlowSet flows, final Faults faults,
            final int banks) {
            final FoldedClos clos = fabric.clos();
            final int window = 2 * fabric.linkSlots();
            final Control[] controls = new Control[banks];
            Arrays.setAll(controls, bank -> new Control((2 * clos.tiers() + 1) * fabric.linkSlots() + 1));
            return new Shared(new Pipes(arena, clos.ports(), window), new Pauses(clos.devices(), banks, window),
                controls, Egress.flowTable(arena, flows.size()), new Packets(flows, streams(fabric, flows),
                clos.fas() * clos.fas() * fabric.hosts().queues(), fabric.cut().packetBytes()),
                new UpDownReach(present(fabric.deployment(), faults)),
                faults.isEmpty() ? null : new ReachMessages(clos.ports()));
        }

        /** Elements that are down from the beginning are not there yet: the fabric may grow by them. */
        private static Deployment present(final Deployment all, final Faults faults) {
            Deployment present = all;
            for (final Fault fault : faults.plan().faults()) {
                if (fault instanceof final Fault.Node node && node.slot() == 0 && !node.up()
                    && node.node() >= all.clos().fas()) {
                    present = present.without(node.node());
                }
            }
            return present;
        }

        /** The stream of each flow, by destination, source and number of the queue. */
        private static int[] streams(final Stardust fabric, final FlowSet flows) {
            final HostSide hosts = fabric.hosts();
            final int[] streams = new int[flows.size()];
            for (int flow = 0; flow < streams.length; flow++) {
                final int from = flows.source(flow) / hosts.ports();
                final int to = flows.destination(flow) / hosts.ports();
                streams[flow] = (to * fabric.clos().fas() + from) * hosts.queues() + hosts.queue(flows.source(flow),
                    flows.destination(flow), flows.id(flow), flows.trafficClass(flow));
            }
            return streams;
        }
    }

    StardustBank(final Arena arena, final Stardust fabric, final FlowSet flows, final Share share,
        final Shared shared, final Faults faults, final Healing healing) {
        this.fabric = fabric;
        this.clos = fabric.clos();
        this.share = share;
        this.shared = shared;
        this.first = share.first(0);
        final int adapters = share.end(0) - first;
        this.propagation = fabric.linkSlots();
        this.levels = clos.tiers();
        this.control = shared.controls[share.bank()];
        this.forwarding = new Forwarding(clos, fabric.seed(), fabric.links().spraying());
        for (int tier = 0; tier <= levels; tier++) {
            for (int device = share.first(tier); device < share.end(tier); device++) {
                forwarding.learn(device, shared.reach);
            }
        }
        this.devices = new Devices(arena, fabric, share, shared.pipes, shared.pauses, forwarding, tally);
        this.ingress = new Ingress(arena, fabric, flows, shared.packets, control, tally, first, adapters);
        this.egress = new Egress(arena, fabric, flows, shared.packets, tally, shared.flowTable, first, adapters);
        this.scheduler = new EgressScheduler(fabric, egress.ports(), control, tally, first, adapters);
        this.loopbacks = new Loopback[adapters];
        for (int adapter = 0; adapter < adapters; adapter++) {
            loopbacks[adapter] = new Loopback();
        }
        this.faults = faults.isEmpty() ? null : faults.state(clos.devices());
        this.reach = faults.isEmpty() ? null : new StardustReach(fabric, share, healing, this.faults,
            shared.messages, forwarding, shared.reach, this::onChange);
        this.wires = faults.isEmpty() ? null : new Wires(clos, this.faults, reach, forwarding, tally);
        this.down = new boolean[clos.devices()];
        this.refreshSlots = healing.refreshSlots();
        if (reach != null) {
            devices.connect(wires);
            ingress.freeze(reach);
        }
    }

    /** One slot of all devices of the bank. */
    void step(final long slot) {
        final long before = tally.count(NicCounter.CELLS_DELIVERED);
        control.begin(slot);
        if (faults != null) {
            heal(slot);
        }
        hear(slot);
        if (slot >= propagation) {
            devices.receive(slot);
            receive(slot);
        }
        for (int adapter = 0; adapter < loopbacks.length; adapter++) {
            loop(slot, adapter);
        }
        ingress.arrive(slot);
        for (int adapter = 0; adapter < loopbacks.length; adapter++) {
            if (faults == null || !faults.isDown(first + adapter)) {
                cut(slot, adapter);
            }
        }
        if (fabric.pull()) {
            scheduler.issue(slot);
        }
        devices.transmit(slot);
        timeline.add(slot, tally.count(NicCounter.CELLS_DELIVERED) - before);
    }

    /** Faults begin and end, devices tell one another whom they reach, and what may be lost is asked for again. */
    private void heal(final long slot) {
        if (faults.turnTo(slot)) {
            for (int tier = 0; tier <= levels; tier++) {
                for (int device = share.first(tier); device < share.end(tier); device++) {
                    if (faults.isDown(device) && !down[device]) {
                        devices.lose(slot, device);
                    }
                    down[device] = faults.isDown(device);
                    if (tier == 0) {
                        scheduler.setSilent(device - first, down[device]);
                    }
                }
            }
        }
        reach.hear(slot);
        reach.speak(slot);
        for (int adapter = 0; adapter < loopbacks.length; adapter++) {
            // When depends on the adapter alone: the result must not depend on the banks.
            if ((slot + first + adapter) % SWEEP_SLOTS == 0) {
                egress.sweep(slot, adapter);
            }
            if ((slot + first + adapter) % refreshSlots == 0 && !down[first + adapter]) {
                ingress.refresh(slot, adapter);
            }
        }
    }

    /** An adapter reaches others than before, or over other links. */
    private void onChange(final int adapter) {
        scheduler.setLinks(adapter - first, reach.usable(adapter));
        for (int other = 0; other < clos.fas(); other++) {
            if (!reach.reaches(adapter, other)) {
                scheduler.forget(adapter - first, other);
            }
        }
    }

    long count(final NicCounter counter) {
        return tally.count(counter);
    }

    Tally tally() {
        return tally;
    }

    /** Cells delivered over time. */
    Timeline timeline() {
        return timeline;
    }

    /** Cells lost under any name. */
    long dropped() {
        long sum = 0;
        for (final NicCounter drop : NicCounter.DROPS) {
            sum += tally.count(drop);
        }
        return sum;
    }

    /** A number that grows as long as anything happens. */
    long moves() {
        return tally.count(NicCounter.CELLS_DELIVERED) + tally.count(NicCounter.CREDITS_SENT) + dropped();
    }

    Share share() {
        return share;
    }

    Devices devices() {
        return devices;
    }

    Ingress ingress() {
        return ingress;
    }

    Egress egress() {
        return egress;
    }

    EgressScheduler scheduler() {
        return scheduler;
    }

    /** Cells in queues, between slots and in windows, those under way on links not counted. */
    long held() {
        long held = devices.held();
        for (final Loopback loopback : loopbacks) {
            held += loopback.size();
        }
        return held;
    }

    /** Messages that come in this slot, from near to far, each bank's in the order they were sent. */
    private void hear(final long slot) {
        for (int level = 1; level <= levels; level++) {
            final long sent = slot - 2L * level * propagation;
            for (int bank = 0; sent >= 0 && bank < shared.controls.length; bank++) {
                hear(slot, sent, level, shared.controls[bank]);
            }
        }
    }

    private void hear(final long slot, final long sent, final int level, final Control from) {
        final long[] messages = from.list(sent);
        final int count = from.count(sent);
        for (int i = 0; i < count; i++) {
            final int target = Control.target(messages[i]);
            final int issuer = Control.issuer(messages[i]);
            if (target >= first && target < first + loopbacks.length && meetAt(target, issuer) == level
                && (reach == null || !down[target] && reach.reaches(target, issuer))) {
                final int queue = Control.queue(messages[i]);
                if (Control.kind(messages[i]) == Control.CREDIT) {
                    ingress.credit(slot, target, issuer, queue);
                } else {
                    scheduler.request(target, issuer, queue, Control.kind(messages[i]) == Control.WANT);
                }
            }
        }
    }

    /** The tier up to which a shortest way between two adapters goes, at least 1. */
    private int meetAt(final int one, final int other) {
        int level = 1;
        while (level < levels && clos.subTreeOf(one, level) != clos.subTreeOf(other, level)) {
            level++;
        }
        return level;
    }

    private void receive(final long slot) {
        final long row = shared.pipes.row(slot - propagation);
        for (int device = first; device < first + loopbacks.length; device++) {
            final int end = clos.firstPort(device + 1);
            for (int port = clos.firstPort(device); port < end; port++) {
                final int from = clos.peer(port);
                final long word = from == FoldedClos.NONE ? 0 : shared.pipes.first(row, from);
                if (word != 0 && (wires == null || !wires.loses(slot, from, port))) {
                    scheduler.onCell(device - first, StardustCell.fci(word));
                    egress.receive(slot, device - first, word, shared.pipes.second(row, from));
                }
            }
        }
    }

    private void loop(final long slot, final int adapter) {
        final Loopback loopback = loopbacks[adapter];
        for (int i = 0; i < loopback.size(); i++) {
            egress.receive(slot, adapter, loopback.first(i), loopback.second(i));
        }
        loopback.clear();
    }

    /** An adapter cuts as many cells as it has links. */
    private void cut(final long slot, final int adapter) {
        final Bursts bursts = ingress.bursts();
        final int device = first + adapter;
        int room = clos.ports(device);
        while (room > 0 && (bursts.left(adapter) > 0 || ingress.begin(slot, adapter))) {
            final int to = bursts.to(adapter);
            final long route = StardustCell.route(to, device, fabric.order(bursts.queue(adapter)));
            while (room > 0 && bursts.left(adapter) > 0) {
                final long second = StardustCell.second(bursts.queue(adapter), bursts.number(adapter),
                    bursts.place(adapter));
                final int bytes = bursts.cut(adapter);
                launch(slot, adapter, to, StardustCell.first(route, bytes, bursts.left(adapter) == 0, slot), second);
                room--;
            }
        }
    }

    private void launch(final long slot, final int adapter, final int to, final long word, final long second) {
        tally.increment(NicCounter.CELLS_INJECTED);
        final int device = first + adapter;
        if (to == device) {
            loopbacks[adapter].add(word, second);
            return;
        }
        final int port = forwarding.port(device, word, second);
        if (port == Forwarding.NONE) {
            tally.drop(NicCounter.DROPPED_NO_ROUTE, slot, device);
        } else {
            devices.enqueue(slot, device, port, word, second);
        }
    }
}
