package dev.skerry.nic.fattree;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.fattree.LinkPackets.Arrivals;
import dev.skerry.nic.fattree.PacketHosts.HostLink;
import dev.skerry.nic.fattree.PacketHosts.TcpHosts;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.Releases;
import dev.skerry.nic.flow.Releases.ReleaseQueue;
import dev.skerry.nic.host.Connections;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.schedule.FoldedClos;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The hosts and switches of one worker, stepped slot by slot. The order in a slot: faults begin and end, free ports
 * send, packets arrive in order of their ports, timers expire, and flows start. One thread at a time.
 */
final class FatTreeBank {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int NONE = -1;

    final BankCounters tally = new BankCounters();
    final Timeline timeline = new Timeline();
    final SlotHistogram latency = new SlotHistogram();
    final PacketQueues queues;
    final PacketHosts hosts;
    private final FatTree fabric;
    private final FoldedClos clos;
    private final FlowSet flows;
    private final FatTreeEnds ends;
    private final PacketForwarding forwarding;
    private final int[] bankOf;
    /** Packets on the links to each bank, and from each bank. */
    private final LinkPackets[] to;
    private final LinkPackets[] from;
    private final Arrivals arrivals = new Arrivals();
    private final Arrivals.Taker taker = this::take;
    private final PacketFaults faults;
    /**
     * Flows of the bank's hosts in order of start, and the number of started flows; replaced by the queue if flows
     * wait.
     */
    private final int[] own;
    private int started;
    private final ReleaseQueue released;
    private long delayedSlots;
    private long now;
    private long digest;
    /** Number of control packets that hosts of the bank have sent, minus those that they received. */
    private long controlSent;

    /**
     * State of connections that banks share. Each record is used by one bank only: that of the source or of the
     * destination.
     *
     * @param received by flow, bytes of the segments that have arrived, without duplicates.
     */
    record FatTreeEnds(Connections connections, Region senders, Region receivers, long[] received,
        FlowOutcomes outcomes) {
        static FatTreeEnds of(final Arena arena, final FatTree fabric, final FlowSet flows) {
            return new FatTreeEnds(Connections.of(flows, fabric.rules().packetBytes(), fabric.hosts()),
                Sender.table(arena, flows.size(), fabric.hosts()),
                RenoReceiver.table(arena, flows.size(), fabric.hosts()), new long[flows.size()],
                new FlowOutcomes(arena, flows.size(), flows.waits() == null ? null
                : new Releases(flows, fabric.population(), fabric.noticeSlots())));
        }
    }

    /**
     * Creates a bank before the first slot.
     *
     * @param bank   number of the bank.
     * @param bankOf the bank of every device.
     * @param links  by sending and receiving bank, the packets on links.
     */
    FatTreeBank(final FatTree fabric, final int bank, final int[] bankOf, final LinkPackets[][] links,
        final FatTreeEnds ends, final Faults faults) {
        this.fabric = fabric;
        this.clos = fabric.clos();
        this.flows = ends.connections().flows();
        this.ends = ends;
        this.bankOf = bankOf;
        this.to = links[bank];
        this.from = IntStream.range(0, links.length).mapToObj(sender -> links[sender][bank])
            .toArray(LinkPackets[]::new);
        final boolean[] isOwn = new boolean[clos.devices()];
        IntStream.range(0, isOwn.length).forEach(device -> isOwn[device] = bankOf[device] == bank);
        final int[] ofHosts = IntStream.range(0, clos.fas()).filter(host -> isOwn[host]).toArray();
        this.queues = fabric.trims() ? new NdpQueues(fabric, isOwn, tally, this::launch, this::forward)
            : new PacketQueues(fabric, isOwn, tally, this::launch);
        this.hosts = fabric.trims() ? new NdpHosts(fabric, ends, tally, new Ports(), ofHosts[0], ofHosts.length)
            : new TcpHosts(fabric, ends, tally, new Ports());
        this.forwarding = new PacketForwarding(fabric, isOwn);
        this.faults = faults.isEmpty() ? null : new PacketFaults(faults, isOwn);
        this.own = IntStream.range(0, flows.size()).filter(flow -> isOwn[flows.source(flow)]).toArray();
        this.released = ends.outcomes().releases() == null ? null : ends.outcomes().releases().queue(
            new NodeRange(ofHosts[0], ofHosts[0] + ofHosts.length), own);
    }

    /** Runs one slot of all devices of the bank. */
    void step(final long slot) {
        now = slot;
        if (faults != null) {
            faults.turn(slot);
        }
        queues.turn(slot);
        final long before = tally.count(NicCounter.CELLS_DELIVERED);
        for (final LinkPackets sender : from) {
            sender.take(slot, arrivals);
        }
        arrivals.drain(taker);
        hosts.turn(slot);
        for (int flow = next(slot); flow != NONE; flow = next(slot)) {
            tally.increment(NicCounter.FLOWS_STARTED);
            hosts.start(slot, flow);
        }
        delayedSlots += released != null && released.isDelayed() ? 1 : 0;
        timeline.add(slot, tally.count(NicCounter.CELLS_DELIVERED) - before);
    }

    private int next(final long slot) {
        if (released != null) {
            return released.poll(slot);
        }
        return started < own.length && flows.startSlot(own[started]) <= slot ? own[started++] : NONE;
    }

    /** The next slot in which something happens in the bank unless a packet arrives from another bank. */
    long idleUntil(final long slot) {
        if (!queues.isEmpty() || !hosts.isIdle()) {
            return slot;
        }
        for (final LinkPackets link : to) {
            if (!link.isEmpty()) {
                return slot;
            }
        }
        final long start = released != null ? released.nextSlot()
            : started < own.length ? flows.startSlot(own[started]) : Long.MAX_VALUE;
        return Math.max(slot, Math.min(start, faults == null ? Long.MAX_VALUE : faults.next()));
    }

    /** A number that grows while segments arrive or a released flow waits for its delay. */
    long moves() {
        return tally.count(NicCounter.CELLS_DELIVERED) + delayedSlots;
    }

    /** 64 bits over every packet that reached a host: a sum of hashes of slot, host and both words. */
    long digest() {
        return digest;
    }

    /** Cells in queues and on the links from the bank. */
    long held() {
        return sum(fabric::cells);
    }

    /** Control packets sent or made by trimming, less those received, lost or held: 0 over all banks. */
    long controlMissing() {
        return controlSent + tally.count(NicCounter.CELLS_TRIMMED) - tally.count(NicCounter.CONTROL_LOST)
            - sum(word -> PacketWord.isControl(word) ? 1 : 0);
    }

    private long sum(final LongUnaryOperator of) {
        return queues.sum(of) + Arrays.stream(to).mapToLong(link -> link.sum(of)).sum();
    }

    private void launch(final long slot, final int port, final long first, final long second) {
        to[bankOf[clos.deviceOf(port)]].add(slot, port, first, second);
    }

    private void take(final int port, final long first, final long second) {
        final int device = clos.deviceOf(port);
        final int kind = PacketWord.kind(second);
        if (faults != null && faults.loses(port, device, first, second)) {
            return;
        }
        if (kind == PacketWord.PAUSE) {
            queues.pause(port);
        } else if (kind == PacketWord.RESUME) {
            queues.resume(now, port);
        } else if (device < clos.fas()) {
            deliver(device, first, second);
        } else {
            forward(device, first, second);
        }
    }

    private void deliver(final int host, final long first, final long second) {
        final int cells = fabric.cells(second);
        if (cells > 0) {
            tally.add(NicCounter.CELLS_DELIVERED, cells);
            tally.increment(NicCounter.PACKETS_DELIVERED);
            latency.record(PacketWord.age(second, now, fabric.sprays()), cells);
        } else {
            controlSent--;
        }
        digest += CounterRandom.mix(CounterRandom.mix(now * GOLDEN + host) + first * GOLDEN + second);
        hosts.receive(now, host, first, second);
    }

    private void forward(final int device, final long first, final long second) {
        final int flow = ends.connections().flow((int) (first >>> Integer.SIZE));
        final int host = PacketWord.goesBack(second) ? flows.source(flow) : flows.destination(flow);
        final int port = forwarding.port(device, host, first, second, faults == null ? null : faults.seen);
        if (port == PacketForwarding.NONE) {
            drop(NicCounter.DROPPED_NO_ROUTE, device, second);
        } else if (!queues.join(now, port, first, second)) {
            if (PacketWord.kind(second) == PacketWord.HEADER) {
                forward(device, first, PacketWord.as(second, PacketWord.RETURNED, PacketWord.bytes(second)));
                return;
            }
            drop(NicCounter.DROPPED_TAIL, device, second);
        }
    }

    private void drop(final NicCounter reason, final int device, final long second) {
        if (PacketWord.isControl(second)) {
            tally.increment(NicCounter.CONTROL_LOST);
        } else if (reason == NicCounter.DROPPED_TAIL) {
            // A full queue is not a failure.
            tally.add(reason, fabric.cells(second));
        } else {
            tally.drop(reason, now, device);
            tally.add(reason, fabric.cells(second) - 1L);
        }
    }

    /** The ports of the bank's hosts. */
    private final class Ports implements HostLink {
        @Override
        public void send(final long slot, final int host, final long first, final long second) {
            tally.add(NicCounter.CELLS_INJECTED, fabric.cells(second));
            controlSent += PacketWord.isControl(second) ? 1 : 0;
            if (faults != null && faults.seen.isDown(host)) {
                drop(NicCounter.DROPPED_NODE_DOWN, host, second);
            } else if (faults != null && PacketForwarding.isLost(faults.seen, host,
                clos.deviceOf(clos.peer(clos.firstPort(host))))) {
                drop(NicCounter.DROPPED_NO_ROUTE, host, second);
            } else {
                queues.enqueue(slot, clos.firstPort(host), first, second);
            }
        }

        @Override
        public long backlog(final long slot, final int host) {
            return queues.backlog(slot, clos.firstPort(host));
        }
    }

    /**
     * Faults as seen by the devices of the bank (docs/spec/fattree.md §5): packets that wait for a link that goes down
     * are lost, and so are packets on the link. One thread, that of the bank.
     */
    private final class PacketFaults {
        final FaultState seen;
        private final FaultState heard;
        private final boolean[] isOwn;
        private final boolean[] cut = new boolean[clos.ports()];
        /** Slots in which a fault begins or ends, or other switches are notified of it. */
        private final long[] changes;
        private int passed;

        PacketFaults(final Faults faults, final boolean[] isOwn) {
            this.seen = faults.state(clos.devices());
            this.heard = faults.state(clos.devices());
            this.isOwn = isOwn;
            this.changes = faults.plan().faults().stream().mapToLong(Fault::slot)
                .flatMap(slot -> LongStream.of(slot, slot + fabric.rerouteSlots())).sorted().toArray();
        }

        long next() {
            return passed < changes.length ? changes[passed] : Long.MAX_VALUE;
        }

        void turn(final long slot) {
            while (passed < changes.length && changes[passed] <= slot) {
                passed++;
            }
            if (seen.turnTo(slot)) {
                for (int port = 0; port < clos.ports(); port++) {
                    if (isOwn[clos.deviceOf(port)] && clos.peer(port) != FoldedClos.NONE) {
                        look(slot, port);
                    }
                }
            }
            if (slot >= fabric.rerouteSlots() && heard.turnTo(slot - fabric.rerouteSlots())) {
                forwarding.learn(heard);
            }
        }

        private void look(final long slot, final int port) {
            final int device = clos.deviceOf(port);
            final boolean isCut = PacketForwarding.isLost(seen, device, clos.deviceOf(clos.peer(port)));
            if (isCut) {
                final NicCounter reason = seen.isDown(device) ? NicCounter.DROPPED_NODE_DOWN
                    : NicCounter.DROPPED_WITH_LINK;
                for (long second = queues.lose(slot, port); second != 0; second = queues.lose(slot, port)) {
                    drop(reason, device, second);
                }
            } else if (cut[port]) {
                queues.renew(slot, port);
            }
            cut[port] = isCut;
        }

        /** Whether an arrival at a port is lost; lost packets are counted. */
        boolean loses(final int port, final int device, final long first, final long second) {
            final int peer = clos.deviceOf(clos.peer(port));
            final boolean isLost = seen.isLost(peer, device);
            if (PacketWord.kind(second) >= PacketWord.PAUSE) {
                return isLost;
            }
            if (isLost) {
                drop(NicCounter.DROPPED_ON_WAY, device, second);
            } else if (seen.mayDamage(peer, device) && seen.isDamaged(peer, device, (int) CounterRandom.mix(first)
                ^ port, 0)) {
                tally.increment(NicCounter.CELLS_DAMAGED);
                drop(NicCounter.DROPPED_DAMAGED, device, second);
                return true;
            }
            return isLost;
        }
    }
}
