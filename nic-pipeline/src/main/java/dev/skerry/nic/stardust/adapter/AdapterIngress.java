package dev.skerry.nic.stardust.adapter;

import static dev.skerry.nic.stardust.adapter.Requests.BALANCE;
import static dev.skerry.nic.stardust.adapter.Requests.BYTES;
import static dev.skerry.nic.stardust.adapter.Requests.FROZEN;
import static dev.skerry.nic.stardust.adapter.Requests.HEAD;
import static dev.skerry.nic.stardust.adapter.Requests.NUMBER;
import static dev.skerry.nic.stardust.adapter.Requests.PLACE;
import static dev.skerry.nic.stardust.adapter.Requests.STATE;

import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.Releases;
import dev.skerry.nic.flow.Releases.ReleaseQueue;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.host.MarkLaw;
import dev.skerry.nic.host.TcpPacket;
import dev.skerry.nic.stardust.adapter.VoqPolicer.Gaps;
import dev.skerry.nic.stardust.adapter.VoqPolicer.LowLatencyBuckets;
import dev.skerry.nic.stardust.element.StardustReach;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.PacedHosts;
import dev.skerry.nic.stardust.host.PacedHosts.HostPauses;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.PortSide;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.SentPackets;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * The ingress side of a bank's adapters: queues by destination, their requests, and what a credit releases
 * (docs/spec/stardust.md §3.1 to §3.4). A queue is a record ({@link Requests}); the packets in it are computed, not
 * stored ({@link Packets}). One thread.
 */
public final class AdapterIngress {
    private static final int NONE = -1;
    /** Slots between two checks whether a queue has waited too long. */
    private static final int LOOK_SLOTS = 256;
    static final long MOST_BYTES = 1L << 60;

    private final Stardust fabric;
    private final Credits credit;
    private final Packets packets;
    private final Requests requests;
    private final BankCounters tally;
    private final Region queues;
    private final int first;
    private final int count;
    private final int fas;
    private final int perPair;
    private final int classes;
    private final boolean continuous;
    private final boolean simple;
    /**
     * Queues that may send, by adapter and class; the adapters that have such queues; and whether each queue is one of
     * them.
     */
    private final LongFifo[] fifos;
    private final QueueBits granted;
    private final BitSet waiting;
    private final long[] maxHeld;
    private final long[] held;
    private final Bursts bursts;
    private final HostFeed feed;
    /** Null if no packet is ever dropped at its ingress, like the field after it. */
    private final VoqPolicer policer;
    private final Gaps gaps;
    /**
     * Bytes of each queue's stream that were abandoned in a row, and the number of the cell that follows them
     * (docs/spec/stardust.md §3.2, state DELETE). Receivers detect the missing bytes by the places of the next cells.
     * Null if queues wait without a bound.
     */
    private final long[] missing;
    private final int[] numbers;
    /** Number of classes that need no credit: all if the fabric pushes. */
    private final int pushed;
    /** Null if nothing ever fails. */
    private StardustReach reach;

    /**
     * Creates empty queues.
     *
     * @param first the first adapter of the bank.
     * @param count number of adapters of the bank.
     */
    public AdapterIngress(final Arena arena, final Stardust fabric, final FlowSet flows, final Packets packets,
        final SlotLists control, final BankCounters tally, final int first, final int count) {
        this.fabric = fabric;
        this.credit = fabric.credits();
        this.packets = packets;
        this.tally = tally;
        this.first = first;
        this.count = count;
        this.fas = fabric.clos().fas();
        this.perPair = fabric.hosts().queues();
        this.classes = fabric.hosts().classes();
        this.continuous = fabric.cut().continuous();
        this.simple = fabric.cut().simple();
        this.queues = Region.allocate(arena, bytes(count, fas, perPair));
        this.requests = new Requests(fabric, control, tally, queues, count * fas * perPair, first);
        this.fifos = LongFifo.of(count * classes);
        this.granted = new QueueBits(count);
        this.waiting = new BitSet(count * fas * perPair);
        this.held = new long[count];
        this.maxHeld = new long[count];
        this.bursts = new Bursts(fabric, packets, count);
        this.feed = new HostFeed(flows);
        this.pushed = fabric.pull() ? fabric.credits().classes().withoutCredit() : classes;
        final long[] heads = new long[count * fas * perPair];
        for (int queue = 0; queue < heads.length; queue++) {
            heads[queue] = Packets.word(packets.first(stream(queue)), 0);
            queues.setLong((long) queue << Requests.SHIFT, HEAD, heads[queue]);
        }
        this.policer = VoqPolicer.isNeeded(fabric, flows) ? new VoqPolicer(fabric, packets, tally, count, heads)
            : null;
        this.gaps = policer == null ? null : policer.gaps;
        this.missing = credit.voqs().givesUp() ? new long[heads.length] : null;
        this.numbers = missing == null ? null : new int[heads.length];
    }

    /** Returns the memory in bytes. */
    public static long bytes(final int adapters, final int fas, final int perPair) {
        return (long) adapters * fas * perPair << Requests.SHIFT;
    }

    /**
     * Returns the adapters with queues that may send. The caller that cuts their bursts removes adapters that have
     * nothing left.
     */
    public QueueBits granted() {
        return granted;
    }

    /** Returns the bursts that are being cut into cells. */
    public Bursts bursts() {
        return bursts;
    }

    /** Returns the largest number of bytes that an adapter held. */
    public long maxHeld(final int adapter) {
        return maxHeld[adapter];
    }

    /** Returns the bytes in the queues of an adapter of the bank. */
    public long held(final int adapter) {
        return held[adapter];
    }

    /** Returns the feed of what hosts and ports send. */
    public HostFeed feed() {
        return feed;
    }

    /** Returns the bytes that the bank's adapters hold for others, or have begun to cut. */
    public long held() {
        long sum = 0;
        for (int adapter = 0; adapter < count; adapter++) {
            sum += held[adapter] + bursts.left(adapter);
        }
        return sum;
    }

    /** Adds bytes from a host to a queue. */
    void take(final long slot, final int queue, final long sent) {
        final long at = (long) queue << Requests.SHIFT;
        final int adapter = queue / (fas * perPair);
        final long before = queues.getLong(at, BYTES);
        final long bytes = policer == null ? sent : policer.admit(slot, queue, sent, before, held[adapter]);
        if (bytes == 0) {
            return;
        }
        queues.setLong(at, BYTES, Math.min(before + bytes, MOST_BYTES));
        held[adapter] = Math.min(held[adapter] + bytes, MOST_BYTES);
        maxHeld[adapter] = Math.max(maxHeld[adapter], held[adapter]);
        if (queue % classes < pushed) {
            if (before == 0 && (queues.getInt(at, STATE) & FROZEN) == 0) {
                grant(adapter, queue);
            }
            return;
        }
        requests.ask(slot, queue);
        if (before == 0 && queues.getInt(at, BALANCE) > 0) {
            grant(adapter, queue);
        }
    }

    /** Returns the bytes that a queue of the bank holds. */
    public long bytes(final int queue) {
        return queues.getLong((long) queue << Requests.SHIFT, BYTES);
    }

    /** Returns an int of the record of a queue of the bank, see {@link Requests}. */
    public int word(final int queue, final int index) {
        return queues.getInt((long) queue << Requests.SHIFT, index);
    }

    /** Sets the reachability that stops queues from sending to adapters that are not reached. */
    public void freeze(final StardustReach byReach) {
        this.reach = byReach;
    }

    /**
     * Repeats the requests of all queues of an adapter that should have asked: the message, or a credit, may be lost.
     */
    public void refresh(final long slot, final int adapter) {
        for (int queue = adapter * fas * perPair; queue < (adapter + 1) * fas * perPair; queue++) {
            final long at = (long) queue << Requests.SHIFT;
            if ((queues.getInt(at, STATE) & FROZEN) != 0) {
                queues.setInt(at, STATE, queues.getInt(at, STATE) & ~FROZEN);
                grant(adapter, queue);
            }
            requests.refresh(slot, queue);
        }
    }

    /**
     * Gives up what queues of an adapter hold that have waited too long for a credit, if the adapter has its turn; the
     * turn depends on the adapter alone, not on the bank. A debt stays; later bytes join a new stream. Endless flows
     * are never abandoned: their hosts have more.
     */
    public void giveUp(final long slot, final int adapter) {
        if (missing == null || (slot + first + adapter) % LOOK_SLOTS != 0) {
            return;
        }
        for (int queue = adapter * fas * perPair; queue < (adapter + 1) * fas * perPair; queue++) {
            final long at = (long) queue << Requests.SHIFT;
            final long bytes = queues.getLong(at, BYTES);
            if (bytes == 0 || bytes == MOST_BYTES || slot - requests.waitsSince(queue) < credit.voqs().waitSlots()) {
                continue;
            }
            if (numbers[queue] != queues.getInt(at, NUMBER)) {
                // It has sent since, so its receiver detected what was missing.
                numbers[queue] = queues.getInt(at, NUMBER);
                missing[queue] = 0;
            }
            if (missing[queue] + 2 * bytes < VoqPolicer.LONGEST_GAP) {
                drop(queue, bytes);
                requests.stop(slot, queue);
                held[adapter] -= bytes;
            }
        }
    }

    /** Applies a credit for a queue of an adapter. */
    public void credit(final long slot, final int adapter, final int issuer, final long message) {
        final int number = Control.queue(message);
        if (number >= perPair || issuer >= fas || number % classes < pushed) {
            tally.increment(NicCounter.CREDITS_IGNORED);
            return;
        }
        final int queue = ((adapter - first) * fas + issuer) * perPair + number;
        if (requests.credit(slot, queue, message)) {
            grant(adapter - first, queue);
        }
    }

    /**
     * Begins the burst of the next credit of an adapter.
     *
     * @return false if no credit is left.
     */
    public boolean begin(final long slot, final int adapter) {
        int queue = nextGranted(adapter);
        while (queue != NONE && !release(slot, adapter, queue)) {
            queue = nextGranted(adapter);
        }
        return queue != NONE;
    }

    /**
     * Releases whole packets for one credit that a queue has; false if it has none. If a turn used all its credits,
     * other queues would wait for bursts as long as the queues of busy hosts.
     */
    private boolean release(final long slot, final int adapter, final int queue) {
        final long at = (long) queue << Requests.SHIFT;
        final CellCut cut = fabric.cut();
        int balance = queue % classes < pushed ? credit.bytes() : queues.getInt(at, BALANCE);
        long bytes = queues.getLong(at, BYTES);
        if (balance <= 0 || bytes == 0) {
            return false;
        }
        if (reach != null && !reach.reaches(first + adapter, queue / perPair % fas)) {
            queues.setInt(at, STATE, queues.getInt(at, STATE) | FROZEN);
            return false;
        }
        if (gaps != null) {
            gaps.stepOver(queue, queues, at);
        }
        long packet = packets.begun(queues.getLong(at, HEAD));
        bursts.begin(adapter, queue, packet, queues.getInt(at, NUMBER), queues.getInt(at, PLACE));
        final int later = Math.max(0, balance - credit.bytes());
        int run = 0;
        int cells = 0;
        int room = 0;
        while (balance > later && bytes > 0 && (gaps == null || !gaps.startsAt(queue, packet))) {
            final int length = packets.length(packet);
            balance -= length + credit.adjustBytes();
            bytes -= bytes == MOST_BYTES ? 0 : length;
            run += length + cut.prefixBytes();
            if (!continuous) {
                cells += cells(length + cut.prefixBytes() - room);
                room = simple ? CellPacker.roomAfter(length + cut.prefixBytes(), room, cut.cellBytes()) : 0;
            }
            packet = packets.after(packet);
        }
        held[adapter] -= Math.min(held[adapter], queues.getLong(at, BYTES) - bytes);
        queues.setLong(at, HEAD, packet);
        queues.setLong(at, BYTES, bytes);
        queues.setInt(at, NUMBER, queues.getInt(at, NUMBER) + (continuous ? cells(run) : cells));
        queues.setInt(at, PLACE, queues.getInt(at, PLACE) + run);
        bursts.length(adapter, run);
        settle(slot, adapter, queue, bytes, balance);
        return true;
    }

    /** Stores the balance of a queue that released packets, and queues it again if it may release more. */
    private void settle(final long slot, final int adapter, final int queue, final long bytes, final int balance) {
        final boolean isPushed = queue % classes < pushed;
        if (!isPushed) {
            queues.setInt((long) queue << Requests.SHIFT, BALANCE, bytes == 0 ? Math.min(balance, credit.capBytes())
                : balance);
            requests.withdraw(slot, queue);
        }
        if (bytes > 0 && (isPushed || balance > 0)) {
            grant(adapter, queue);
        }
    }

    private int cells(final int bytes) {
        return bytes <= 0 ? 0 : (bytes + fabric.cut().cellBytes() - 1) / fabric.cut().cellBytes();
    }

    /** Returns the stream of a queue of the bank: streams are counted by destination, source and number. */
    private int stream(final int queue) {
        final int pair = queue / perPair;
        return (pair % fas * fas + first + pair / fas) * perPair + queue % perPair;
    }

    /** Returns the queue of the bank that sends a stream. */
    private int queue(final int stream) {
        final int pair = stream / perPair;
        return ((pair % fas - first) * fas + pair / fas) * perPair + stream % perPair;
    }

    /** Lets a queue of an adapter send; a queue that waits for its turn keeps it. */
    private void grant(final int adapter, final int queue) {
        if (waiting.get(queue)) {
            return;
        }
        waiting.set(queue);
        fifos[adapter * classes + queue % classes].add(queue);
        granted.set(adapter);
    }

    /** Takes the queue of an adapter that has its turn; {@link #NONE} if there is none. */
    private int nextGranted(final int adapter) {
        for (int level = adapter * classes; level < (adapter + 1) * classes; level++) {
            if (!fifos[level].isEmpty()) {
                final int queue = (int) fifos[level].poll();
                waiting.clear(queue);
                return queue;
            }
        }
        return NONE;
    }

    private void drop(final int queue, final long bytes) {
        final long at = (long) queue << Requests.SHIFT;
        long packet = packets.begun(queues.getLong(at, HEAD));
        long stream = 0;
        long number = 0;
        for (long left = bytes; left > 0; number++) {
            while (gaps != null && gaps.startsAt(queue, packet)) {
                packet = gaps.packetAfter(queue);
                stream += gaps.remove(queue);
            }
            final int length = packets.length(packet);
            left -= length;
            stream += length + fabric.cut().prefixBytes();
            packet = packets.after(packet);
        }
        tally.add(NicCounter.PACKETS_AGED, number);
        missing[queue] += stream;
        queues.setLong(at, HEAD, packet);
        queues.setInt(at, PLACE, (int) (queues.getInt(at, PLACE) + stream));
        queues.setLong(at, BYTES, 0);
        queues.setInt(at, BALANCE, Math.min(0, queues.getInt(at, BALANCE)));
        queues.setInt(at, STATE, queues.getInt(at, STATE) & ~FROZEN);
    }

    /**
     * Feeds the queues of a bank's adapters with what hosts send: whole flows at their start, packets of hosts that are
     * paced or speak TCP, or packets of real ports (docs/spec/stardust.md §3.1). One thread.
     */
    public final class HostFeed {
        private final FlowSet flows;
        private final MarkLaw marks;
        private final int[] arrivals;
        private int arrived;
        /**
         * The flows that have not started if some wait for others, else null; and the slots in which a delay goes on.
         */
        private ReleaseQueue waiting;
        private long delayedSlots;
        /** Null unless hosts are paused. */
        private final HostPauses pauses;
        /** Null unless hosts are paced. */
        private final PacedHosts hosts;
        private final PacedHosts.Taker taker;
        private final PacedHosts.Taker packetTaker = this::takePacket;
        /** Null unless hosts speak TCP. */
        private RenoHosts tcp;
        /** Null unless flows are on demand, like the queue of each flow of the bank. */
        private PortSide side;
        private int[] queueOf;
        /** Bytes that join queues in the next slot, by flow and by adapter; null if queues have no bounds. */
        private long[] comingOf;
        private long[] comingTo;
        /** Null unless packets of ports have a low-latency class, class 0. */
        private LowLatencyBuckets buckets;

        /** Creates the feed before anything has started. */
        private HostFeed(final FlowSet flows) {
            this.flows = flows;
            this.marks = fabric.hosts().signals().marks();
            this.taker = AdapterIngress.this::take;
            this.arrivals = flows.isOnDemand() ? new int[0] : own();
            this.pauses = fabric.hosts().signals().pauses() ? new HostPauses(fabric.hosts(), tally, count) : null;
            this.hosts = fabric.hosts().model() instanceof HostModel.Paced ? new PacedHosts(fabric.hosts(), packets,
                count * fabric.hosts().ports(), count * fas * perPair) : null;
        }

        /** Receives what hosts send in a slot, the flows that start first. */
        public void arrive(final long slot) {
            if (pauses != null) {
                for (int adapter = 0; adapter < count; adapter++) {
                    pauses.turn(adapter, held(adapter));
                }
            }
            if (tcp != null) {
                tcp.hear(slot);
            }
            for (int flow = next(slot); flow != NONE; flow = next(slot)) {
                packets.start(flow);
                tally.increment(NicCounter.FLOWS_STARTED);
                if (tcp != null) {
                    tcp.start(slot, flow);
                    continue;
                }
                final int queue = queueOf(flow);
                if (hosts == null) {
                    take(slot, queue, Math.min(flows.bytes(flow), MOST_BYTES));
                } else {
                    hosts.start(flows.source(flow) - first * fabric.hosts().ports(), queue, flow);
                }
            }
            delayedSlots += waiting != null && waiting.isDelayed() ? 1 : 0;
            if (hosts != null) {
                hosts.send(slot, taker, pauses);
            } else if (tcp != null) {
                tcp.send(slot, pauses);
            }
            if (side != null) {
                side.arrive(slot, packetTaker);
            }
        }

        /** Returns the next flow that starts in a slot, or {@link #NONE}. */
        private int next(final long slot) {
            if (waiting != null) {
                return waiting.poll(slot);
            }
            return arrived < arrivals.length && flows.startSlot(arrivals[arrived]) <= slot ? arrivals[arrived++] : NONE;
        }

        /** Connects releases, as some flows wait for others. */
        public void release(final Releases releases) {
            final int ports = fabric.hosts().ports();
            waiting = releases.queue(new NodeRange(first * ports, (first + count) * ports), arrivals);
        }

        /** Returns the number of slots in which a released flow has waited for its delay. */
        public long delayedSlots() {
            return delayedSlots;
        }

        /** Connects ports; flows are on demand, and their packets come from these ports. */
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
         * Returns the reason why a packet of a flow on demand is dropped before it joins its queue, as the counter that
         * has counted it; null if it joins the queue in the next slot.
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

        /** Tells whether a queue has room for a packet; if so, the packet is counted as on its way. */
        private boolean admits(final int flow, final int queue, final int bytes) {
            final int adapter = queue / (fas * perPair);
            final VoqRules rules = fabric.credits().voqs();
            if (bytes(queue) + comingOf[flow] + bytes > rules.queueBytes()
                || held(adapter) + comingTo[adapter] + bytes > rules.adapterBytes()) {
                return false;
            }
            comingOf[flow] += bytes;
            comingTo[adapter] += bytes;
            return true;
        }

        /** Returns a function that takes packets from hosts that speak TCP as long as their queue has room. */
        public RenoHosts.PacketTaker policer(final SentPackets sent) {
            final int most = ((Reno) fabric.hosts().model()).queuePackets();
            return (slot, packet) -> {
                final int stream = sent.stream(packet);
                final int queue = queue(stream);
                final int log = sent.first(stream);
                final long head = queues.getLong((long) queue << Requests.SHIFT, HEAD);
                final int waiting = sent.written(log) - Packets.number(head) & Integer.MAX_VALUE;
                if (waiting >= most || !sent.hasRoom(slot, log)) {
                    return false;
                }
                sent.add(log, mark(slot, queue, packet));
                take(slot, queue, sent.bytes(packet));
                return true;
            };
        }

        /** Marks a segment that finds a long queue. */
        private long mark(final long slot, final int queue, final long packet) {
            if (TcpPacket.isAck(packet) || !marks.isMarked(queues.getLong((long) queue << Requests.SHIFT,
                BYTES), fabric.seed(), slot, packet)) {
                return packet;
            }
            tally.increment(NicCounter.PACKETS_MARKED);
            return TcpPacket.marked(packet);
        }

        /** Connects hosts that speak TCP. */
        public void connect(final RenoHosts hostsOfBank) {
            this.tcp = hostsOfBank;
        }

        private void takePacket(final long slot, final int flow, final int bytes) {
            if (comingOf != null) {
                comingOf[flow] -= bytes;
                comingTo[queueOf[flow] / (fas * perPair)] -= bytes;
            }
            take(slot, queueOf[flow], bytes);
        }

        private int queueOf(final int flow) {
            return queue(fabric.stream(flows.source(flow), flows.destination(flow), flows.id(flow),
                flows.trafficClass(flow)));
        }

        /** Returns the flows whose sources are in the bank, in order of their start. */
        private int[] own() {
            final int ports = fabric.hosts().ports();
            return IntStream.range(0, flows.size()).filter(flow -> flows.source(flow) >= first * ports
                && flows.source(flow) < (first + count) * ports).toArray();
        }
    }

    /**
     * The burst that each adapter of a bank is cutting into cells: the packets that one credit released, as one run of
     * bytes or one after another (docs/spec/stardust.md §3.4). One thread.
     */
    public static final class Bursts {
        private final Packets packets;
        private final CellCut cut;
        private final boolean simple;
        private final boolean each;
        private final int fas;
        private final int perPair;
        private final int[] queue;
        private final long[] packet;
        private final int[] number;
        private final int[] place;
        /** Remaining bytes of the burst, and of the run that must end with a cell. */
        private final int[] left;
        private final int[] runLeft;

        /** Creates the bursts with nothing to cut. */
        Bursts(final Stardust fabric, final Packets packets, final int adapters) {
            this.packets = packets;
            this.cut = fabric.cut();
            this.simple = cut.simple();
            this.each = !simple && !cut.continuous();
            this.fas = fabric.clos().fas();
            this.perPair = fabric.hosts().queues();
            this.queue = new int[adapters];
            this.packet = new long[adapters];
            this.number = new int[adapters];
            this.place = new int[adapters];
            this.left = new int[adapters];
            this.runLeft = new int[adapters];
            Arrays.fill(queue, -1);
        }

        /** Begins a burst of a queue of the bank with its next packet, cell number and place. */
        void begin(final int adapter, final int of, final long firstPacket, final int nextNumber, final int nextPlace) {
            queue[adapter] = of;
            packet[adapter] = firstPacket;
            number[adapter] = nextNumber;
            place[adapter] = nextPlace;
            runLeft[adapter] = 0;
        }

        /** Sets the length of the burst, including prefixes. */
        void length(final int adapter, final int run) {
            left[adapter] = run;
            runLeft[adapter] = cut.continuous() ? run : 0;
        }

        /** Returns the packet with which the burst begins, before its first cell is cut. */
        public long packet(final int adapter) {
            return packet[adapter];
        }

        /** Returns the bytes of the burst that are not in cells yet. */
        public int left(final int adapter) {
            return left[adapter];
        }

        /** Tells whether the cell that was cut last ends the burst or, if packets do not share cells, a packet. */
        public boolean ends(final int adapter) {
            return left[adapter] == 0 || each && runLeft[adapter] == 0;
        }

        /** Returns the adapter to which the cells of the burst go. */
        public int to(final int adapter) {
            return queue[adapter] / perPair % fas;
        }

        /** Returns the number of the queue of the burst. */
        public int queue(final int adapter) {
            return queue[adapter] % perPair;
        }

        /** Returns the number of the next cell in its stream. */
        public int number(final int adapter) {
            return number[adapter];
        }

        /** Returns the place of the next cell in its stream. */
        public int place(final int adapter) {
            return place[adapter];
        }

        /** Cuts the next cell off the burst, after its number and place were read; returns its bytes. */
        public int cut(final int adapter) {
            if (runLeft[adapter] == 0) {
                nextPacket(adapter);
            }
            int bytes = take(adapter, cut.cellBytes());
            if (simple && runLeft[adapter] == 0 && left[adapter] > 0) {
                nextPacket(adapter);
                bytes += take(adapter, cut.cellBytes() - bytes);
            }
            number[adapter]++;
            place[adapter] += bytes;
            return bytes;
        }

        /** Takes as many bytes of a run as a cell has room for. */
        private int take(final int adapter, final int room) {
            final int bytes = Math.min(runLeft[adapter], room);
            runLeft[adapter] -= bytes;
            left[adapter] -= bytes;
            return bytes;
        }

        private void nextPacket(final int adapter) {
            runLeft[adapter] = packets.length(packet[adapter]) + cut.prefixBytes();
            packet[adapter] = packets.after(packet[adapter]);
        }
    }
}
