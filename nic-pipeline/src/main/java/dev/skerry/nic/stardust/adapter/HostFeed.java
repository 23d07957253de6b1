package dev.skerry.nic.stardust.adapter;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.adapter.VoqPolicer.LowLatencyBuckets;
import dev.skerry.nic.stardust.credit.Requests;
import dev.skerry.nic.stardust.fabric.BankCounters;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.VoqRules;
import dev.skerry.nic.stardust.host.PacedHosts;
import dev.skerry.nic.stardust.host.PacedHosts.HostPauses;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;
import dev.skerry.nic.stardust.host.TcpPacket;

import java.util.Arrays;

/**
 * Feeds the queues of a bank's adapters with what hosts send: whole flows at their start, packets of hosts that are
 * paced or speak TCP, or packets of real ports (docs/spec/stardust.md §3.1). One thread.
 */
public final class HostFeed {
    private static final long MOST_BYTES = AdapterIngress.MOST_BYTES;

    private final Stardust fabric;
    private final FlowSet flows;
    private final BankCounters tally;
    private final AdapterIngress ingress;
    /** The queues of the bank, a {@link Requests} each. */
    private final Region queues;
    private final MarkLaw marks;
    private final int first;
    private final int count;
    private final int fas;
    private final int perPair;
    private final int classes;
    private final int[] arrivals;
    private int arrived;
    /** Null unless hosts are paused. */
    private final HostPauses pauses;
    /** Null unless hosts are paced. */
    private final PacedHosts hosts;
    private final PacedHosts.Taker taker;
    private final PortSide.Taker packetTaker = this::takePacket;
    /** Null unless hosts speak TCP. */
    private RenoHosts tcp;
    /** Null unless flows are on demand, as the queue of each flow of the bank. */
    private PortSide side;
    private int[] queueOf;
    /** By flow and by adapter, bytes that join queues in the next slot; null where queues have no bounds. */
    private long[] comingOf;
    private long[] comingTo;
    /** Null unless packets of ports have a low-latency class, class 0. */
    private LowLatencyBuckets buckets;

    /**
     * Nothing has started.
     *
     * @param ingress takes what is sent.
     * @param queues  their records.
     * @param first   the first adapter of the bank.
     * @param count   adapters of the bank.
     */
    HostFeed(final Stardust fabric, final FlowSet flows, final Packets packets, final BankCounters tally,
        final AdapterIngress ingress, final Region queues, final int first, final int count) {
        this.fabric = fabric;
        this.flows = flows;
        this.tally = tally;
        this.ingress = ingress;
        this.queues = queues;
        this.marks = fabric.hosts().signals().marks();
        this.first = first;
        this.count = count;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.classes = fabric.hosts().classes();
        this.taker = ingress::take;
        this.arrivals = flows.isOnDemand() ? new int[0] : own();
        this.pauses = fabric.hosts().signals().pauses() ? new HostPauses(fabric.hosts(), tally, count) : null;
        this.hosts = fabric.hosts().model() instanceof HostModel.Paced ? new PacedHosts(fabric.hosts(), packets,
            count * fabric.hosts().ports(), count * fas * perPair) : null;
    }

    /** Takes in what hosts send in a slot, the flows that start first. */
    public void arrive(final long slot) {
        if (pauses != null) {
            for (int adapter = 0; adapter < count; adapter++) {
                pauses.turn(adapter, ingress.held(adapter));
            }
        }
        if (tcp != null) {
            tcp.hear(slot);
        }
        while (arrived < arrivals.length && flows.startSlot(arrivals[arrived]) <= slot) {
            final int flow = arrivals[arrived++];
            tally.increment(NicCounter.FLOWS_STARTED);
            if (tcp != null) {
                tcp.start(slot, flow);
                continue;
            }
            final int queue = queueOf(flow);
            if (hosts == null) {
                ingress.take(slot, queue, Math.min(flows.bytes(flow), MOST_BYTES));
            } else {
                hosts.start(flows.source(flow) - first * fabric.hosts().ports(), queue, flow);
            }
        }
        if (hosts != null) {
            hosts.send(slot, taker, pauses);
        } else if (tcp != null) {
            tcp.send(slot, pauses);
        }
        if (side != null) {
            side.arrive(slot, packetTaker);
        }
    }

    /** Flows are on demand, and their packets come from ports. */
    public void connect(final PortSide ports) {
        this.side = ports;
        this.queueOf = new int[flows.size()];
        for (final int flow : own()) {
            queueOf[flow] = queueOf(flow);
        }
        if (fabric.credits().voqs().isCapped()) {
            comingOf = new long[flows.size()];
            comingTo = new long[count];
        }
        buckets = fabric.credits().classes().lowLatency() ? new LowLatencyBuckets(fabric, count) : null;
    }

    /**
     * Why a packet of a flow on demand is dropped before it joins its queue, by the counter that has counted it; null
     * if it joins the queue in the next slot.
     */
    public NicCounter refuses(final long slot, final int flow, final int bytes) {
        final int queue = queueOf[flow];
        final boolean isPoliced = buckets != null && queue % classes == 0;
        final NicCounter reason = isPoliced && bytes > buckets.allowed(slot, queue) ? NicCounter.PACKETS_POLICED
            : comingOf == null || admits(flow, queue, bytes) ? null : NicCounter.PACKETS_REFUSED;
        if (reason != null) {
            tally.increment(reason);
        } else if (isPoliced) {
            buckets.take(queue, bytes);
        }
        return reason;
    }

    /** Whether a queue has room for a packet, which is then on its way to it. */
    private boolean admits(final int flow, final int queue, final int bytes) {
        final int adapter = queue / (fas * perPair);
        final VoqRules rules = fabric.credits().voqs();
        if (ingress.bytes(queue) + comingOf[flow] + bytes > rules.queueBytes()
            || ingress.held(adapter) + comingTo[adapter] + bytes > rules.adapterBytes()) {
            return false;
        }
        comingOf[flow] += bytes;
        comingTo[adapter] += bytes;
        return true;
    }

    /** Takes packets from hosts that speak TCP, as long as their queue has room. */
    public RenoHosts.PacketTaker policer(final SentPackets sent) {
        final int most = ((Reno) fabric.hosts().model()).queuePackets();
        return (slot, packet) -> {
            final int stream = sent.stream(packet);
            final int pair = stream / perPair;
            final int queue = ((pair % fas - first) * fas + pair / fas) * perPair + stream % perPair;
            final int log = sent.first(stream);
            final int waiting = sent.written(log) - queues.getInt((long) queue << Requests.SHIFT, Requests.PACKET)
                & Integer.MAX_VALUE;
            if (waiting >= most || !sent.hasRoom(slot, log)) {
                return false;
            }
            sent.add(log, mark(slot, queue, packet));
            ingress.take(slot, queue, sent.bytes(packet));
            return true;
        };
    }

    /** A segment that finds a long queue is marked. */
    private long mark(final long slot, final int queue, final long packet) {
        if (TcpPacket.isAck(packet) || !marks.isMarked(queues.getLong((long) queue << Requests.SHIFT,
            Requests.BYTES), fabric.seed(), slot, packet)) {
            return packet;
        }
        tally.increment(NicCounter.PACKETS_MARKED);
        return TcpPacket.marked(packet);
    }

    /** Hosts speak TCP. */
    public void connect(final RenoHosts hostsOfBank) {
        this.tcp = hostsOfBank;
    }

    private void takePacket(final long slot, final int flow, final int bytes) {
        if (comingOf != null) {
            comingOf[flow] -= bytes;
            comingTo[queueOf[flow] / (fas * perPair)] -= bytes;
        }
        ingress.take(slot, queueOf[flow], bytes);
    }

    private int queueOf(final int flow) {
        final int from = flows.source(flow) / fabric.hosts().ports();
        final int to = flows.destination(flow) / fabric.hosts().ports();
        return ((from - first) * fas + to) * perPair + fabric.hosts().queue(flows.source(flow),
            flows.destination(flow), flows.id(flow), flows.trafficClass(flow));
    }

    /** The flows whose sources are in the bank, in order of their start. */
    private int[] own() {
        final int[] own = new int[flows.size()];
        int size = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final int from = flows.source(flow) / fabric.hosts().ports();
            if (from >= first && from < first + count) {
                own[size++] = flow;
            }
        }
        return Arrays.copyOf(own, size);
    }
}
