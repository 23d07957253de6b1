package dev.skerry.nic.engine;

import dev.skerry.nic.count.HeldTimeline;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Population;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A bank that notes what its nodes hold, every some slots before it sends. Nothing changes while it rests, so that what
 * it holds when it goes on is what it held in the slots left out. One thread at a time.
 */
final class LoggedBank implements Bank {
    private static final int FIRST_NOTES = 4;

    private final Bank bank;
    private final Population population;
    private final long interval;
    /** The slot before which the next note is due. */
    private long next;
    private int notes;
    /** By note, and by node of the bank; the last note is that of the end. Arrays, which grow. */
    private long[] delivered = new long[FIRST_NOTES];
    private int[][] held = new int[FIRST_NOTES][];
    private int[][] active = new int[FIRST_NOTES][];
    /** Slots of a run begin P slots before those of the cells that have arrived by then. */
    private final long propagationSlots;
    private final HeldTimeline timeline = new HeldTimeline();
    private final Count count;
    private boolean isCounted;

    /**
     * What is done once, before a slot is sent.
     *
     * @param slot  the first slot before which it is due.
     * @param onDue takes the nodes of the bank.
     */
    record Count(long slot, Consumer<NodeRange> onDue) {
        static final Count NONE = new Count(Long.MAX_VALUE, range -> { });
    }

    LoggedBank(final Bank bank, final Population population, final long interval, final long propagationSlots,
        final Count count) {
        this.bank = bank;
        this.population = population;
        this.interval = interval;
        this.next = propagationSlots;
        this.propagationSlots = propagationSlots;
        this.count = count;
    }

    Bank bank() {
        return bank;
    }

    /** How many notes there are. */
    int notes() {
        return notes;
    }

    /** What nodes hold over time; whole once the bank is finished. */
    HeldTimeline timeline() {
        return timeline;
    }

    /** The bank goes no further. */
    void finish() {
        note();
        timeline.finish(sample());
        count(Long.MAX_VALUE - 1);
    }

    private void count(final long slot) {
        if (!isCounted && slot >= count.slot) {
            isCounted = true;
            count.onDue.accept(range());
        }
    }

    /**
     * Adds a note to a snapshot: what the bank held at the end, if it rested from before the note to there.
     *
     * @return cells delivered by then.
     */
    long add(final int number, final RunLog.Snapshot to) {
        final int note = Math.min(number, notes - 1);
        for (int node = 0; node < range().size(); node++) {
            final int listed = population.numberOf(range().first() + node);
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
        delivered[notes] = count(NicCounter.CELLS_DELIVERED);
        held[notes] = IntStream.range(0, range().size()).map(node -> maxima().held(node)).toArray();
        active[notes] = IntStream.range(0, range().size()).map(bank::activeBuckets).toArray();
        notes++;
    }

    private HeldTimeline.Sample sample() {
        final NodeMaxima maxima = maxima();
        final int nodes = range().size();
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

    @Override
    public void send(final long slot) {
        if (timeline.isDue(slot - propagationSlots)) {
            timeline.add(slot - propagationSlots, sample());
        }
        while (slot >= next) {
            note();
            next += interval;
        }
        count(slot);
        bank.send(slot);
    }

    @Override
    public void receive(final long slot) {
        bank.receive(slot);
    }

    @Override
    public NodeRange range() {
        return bank.range();
    }

    @Override
    public long underWay() {
        return bank.underWay();
    }

    @Override
    public long restsUntil(final long slot) {
        return bank.restsUntil(slot);
    }

    @Override
    public boolean isIdle(final long slot) {
        return bank.isIdle(slot);
    }

    @Override
    public boolean canIdle() {
        return bank.canIdle();
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        bank.offer(flow, cells, slot);
    }

    @Override
    public boolean hasRoom(final int flow) {
        return bank.hasRoom(flow);
    }

    @Override
    public long count(final NicCounter counter) {
        return bank.count(counter);
    }

    @Override
    public int queued(final int node) {
        return bank.queued(node);
    }

    @Override
    public long held() {
        return bank.held();
    }

    @Override
    public long sent() {
        return bank.sent();
    }

    @Override
    public MemorySegment message(final long at) {
        return bank.message(at);
    }

    @Override
    public NodeMaxima maxima() {
        return bank.maxima();
    }

    @Override
    public DeliveryLedger deliveries() {
        return bank.deliveries();
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return bank.maxActiveBuckets(node);
    }

    @Override
    public int activeBuckets(final int node) {
        return bank.activeBuckets(node);
    }

    @Override
    public int queueLength(final int node, final int link) {
        return bank.queueLength(node, link);
    }

    @Override
    public int maxQueueLength(final int node, final int link) {
        return bank.maxQueueLength(node, link);
    }

    @Override
    public Outcome.Sampled sampled(final long slots, final long covered, final long looked) {
        return bank.sampled(slots, covered, looked);
    }

    @Override
    public Outcome.Drop firstDrop() {
        return bank.firstDrop();
    }

    @Override
    public long dropped() {
        return bank.dropped();
    }

    @Override
    public long settled() {
        return bank.settled();
    }

    @Override
    public long moves() {
        return bank.moves();
    }

    @Override
    public long lastFate() {
        return bank.lastFate();
    }
}
