package dev.skerry.nic.shale;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.InterleavedSchedule;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShares;

import java.util.List;

/**
 * Shale fabrics that share the slots of the same nodes, each with separate flows (Shale §3.2.2, docs/spec/shale.md
 * §2.4). A cell, a queue and a token belong to one of them permanently; no header field identifies it, because both
 * ends of a link know which fabric owns the slot. The traffic class of a flow is the number of its fabric. Immutable;
 * any thread may call.
 *
 * @param fabrics by number of their share; with the same nodes and the same propagation delay.
 * @param shares  division of the slots.
 */
public record Interleaved(List<Shale> fabrics, SlotShares shares) implements CircuitFabric {
    /** Checks that the fabrics are compatible. */
    public Interleaved {
        fabrics = List.copyOf(fabrics);
        if (fabrics.size() != shares.shares().size()) {
            throw new IllegalArgumentException("each fabric has a share: fabrics=" + fabrics.size() + " shares="
                + shares.shares().size());
        }
        for (int number = 0; number < fabrics.size(); number++) {
            final Shale fabric = fabrics.get(number);
            if (fabric.share() != shares.shares().get(number) || fabric.nodes() != fabrics.getFirst().nodes()
                || fabric.propagationSlots() != fabrics.getFirst().propagationSlots()
                || fabric.population().absent() != fabrics.getFirst().population().absent()) {
                throw new IllegalArgumentException("fabrics that share slots must have the same nodes and delay: "
                    + "number="
                    + number + " nodes=" + fabric.nodes() + " propagationSlots=" + fabric.propagationSlots());
            }
            if (!takes(fabric.mechanisms())) {
                throw new IllegalArgumentException("fabrics that share slots support only hop-by-hop control and "
                    + "spraying: "
                    + "mechanisms=" + fabric.mechanisms());
            }
        }
    }

    /** Whether fabrics with these mechanisms can share their slots. */
    public static boolean takes(final MechanismSet mechanisms) {
        return mechanisms.endToEnd() == null && mechanisms.order() == QueueOrder.ARRIVAL;
    }

    /** The combined schedule of all fabrics. */
    @Override
    public InterleavedSchedule schedule() {
        return new InterleavedSchedule(fabrics.stream().map(Shale::schedule).toList(), shares);
    }

    @Override
    public int nodes() {
        return fabrics.getFirst().nodes();
    }

    @Override
    public Population population() {
        return fabrics.getFirst().population();
    }

    @Override
    public int propagationSlots() {
        return fabrics.getFirst().propagationSlots();
    }

    /** {@inheritDoc} That of the slowest fabric, which advances only in its own slots. */
    @Override
    public long emptySlots() {
        return fabrics.stream().mapToLong(fabric -> fabric.emptySlots() * shares.period() / fabric.share().each()).max()
            .orElseThrow();
    }

    /** Sum of the shares of line rate that the fabrics guarantee: the sum of s/(2h) (docs/spec/shale.md §2.4). */
    public double guarantee() {
        double sum = 0;
        for (final Shale fabric : fabrics) {
            sum += fabric.guarantee() * fabric.share().each() / shares.period();
        }
        return sum;
    }
}
