package dev.skerry.nic.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.fabric.PacketEdge;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.adapter.AdapterCells;
import dev.skerry.nic.stardust.adapter.AdapterEgress;
import dev.skerry.nic.stardust.adapter.AdapterIngress;
import dev.skerry.nic.stardust.adapter.ControlIntake;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.credit.EgressScheduler;
import dev.skerry.nic.stardust.element.ElementIntake;
import dev.skerry.nic.stardust.element.ElementIntake.PortArrivals;
import dev.skerry.nic.stardust.element.ElementIntake.PortFaults;
import dev.skerry.nic.stardust.element.LinkForwarder;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.IndexSet;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.PacketBytes;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.PortSide.PortPackets;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;
import dev.skerry.nic.stardust.reach.ForwardingTable;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A share of a fabric's devices, stepped slot by slot: what one worker or agent does. One thread at a time.
 *
 * <p>In a slot, in this order: messages and cells that come are taken in, flows that start join their queues, adapters
 * cut what credits released and spray it over their links, schedulers hand out credits, and every link sends.
 */
final class StardustBank {
    /** Slots between two sweeps of a stream for cells that are overdue. */
    private static final int SWEEP_SLOTS = 64;

    private final Stardust fabric;
    private final FlowSet flows;
    private final DeviceRange share;
    private final StardustShared shared;
    private final BankCounters tally = new BankCounters();
    private final ForwardingTable forwarding;
    private final LinkForwarder devices;
    private final PortArrivals arrivals;
    private final ElementIntake elements;
    /** Null where the bank has no adapters, up to the messages. */
    private final Control control;
    private final AdapterIngress ingress;
    private final AdapterEgress egress;
    private final EgressScheduler scheduler;
    private final ControlIntake messages;
    /** Null unless hosts speak TCP. */
    private final RenoHosts tcp;
    private final AdapterCells cells;
    private final Timeline timeline = new Timeline();
    /** Null where nothing ever fails, as the three after it. */
    private final FaultState faults;
    private final StardustReach reach;
    private final LinkChanges changes;
    /** By device from the lowest on. */
    private final boolean[] down;
    private final int first;
    private final int adapters;
    /** Null where flows are not on demand. */
    private PortSide side;

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
        for (int tier = 0; tier <= fabric.clos().tiers(); tier++) {
            for (int device = share.first(tier); device < share.end(tier); device++) {
                forwarding.learn(device, shared.reach(), healing.bringUp());
            }
        }
        this.devices = new LinkForwarder(arena, fabric, share, shared.pipes(), shared.pauses(), shared.frames(), tally);
        this.ingress = any ? new AdapterIngress(arena, fabric, flows, shared.packets(), control, tally, first, adapters)
            : null;
        this.egress = any ? new AdapterEgress(arena, fabric, flows, shared.packets(), tally, shared.flowOutcomes(),
            first, adapters) : null;
        if (any && shared.frames() != null) {
            egress.read(arena, shared.frames(), (flow, packet, offset, to, at, bytes) -> (side == null
                ? PacketBytes.MADE_UP : side).copy(flow, packet, offset, to, at, bytes));
        }
        this.tcp = any && shared.ends() != null ? connectHosts() : null;
        this.scheduler = any ? new EgressScheduler(fabric, egress.ports(), control, tally, first, adapters) : null;
        this.faults = healing.speaks(faults) ? faults.state(clos.devices()) : null;
        this.reach = this.faults == null ? null : new StardustReach(fabric, share, healing, this.faults,
            shared.messages(), forwarding, shared.reach(), this::onChange);
        this.changes = reach == null || !any ? null
            : new LinkChanges(healing.refreshSlots());
        this.messages = any ? new ControlIntake(fabric, share, shared.controls(), ingress, scheduler, tally,
            this.faults, reach) : null;
        final PortFaults portFaults = reach == null ? null
            : new PortFaults(clos, this.faults, reach, shared.frames(), tally);
        this.arrivals = new PortArrivals(fabric, share, shared.pipes());
        this.elements = new ElementIntake(fabric, share, arrivals, forwarding, devices, portFaults, tally);
        this.cells = any ? new AdapterCells(fabric, share, arrivals, forwarding, devices, new AdapterCells.Parts(
            ingress, egress, scheduler, shared.packets(), shared.frames()), portFaults, tally) : null;
        devices.connect(fabric, shared.controls(), reach);
        this.down = new boolean[share.span()];
        if (reach != null && any) {
            ingress.freeze(reach);
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

    /** Flows are on demand: packets come from an edge and go back; it knows of the cells of these elements too. */
    void connect(final PacketEdge edge, final ElementCells elements) {
        side = new PortSide(edge, (PortPackets) shared.packets(), flows.size(),
            () -> held() + egress.held() + ingress.held() + elements.held(),
            () -> tally.count(NicCounter.CELLS_INJECTED) + elements.sent(), ingress.feed()::refuses);
        ingress.feed().connect(side);
        egress.connect(side);
        cells.connect(side);
    }

    /** Where packets of ports come in and out, or null. */
    PortSide side() {
        return side;
    }

    /** One slot of all devices of the bank. */
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
        messages.hear(slot);
        cells.receive(slot);
        cells.loop(slot);
        ingress.feed().arrive(slot);
        final IndexSet granted = ingress.granted();
        for (int a = 0; fabric.credits().voqs().givesUp() && a < adapters; a++) {
            ingress.giveUp(slot, a);
        }
        for (int a = granted.next(0, adapters); a < adapters; a = granted.next(a + 1, adapters)) {
            if ((faults == null || !faults.isDown(first + a)) && !cells.cut(slot, a)) {
                granted.remove(a);
            }
        }
        if (fabric.pull()) {
            scheduler.issue(slot);
        }
        timeline.endBefore(slot + 1);
        timeline.add(slot, tally.count(NicCounter.CELLS_DELIVERED) - before);
    }

    /** Faults begin and end, reachability messages travel, and adapters repeat requests that may be lost. */
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

    /** Links of an adapter of the bank that its scheduler counts. */
    int links(final int adapter) {
        return scheduler.links(adapter - first);
    }

    /** Hands out the credits of the bank's adapters. */
    EgressScheduler scheduler() {
        return scheduler;
    }

    /** The faults are those of the end of a slot, as if the bank had come by all slots before it. */
    void replayFaults(final long slot) {
        faults.turnTo(slot);
    }

    /** Checks that the bank's adapters count the links that they may use, and that no element holds too much. */
    void agreeOnLinks() {
        devices.checkPools();
        if (changes != null) {
            changes.agree();
        }
    }

    long count(final NicCounter counter) {
        return tally.count(counter);
    }

    BankCounters tally() {
        return tally;
    }

    /** Cells delivered over time. */
    Timeline timeline() {
        return timeline;
    }

    /** Which links lead where. */
    ForwardingTable forwarding() {
        return forwarding;
    }

    /** A number that grows as long as the bank's adapters send or get any cells. */
    long moves() {
        return count(NicCounter.CELLS_DELIVERED) + count(NicCounter.CELLS_INJECTED);
    }

    DeviceRange share() {
        return share;
    }

    LinkForwarder devices() {
        return devices;
    }

    AdapterIngress ingress() {
        return ingress;
    }

    AdapterEgress egress() {
        return egress;
    }

    /** The hosts of the bank's adapters. */
    RenoHosts tcp() {
        if (tcp == null) {
            throw new IllegalStateException("hosts do not speak TCP");
        }
        return tcp;
    }

    /** Cells in queues, between slots and in windows, those under way on links not counted. */
    long held() {
        return devices.held() + (cells == null ? 0 : cells.looped());
    }

    /**
     * Tells the parts of a bank's adapters what a change of links means to them (docs/spec/stardust.md §6): schedulers
     * and what cuts cells how many links are left, schedulers whose requests to forget, and queues when to ask again.
     * One thread, that of the bank.
     */
    private final class LinkChanges {
        private static final long NEVER = Long.MAX_VALUE;

        private final int refreshSlots;
        private final int fas;
        /** By adapter and other, whether the one reached the other when it was last looked at. */
        private final BitSet reached;
        /** By adapter, the slot in which its queues ask again; and the least of them. */
        private final long[] asksIn;
        private long nextAsk = NEVER;

        /** All is known as it stands before slot 0; after some slots queues ask again in any case. */
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

        /** An adapter reaches others than before, or over other links. */
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
         * Queues ask again: those of adapters that reach others again once both ends know of it, and all in turn from
         * time to time, as a message may be lost.
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
                if (scheduler.links(local) != reach.usable(first + local)) {
                    throw new IllegalStateException("adapter " + (first + local) + " may use "
                        + reach.usable(first + local)
                        + " links and its scheduler counts " + scheduler.links(local));
                }
            }
        }

        /**
         * The first adapter of a bank whose turn it is, once in each period. Its slot depends on the adapter alone, as
         * results must not depend on the banks.
         */
        static int turn(final long slot, final int first, final int period) {
            return (int) Math.floorMod(-slot - first, (long) period);
        }
    }
}
