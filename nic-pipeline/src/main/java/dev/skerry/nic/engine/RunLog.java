package dev.skerry.nic.engine;

import dev.skerry.nic.count.HeldTimeline;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Data that a run of a circuit fabric shows besides its outcome, in the form of the Shale authors' simulator
 * (docs/spec/shale.md §11): the cells held by nodes at regular intervals and at the end, the queues of every link, and
 * the flows that are incomplete at the end. Engines fill it during a run. Close it after the run and before its engine,
 * then read it. The thread that owns the engine closes and reads.
 */
public final class RunLog implements AutoCloseable {
    private final long interval;
    private final int linksOfNode;
    private final FlowSet flows;
    private final long countFrom;
    /** By flow: cells that had arrived before the slot at which counting starts. */
    private final int[] earlier;
    private final List<BankLog> banks = new ArrayList<>();
    private CircuitFabric fabric;
    private FlowTable table;
    private Links longest;
    private Links lengths;
    private int[] incomplete;
    private int[] received;
    private boolean isClosed;
    private HeldTimeline timeline;
    /**
     * By member, for each note: cells delivered, cells held and active buckets by endpoint; null for a single process.
     */
    private long[][][] notes;

    /**
     * State of the fabric before it sends in a slot.
     *
     * @param slot      number of slots whose cells have been handled, if they arrived; the current slot is P later.
     * @param delivered cells delivered so far.
     * @param held      by endpoint: queued cells to be forwarded.
     * @param active    by endpoint: active buckets.
     */
    public record Snapshot(long slot, long delivered, int[] held, int[] active) {
    }

    /**
     * Non-empty queues, by endpoint, then link.
     *
     * @param node   the endpoint.
     * @param link   position in the epoch.
     * @param length number of cells.
     */
    public record Links(int[] node, int[] link, int[] length) {
    }

    /**
     * Creates an empty log.
     *
     * @param interval    slots between two snapshots, at least 1.
     * @param linksOfNode number of links per node whose queues are logged.
     * @param flows       flows of the run.
     */
    public RunLog(final long interval, final int linksOfNode, final FlowSet flows) {
        this(interval, linksOfNode, flows, 0);
    }

    /**
     * Creates an empty log that, for flows that are incomplete at the end, counts only cells sent from a slot on.
     *
     * @param countFrom that slot, at least 0.
     */
    public RunLog(final long interval, final int linksOfNode, final FlowSet flows, final long countFrom) {
        Bounds.atLeast("interval", interval, 1);
        Bounds.atLeast("countFrom", countFrom, 0);
        this.interval = interval;
        this.linksOfNode = linksOfNode;
        this.flows = flows;
        this.countFrom = countFrom;
        this.earlier = countFrom > 0 ? new int[flows.size()] : null;
    }

    /** Logs a bank from now on. */
    BankLog add(final CircuitFabric of, final Bank bank, final FlowTable flowTable) {
        fabric = of;
        table = flowTable;
        banks.add(new BankLog(bank));
        return banks.getLast();
    }

    /**
     * Records the earlier arrivals of the flows to one bank. Called by the bank's thread; each flow leads to one bank.
     */
    private void noteEarlier(final NodeRange range) {
        for (int flow = 0; flow < earlier.length; flow++) {
            final int node = fabric.population().nodeOf(flows.destination(flow));
            if (node >= range.first() && node < range.end()) {
                earlier[flow] = table.received(flow);
            }
        }
    }

    /**
     * The current state of the run, for display: during a run, numbers of nodes that other threads serve may lag.
     * Called by the owner, between slots.
     *
     * @param held    receives the number of cells that each listed node holds.
     * @param latency receives, by addition, the latencies of the cells so far.
     */
    public void now(final int[] held, final SlotHistogram latency) {
        for (final BankLog log : banks) {
            for (int node = 0; node < log.bank.range().size(); node++) {
                final int listed = fabric.population().numberOf(log.bank.range().first() + node);
                if (listed >= 0) {
                    held[listed] = log.bank.maxima().held(node);
                }
            }
            latency.add(log.bank.deliveries().latency());
        }
    }

    /** Keeps the data that would be lost with the engine. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        banks.forEach(BankLog::finish);
        longest = links(Bank::maxQueueLength);
        lengths = links(Bank::queueLength);
        timeline = HeldTimeline.sum(banks.stream().map(log -> log.timeline).toList());
        incomplete = IntStream.range(0, flows.size())
            .filter(flow -> table.completedBefore(flow) == 0 && leadsHere(flow)).toArray();
        received = Arrays.stream(incomplete).map(flow -> table.received(flow) - (earlier == null ? 0 : earlier[flow]))
            .toArray();
    }

    private boolean leadsHere(final int flow) {
        final int node = fabric.population().nodeOf(flows.destination(flow));
        return banks.getFirst().bank.range().first() <= node && node < banks.getLast().bank.range().end();
    }

    /** Combines the logs of all members, each of them closed; all members must call. */
    public void join(final RowExchange exchange) {
        final int count = banks.stream().mapToInt(log -> log.notes).max().orElse(0);
        final long[][] columns = new long[9 + 3 * count][];
        final int[][] own = {longest.node, longest.link, longest.length, lengths.node, lengths.link, lengths.length,
            incomplete, received};
        Arrays.setAll(columns, column -> column < own.length ? RowExchange.longs(own[column]) : null);
        for (int note = 0; note < count; note++) {
            final Snapshot sum = snapshot(0, note == count - 1 ? Integer.MAX_VALUE : note);
            columns[own.length + 3 * note] = new long[] {sum.delivered};
            columns[own.length + 3 * note + 1] = RowExchange.longs(sum.held);
            columns[own.length + 3 * note + 2] = RowExchange.longs(sum.active);
        }
        columns[columns.length - 1] = timeline.columns();
        final long[][][] all = exchange.gather(columns);
        longest = new Links(joined(all, 0), joined(all, 1), joined(all, 2));
        lengths = new Links(joined(all, 3), joined(all, 4), joined(all, 5));
        final int[] unordered = joined(all, 6);
        final int[] ofUnordered = joined(all, 7);
        final int[] order = IntStream.range(0, unordered.length).boxed()
            .sorted(Comparator.comparingInt(i -> unordered[i])).mapToInt(i -> i).toArray();
        incomplete = Arrays.stream(order).map(i -> unordered[i]).toArray();
        received = Arrays.stream(order).map(i -> ofUnordered[i]).toArray();
        notes = Arrays.stream(all).map(member -> Arrays.copyOfRange(member, own.length, member.length - 1))
            .toArray(long[][][]::new);
        timeline = HeldTimeline.sum(Arrays.stream(all).map(member -> HeldTimeline.of(member[member.length - 1]))
            .toList());
    }

    private static int[] joined(final long[][][] all, final int column) {
        return Arrays.stream(all).flatMapToInt(member -> Arrays.stream(RowExchange.ints(member[column]))).toArray();
    }

    /**
     * The snapshots at 0, at every multiple of the interval below {@code end}, and at {@code end}.
     *
     * @param end slots of the run.
     */
    public List<Snapshot> snapshots(final long end) {
        final int count = (int) Math.ceilDiv(end, interval);
        final List<Snapshot> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(snapshot(i * interval, i));
        }
        all.add(snapshot(end, Integer.MAX_VALUE));
        return all;
    }

    /**
     * Cells held by all nodes over time, at most 257 samples.
     *
     * @param end slots of the run.
     */
    public List<HeldTimeline.At> held(final long end) {
        return timeline.until(end);
    }

    private Snapshot snapshot(final long slot, final int number) {
        final int nodes = fabric.population().listed();
        final Snapshot sum = new Snapshot(slot, 0, new int[nodes], new int[nodes]);
        long delivered = 0;
        for (int i = 0; notes == null && i < banks.size(); i++) {
            delivered += banks.get(i).add(number, sum);
        }
        for (int member = 0; notes != null && member < notes.length; member++) {
            final int at = 3 * Math.min(number, notes[member].length / 3 - 1);
            delivered += notes[member][at][0];
            for (int listed = 0; listed < nodes; listed++) {
                sum.held[listed] += (int) notes[member][at + 1][listed];
                sum.active[listed] += (int) notes[member][at + 2][listed];
            }
        }
        return new Snapshot(slot, delivered, sum.held, sum.active);
    }

    /** The maximum length of each link's queue; empty if it was not tracked. */
    public Links longest() {
        return longest;
    }

    /** The length of each link's queue at the end; empty for a fabric without per-link queues. */
    public Links lengths() {
        return lengths;
    }

    /**
     * Indices of the incomplete flows in ascending order, including flows of which no cell has arrived and flows that
     * have not started.
     */
    public int[] incomplete() {
        return incomplete;
    }

    /** Arrived cells of each incomplete flow, from the slot at which counting starts. */
    public int[] received() {
        return received;
    }

    private interface Length {
        int of(Bank bank, int node, int link);
    }

    private Links links(final Length length) {
        final Population population = fabric.population();
        final List<int[]> found = new ArrayList<>();
        for (final BankLog log : banks) {
            for (int node = 0; node < log.bank.range().size(); node++) {
                final int listed = population.numberOf(log.bank.range().first() + node);
                for (int link = 0; listed >= 0 && link < linksOfNode; link++) {
                    final int cells = length.of(log.bank, node, link);
                    if (cells > 0) {
                        found.add(new int[] {listed, link, cells});
                    }
                }
            }
        }
        return new Links(column(found, 0), column(found, 1), column(found, 2));
    }

    private static int[] column(final List<int[]> rows, final int number) {
        return rows.stream().mapToInt(row -> row[number]).toArray();
    }

    /**
     * Cells held by the nodes of a bank, noted at regular intervals before the bank sends. Nothing changes while the
     * bank is idle, so the state when it resumes applies to the skipped slots. One thread at a time. Slots of a run
     * start P slots before those of the cells that have arrived by then.
     */
    final class BankLog {
        private static final int FIRST_NOTES = 4;

        private final Bank bank;
        /** The slot before which the next note is due. */
        private long next = fabric.propagationSlots();
        private int notes;
        /** By note, and by node of the bank; the last note is taken at the end. The arrays grow. */
        private long[] delivered = new long[FIRST_NOTES];
        private int[][] held = new int[FIRST_NOTES][];
        private int[][] active = new int[FIRST_NOTES][];
        /** Cells held by the nodes over time; complete once the bank is finished. */
        private final HeldTimeline timeline = new HeldTimeline();
        private boolean isCounted;

        private BankLog(final Bank bank) {
            this.bank = bank;
        }

        /** Takes the last note; the bank does not advance any further. */
        void finish() {
            note();
            timeline.finish(sample());
            count(Long.MAX_VALUE - 1);
        }

        private void count(final long slot) {
            if (earlier != null && !isCounted && slot >= countFrom + fabric.propagationSlots()) {
                isCounted = true;
                noteEarlier(bank.range());
            }
        }

        /**
         * Adds a note to a snapshot: the state at the end, if the bank was idle from before the note until then.
         *
         * @return cells delivered by then.
         */
        long add(final int number, final Snapshot to) {
            final int note = Math.min(number, notes - 1);
            for (int node = 0; node < bank.range().size(); node++) {
                final int listed = fabric.population().numberOf(bank.range().first() + node);
                if (listed >= 0) {
                    to.held()[listed] = held[note][node];
                    to.active()[listed] = active[note][node];
                }
            }
            return delivered[note];
        }

        private void note() {
            if (notes == delivered.length) {
                delivered = Arrays.copyOf(delivered, 2 * notes);
                held = Arrays.copyOf(held, 2 * notes);
                active = Arrays.copyOf(active, 2 * notes);
            }
            delivered[notes] = bank.count(NicCounter.CELLS_DELIVERED);
            held[notes] = IntStream.range(0, bank.range().size()).map(node -> bank.maxima().held(node)).toArray();
            active[notes] = IntStream.range(0, bank.range().size()).map(bank::activeBuckets).toArray();
            notes++;
        }

        private HeldTimeline.Sample sample() {
            final NodeMaxima maxima = bank.maxima();
            final int nodes = bank.range().size();
            long cells = 0;
            int mostCells = 0;
            long buckets = 0;
            int mostBuckets = 0;
            for (int node = 0; node < nodes; node++) {
                final int waiting = maxima.held(node);
                final int open = bank.activeBuckets(node);
                cells += waiting;
                mostCells = Math.max(mostCells, waiting);
                buckets += open;
                mostBuckets = Math.max(mostBuckets, open);
            }
            return new HeldTimeline.Sample(cells, mostCells, buckets, mostBuckets);
        }

        /** Called before the bank sends in a slot. */
        void before(final long slot) {
            final long propagationSlots = fabric.propagationSlots();
            if (timeline.isDue(slot - propagationSlots)) {
                timeline.add(slot - propagationSlots, sample());
            }
            while (slot >= next) {
                note();
                next += interval;
            }
            count(slot);
        }
    }
}
