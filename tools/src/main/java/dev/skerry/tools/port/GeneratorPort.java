package dev.skerry.tools.port;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.GeneratorSettings.PacketSizes;
import dev.skerry.tools.port.PacketTemplate.TemplateWriter;
import dev.skerry.tools.port.ProbeLayout.GeneratorFlows;
import dev.skerry.tools.port.ProbeLayout.ProbeWriter;
import org.HdrHistogram.Histogram;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * A port that generates packets at a rate, and measures the packets that it receives from itself or other generators:
 * loss, order, duplicates, damage and latency of each flow. It accepts all packets. Used only by the thread that owns
 * the port. Does not allocate per packet; the first packet of a flow allocates its meter.
 *
 * <p>The first packet is due at the first call for packets, or a configured delay later. If the caller polls too rarely
 * for the rate, or has no room, it receives overdue packets later: the rate is offered load. The time stamp of a packet
 * is the time of the call that delivered it. Flows to a node that is {@linkplain #holdBack held back} skip their turns
 * and catch up when they are released, so that other flows keep their rate.
 */
public final class GeneratorPort implements LivePort {
    private static final long FLOW_USE = 0x632BE59BD9B4E019L;

    /** Clock of the time stamps. */
    private static final LongSupplier SYSTEM = System::nanoTime;

    private final GeneratorSettings settings;
    private final LongSupplier clock;
    private final PortCounts counts = new PortCounts();
    private final Arena arena = Arena.ofShared();
    private final ProbeWriter writer;
    /** Null unless packets have no sequence number. */
    private final SamePackets same;
    /** Null unless packets are built from templates. */
    private final TemplateWriter templates;
    private final SizeSource sizes;
    private Pacer pacer;
    /** Received flows, shared by consecutive generators at a place. */
    private GeneratorFlows table = new GeneratorFlows();
    /** Id in the packets. */
    private final int id;
    private final int flows;
    private final boolean randomFlows;
    /** Whether each packet has a due time, from which its waiting time counts. */
    private boolean isPaced;
    private final long seed;
    private final HeldFlows held;
    /** Whether skipped turns are caught up; not for an endless generator without a rate. */
    private boolean isOwing;
    private long generated;
    /** Packets of the earlier generators whose flows this one continues. */
    private long earlier;
    /** For each flow, the packets sent before the port was closed. */
    private final long[] sentInAll;
    /** Turns of flows so far, including skipped ones. */
    private long turns;
    private int flow;
    private boolean started;
    private boolean closed;

    private GeneratorPort(final GeneratorSettings settings, final LongSupplier clock, final int id) {
        this.settings = settings;
        this.clock = clock;
        this.id = id;
        this.writer = new ProbeWriter(arena, settings.headers(), id, ProbeLayout.MAGIC);
        this.same = settings.same() ? new SamePackets(arena, settings.headers(), settings.sizes().most()) : null;
        this.templates = settings.headers().templates().isEmpty() ? null
            : new TemplateWriter(arena, settings.headers(), id, CounterRandom.mix(settings.seed()));
        this.sizes = new SizeSource(settings.sizes(), CounterRandom.mix(settings.seed()));
        this.flows = settings.headers().flows();
        this.sentInAll = new long[flows];
        this.randomFlows = settings.headers().random();
        this.seed = CounterRandom.mix(settings.seed() ^ FLOW_USE);
        this.held = new HeldFlows(settings.headers());
        pace(settings.rate());
        counts.add(PortCounter.LINKS_UP, 1);
    }

    /** Opens a generator with the clock {@link System#nanoTime()}. */
    public static GeneratorPort open(final GeneratorSettings settings) {
        return open(settings, SYSTEM);
    }

    /** Opens a generator whose packets have another id than that of its settings. */
    public static GeneratorPort open(final GeneratorSettings settings, final int id) {
        return new GeneratorPort(settings, SYSTEM, id);
    }

    /**
     * Opens a generator.
     *
     * @param settings settings.
     * @param clock    monotonic clock in ns with any origin. Latencies require the same clock at sender and receiver.
     */
    public static GeneratorPort open(final GeneratorSettings settings, final LongSupplier clock) {
        return new GeneratorPort(settings, clock, settings.id());
    }

    /** Changes the rate. Packets that are overdue at the old rate are not caught up. */
    public void setRate(final PacketRate rate) {
        pace(rate);
        if (started) {
            pacer.start(clock.getAsLong());
        }
    }

    private void pace(final PacketRate rate) {
        final boolean isUnlimited = rate.equals(PacketRate.UNLIMITED);
        pacer = new Pacer(rate, settings.burst());
        isPaced = clock == SYSTEM && !isUnlimited;
        isOwing = settings.count() < GeneratorSettings.ENDLESS || !isUnlimited;
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        if (closed || into.room() == 0) {
            return 0;
        }
        final long now = clock.getAsLong();
        if (!started) {
            started = true;
            pacer.start(now + settings.afterNs());
        }
        final int before = into.size();
        final int room = into.room();
        int made = held.sum == 0 ? 0 : giveOwed(into, turns < settings.count() ? room + 1 >> 1 : room, now);
        // Bounds the loop: without a rate, flows that are held back would skip turns forever.
        int passes = room + flows;
        while (made < room && passes > 0 && turns < settings.count() && pacer.isDue(now)) {
            final int which = nextFlow();
            final int length = sizes.next(turns);
            turns++;
            final long dueNs = isPaced ? pacer.dueNs : PacketBurst.NO_STAMP;
            pacer.sent(length);
            if (held.isHeld(which)) {
                held.owe(which, isOwing);
                passes--;
            } else {
                give(which, into, length, now, dueNs);
                made++;
            }
        }
        counts.addReceived(into, before);
        return into.size() - before;
    }

    /** Generates packets of skipped turns for flows that are no longer held back; returns their number. */
    private int giveOwed(final PacketBurst into, final int most, final long now) {
        int made = 0;
        while (made < most) {
            final int which = held.next();
            if (which == HeldFlows.NONE) {
                break;
            }
            give(which, into, sizes.next(generated), now, PacketBurst.NO_STAMP);
            made++;
        }
        return made;
    }

    private void give(final int which, final PacketBurst into, final int length, final long now,
        final long dueNs) {
        generated++;
        if (length <= into.maxBytes()) {
            write(which, into, length, now);
            into.add(length);
            into.stampLast(dueNs);
        } else {
            counts.addTooLong(length);
        }
    }

    @Override
    public void holdBack(final int node, final int number, final boolean isHeld) {
        held.hold(node, number, isHeld);
    }

    private void write(final int which, final PacketBurst into, final int length, final long now) {
        if (templates != null) {
            templates.write(which, writer.sent(which), length, now);
            templates.copy(into, length);
            writer.count(which);
        } else if (same == null) {
            writer.write(which, into.region(), into.place(), length, now);
        } else {
            same.write(which, into.region(), into.place());
            writer.count(which);
        }
    }

    private int nextFlow() {
        if (randomFlows) {
            return CounterRandom.below(CounterRandom.mix(seed + turns * ProbeLayout.FILL_STEP), flows);
        }
        final int which = flow;
        flow = which + 1 == flows ? 0 : which + 1;
        return which;
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        if (closed) {
            counts.add(PortCounter.TX_DOWN, 1);
            return 0;
        }
        final long now = clock.getAsLong();
        final int size = from.size();
        long bytes = 0;
        for (int packet = first; packet < size; packet++) {
            final long stampNs = from.stamp(packet);
            table.accept(from, packet, stampNs == PacketBurst.NO_STAMP ? now : stampNs);
            bytes += from.length(packet);
        }
        counts.addSent(size - first, bytes);
        return size - first;
    }

    /** Returns the results so far. Allocates memory. */
    public GeneratorReport report() {
        return table.report(earlier + generated);
    }

    /** Returns the settings. */
    public GeneratorSettings settings() {
        return settings;
    }

    /** Returns the id in the packets. */
    public int id() {
        return id;
    }

    /**
     * Takes over the received flows of an ended generator at the same place and, if its own flows {@linkplain
     * GeneratorSettings#continues continue} those of the other generator, also their counts and sequence numbers.
     * Called before the first packet.
     *
     * @return whether the flows continue those of the other generator.
     */
    public boolean follow(final GeneratorPort other) {
        table = other.table;
        if (!settings.continues(other.settings)) {
            return false;
        }
        earlier = other.earlier + other.generated;
        for (int which = 0; which < flows; which++) {
            writer.start(which, other.sent(which));
        }
        return true;
    }

    /**
     * Returns the packets sent in a flow, 0 to {@code settings().headers().flows() - 1}, by this generator and those
     * that it continues.
     */
    public long sent(final int flow) {
        return closed ? sentInAll[flow] : writer.sent(flow);
    }

    /** Returns the received flows, in the order in which they were first seen. Used by the owner of the port. */
    public List<FlowMeter> received() {
        return table.seen;
    }

    @Override
    public boolean isExhausted() {
        return closed || generated == settings.count();
    }

    @Override
    public boolean isUp() {
        return !closed;
    }

    @Override
    public PortCounts counts() {
        return counts;
    }

    /** Ends sending and receiving. Used by the thread that owns the port; afterwards, any thread may close it. */
    public void end() {
        if (!closed) {
            Arrays.setAll(sentInAll, writer::sent);
            closed = true;
        }
    }

    @Override
    public void close() {
        end();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /**
     * The flows of a generator that are held back, and the turns that they skip. The destination of a flow is the port
     * with the MAC address of its packets ({@link PortPlace#macOf}); flows to other addresses are never held back. Not
     * thread-safe.
     */
    private static final class HeldFlows {
        /** Value for no flow. */
        static final int NONE = -1;

        /** For each flow, the destination MAC address. */
        private final long[] to;
        private final boolean[] held;
        /** For each flow, the skipped turns to catch up. */
        private final long[] owed;
        /** Skipped turns of all flows. */
        private long sum;
        private int asked;

        HeldFlows(final FlowHeaders headers) {
            this.to = LongStream.range(0, headers.flows()).map(headers.destinationMac()::at).toArray();
            this.held = new boolean[headers.flows()];
            this.owed = new long[headers.flows()];
        }

        /** Holds back the flows to a port, or releases them. */
        void hold(final int node, final int number, final boolean isHeld) {
            final long mac = PortPlace.macOf(node, number);
            for (int flow = 0; flow < held.length; flow++) {
                if (to[flow] == mac) {
                    held[flow] = isHeld;
                }
            }
        }

        boolean isHeld(final int flow) {
            return held[flow];
        }

        /** Skips a turn of a flow that is held back, and records it if it is to be caught up. */
        void owe(final int flow, final boolean isCounted) {
            if (isCounted) {
                owed[flow]++;
                sum++;
            }
        }

        /** Returns the next released flow with a skipped turn, in round-robin order; {@link #NONE} if there is none. */
        int next() {
            for (int looked = 0; looked < held.length && sum > 0; looked++) {
                asked = asked + 1 == held.length ? 0 : asked + 1;
                if (owed[asked] > 0 && !held[asked]) {
                    owed[asked]--;
                    sum--;
                    return asked;
                }
            }
            return NONE;
        }
    }

    /**
     * Computes when the next packet is due. Each packet adds its cost in ns with 24 fractional bits, so the long-term
     * rate is exact to one part in a million. Overdue packets remain due, so a late caller receives all of them. All
     * packets of a group are due at the same time. Not thread-safe.
     */
    static final class Pacer {
        private static final int FRACTION_BITS = 24;
        private static final long FRACTION_MASK = (1L << FRACTION_BITS) - 1;
        private static final double SECOND_NS = 1e9;

        private final long packetCost;
        private final long byteCost;
        private final int group;
        /** Time at which the next packet is due. */
        long dueNs;
        private long aheadNs;
        private long aheadFraction;
        private int left;

        /**
         * Creates a pacer that has sent nothing.
         *
         * @param rate  rate to keep.
         * @param group packets due at the same time, at least 1.
         */
        Pacer(final PacketRate rate, final int group) {
            this.group = group;
            this.left = group;
            this.byteCost = cost(Byte.SIZE / rate.bitsPerSecond());
            this.packetCost = cost(1 / rate.packetsPerSecond()) + byteCost * rate.overheadBytes();
        }

        private static long cost(final double seconds) {
            return Math.round(seconds * SECOND_NS * (1L << FRACTION_BITS));
        }

        /** Sets the time at which the first packet is due. */
        void start(final long nowNs) {
            dueNs = nowNs;
            aheadNs = nowNs;
        }

        /** Tells whether a packet is due. */
        boolean isDue(final long nowNs) {
            return dueNs - nowNs <= 0;
        }

        /** Adds the cost of a packet. */
        void sent(final int bytes) {
            final long ahead = aheadFraction + packetCost + byteCost * bytes;
            aheadNs += ahead >>> FRACTION_BITS;
            aheadFraction = ahead & FRACTION_MASK;
            if (--left == 0) {
                left = group;
                dueNs = aheadNs;
            }
        }
    }

    /**
     * Identical packets from one template per flow. The layout is {@link ProbeLayout} without its magic, so that
     * receivers do not look for a sequence number or time. If the target memory already contains the packet, as in a
     * ring whose buffers are reused, it is not written again, so the peer keeps its cache lines. Not thread-safe.
     */
    static final class SamePackets {
        private static final long NO_MAGIC = 0;

        private final Region packets;
        private final long stride;

        SamePackets(final Arena arena, final FlowHeaders headers, final int length) {
            this.stride = length + Long.BYTES - 1L & -Long.BYTES;
            this.packets = Region.allocate(arena, headers.flows() * stride);
            final ProbeWriter writer = new ProbeWriter(arena, headers, 0, NO_MAGIC);
            for (int flow = 0; flow < headers.flows(); flow++) {
                writer.write(flow, packets, flow * stride, length, 0);
            }
        }

        /**
         * Ensures that memory contains the packet of a flow.
         *
         * @param flow   flow, from 0.
         * @param target memory; up to seven bytes after the packet may change as well.
         * @param at     byte offset of the packet.
         */
        void write(final int flow, final Region target, final long at) {
            final long from = flow * stride;
            long different = 0;
            for (long i = 0; i < stride; i += Long.BYTES) {
                different |= target.getLong(at + i) ^ packets.getLong(from + i);
            }
            for (long i = 0; different != 0 && i < stride; i += Long.BYTES) {
                target.setLong(at + i, packets.getLong(from + i));
            }
        }
    }

    /** Generates the sizes of consecutive packets. Not thread-safe. */
    private static final class SizeSource {
        private final int[] cycle;
        private final int least;
        private final int choices;
        private final long seed;
        private int next;

        SizeSource(final PacketSizes sizes, final long seed) {
            this.seed = seed;
            this.cycle = switch (sizes) {
                case PacketSizes.Fixed fixed -> new int[] {fixed.bytes()};
                case PacketSizes.Mix mix -> mix.cycle().stream().mapToInt(Integer::intValue).toArray();
                case PacketSizes.Uniform _ -> null;
            };
            this.least = sizes instanceof final PacketSizes.Uniform uniform ? uniform.least() : 0;
            this.choices = sizes instanceof final PacketSizes.Uniform uniform ? uniform.most() - least + 1 : 0;
        }

        /** Returns the size of packet n in bytes. Call it once for each n from 0 in ascending order. */
        int next(final long n) {
            if (cycle == null) {
                return least + CounterRandom.below(CounterRandom.mix(seed + n * ProbeLayout.FILL_STEP), choices);
            }
            final int size = cycle[next];
            next = next + 1 == cycle.length ? 0 : next + 1;
            return size;
        }
    }

    /**
     * Results of a generator at one time.
     *
     * @param sent      packets generated.
     * @param flows     received flows, by id and flow.
     * @param total     sums over these flows, plus damaged packets of unknown flows.
     * @param latency   latency of all received packets in ns.
     * @param foreign   received packets that no generator sent, or that are too damaged to be recognised.
     * @param untracked received packets of flows beyond {@link GeneratorFlows#MAX_FLOWS}.
     */
    public record GeneratorReport(
        long sent, List<FlowReport> flows, FlowReport.Counts total, Histogram latency, long foreign, long untracked
    ) {
        /** Copies the list. */
        public GeneratorReport {
            flows = List.copyOf(flows);
        }

        /**
         * Counts of a flow at its receiver.
         *
         * @param id      id of the generator.
         * @param flow    flow of that generator, from 0.
         * @param counts  packet counts.
         * @param latency latency of the received packets in ns: time of receipt minus time stamp; a copy.
         */
        public record FlowReport(int id, int flow, Counts counts, Histogram latency) {
            /** Returns the report of a flow without received packets. */
            public static FlowReport empty(final int id, final int flow) {
                return new FlowReport(id, flow, new Counts(0, 0, 0, 0, 0, 0), new Histogram(1));
            }

            /** Returns the sum of two flows, with the id and flow of this one. */
            public FlowReport plus(final FlowReport other) {
                final Histogram sum = new Histogram(GeneratorFlows.PRECISE_DIGITS);
                sum.add(latency);
                sum.add(other.latency);
                return new FlowReport(id, flow, counts.plus(other.counts), sum);
            }

            /**
             * Packet counts of a flow or of several flows.
             *
             * @param expected   packets up to the highest sequence number seen. Later losses are known only to the
             *     sender.
             * @param received   distinct undamaged packets.
             * @param reordered  received packets that followed a higher sequence number.
             * @param duplicates repeated packets.
             * @param stale      packets older than the window of sequence numbers; not in received.
             * @param damaged    packets whose contents changed; not in received.
             */
            public record Counts(
                long expected, long received, long reordered, long duplicates, long stale, long damaged
            ) {
                /** Returns the packets up to the highest sequence number seen that did not arrive undamaged. */
                public long lost() {
                    return expected - received;
                }

                Counts plus(final Counts other) {
                    return new Counts(expected + other.expected, received + other.received, reordered + other.reordered,
                        duplicates + other.duplicates, stale + other.stale, damaged + other.damaged);
                }
            }
        }
    }
}
