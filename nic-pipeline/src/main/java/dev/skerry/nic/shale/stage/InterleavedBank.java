package dev.skerry.nic.shale.stage;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.schedule.SlotShares;

import java.util.Arrays;

/**
 * The NICs of a range of nodes whose slots several fabrics share: a bank for each fabric, asked in its own slots. What
 * a node holds, delivers and loses is counted over all of them. One thread at a time.
 */
final class InterleavedBank implements Bank {
    private final ShaleBank[] banks;
    private final SlotShares shares;
    private final int propagationSlots;
    private final FlowSet flows;

    /** @param banks by fabric; they share their books. */
    InterleavedBank(final Interleaved fabric, final ShaleBank[] banks, final FlowSet flows) {
        this.banks = banks;
        this.shares = fabric.shares();
        this.propagationSlots = fabric.propagationSlots();
        this.flows = flows;
    }

    /** The bank of a fabric. */
    ShaleBank bank(final int number) {
        return banks[number];
    }

    @Override
    public NodeRange range() {
        return banks[0].range();
    }

    @Override
    public void send(final long slot) {
        banks[shares.owner(slot)].send(slot);
    }

    @Override
    public void receive(final long slot) {
        if (slot >= propagationSlots) {
            banks[shares.owner(slot - propagationSlots)].receive(slot);
        }
    }

    @Override
    public void offer(final int flow, final int cells, final long slot) {
        banks[flows.trafficClass(flow)].offer(flow, cells, slot);
    }

    @Override
    public long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_DELIVERED, FLOWS_COMPLETED -> banks[0].count(counter);
            default -> NicCounter.DROPS.contains(counter) ? banks[0].count(counter) : joined(counter);
        };
    }

    private long joined(final NicCounter counter) {
        long joined = 0;
        for (final ShaleBank bank : banks) {
            joined = counter.join(joined, bank.count(counter));
        }
        return joined;
    }

    @Override
    public int queued(final int node) {
        return Arrays.stream(banks).mapToInt(bank -> bank.queued(node)).sum();
    }

    @Override
    public NodeMaxima maxima() {
        return banks[0].maxima();
    }

    @Override
    public DeliveryLedger deliveries() {
        return banks[0].deliveries();
    }

    /** The sum of the most of each fabric: a bucket is one of its fabric. */
    @Override
    public int maxActiveBuckets(final int node) {
        return Arrays.stream(banks).mapToInt(bank -> bank.maxActiveBuckets(node)).sum();
    }

    @Override
    public int activeBuckets(final int node) {
        int active = 0;
        for (final ShaleBank bank : banks) {
            active += bank.activeBuckets(node);
        }
        return active;
    }

    @Override
    public Outcome.Drop firstDrop() {
        return banks[0].firstDrop();
    }

    @Override
    public long lastFate() {
        return banks[0].lastFate();
    }
}
