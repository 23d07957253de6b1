package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.LinkFailures;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.schedule.SlotShares;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The parts of a fabric for an engine, for fabrics of Shale that share slots.
 *
 * @param fabric the fabrics.
 */
public record InterleavedParts(Interleaved fabric) implements FabricParts {
    @Override
    public void check(final Traffic traffic) {
        if (traffic.flows().classes() > fabric.fabrics().size()) {
            throw new IllegalArgumentException("a traffic class for each fabric: classes="
                + traffic.flows().classes() + " fabrics=" + fabric.fabrics().size());
        }
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return false;
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        long bytes = ArrivalFlags.bytes(fabric.nodes(), window);
        for (final ShaleParts parts : parts()) {
            bytes += ShaleBank.bytes(parts.fabric(), fabric.nodes(), traffic.flows().size())
                + (traffic.mayFail() ? LinkFailures.bytes(parts.fabric(), fabric.nodes()) : 0);
        }
        return bytes;
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        final ShaleBank.Shared shared = new ShaleBank.Shared(new ArrivalFlags(arena, fabric.nodes(), window), window,
            null);
        final List<ShaleParts> parts = parts();
        return new Banks() {
            @Override
            public Bank of(final NodeRange range, final Bank.Ends ends) {
                final ShaleBank.Books books = ShaleBank.Books.of(range, fabric.fabrics().getFirst(), ends,
                    new NodeMaxima(range.size()));
                final ShaleBank[] banks = new ShaleBank[fabric.fabrics().size()];
                Arrays.setAll(banks, number -> {
                    final Shale one = fabric.fabrics().get(number);
                    return new ShaleBank(arena, range, one, traffic.faults(), ends, books, shared,
                        FewNodes.of(range.size(), one));
                });
                return new InterleavedBank(fabric, banks, ends.flows());
            }

            @Override
            public boolean isRoute(final long slot, final long route) {
                return parts.get(fabric.shares().owner(slot)).isRoute(route);
            }

            @Override
            public boolean isFeedback(final long slot, final long feedback) {
                return parts.get(fabric.shares().owner(slot)).isFeedback(feedback, traffic.mayFail());
            }
        };
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        // Senders do not flag receivers: another fabric may have written the places of a slot before.
        final List<ArrivalMap> maps = parts().stream().map(parts -> parts.scheduled(link)).toList();
        return (sent, channel, firstId, count, places) -> maps.get(fabric.shares().owner(sent)).arrivals(sent, channel,
            firstId, count, places);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        final List<ShaleParts> parts = parts();
        final FabricLaws[] laws = new FabricLaws[parts.size()];
        Arrays.setAll(laws, number -> parts.get(number).laws(Arrays.stream(banks)
            .map(bank -> ((InterleavedBank) bank).banks[number]).toArray(Bank[]::new), link));
        return slot -> {
            for (final FabricLaws each : laws) {
                each.check(slot);
            }
        };
    }

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return new InterleavedProbes(fabric, (InterleavedBank) bank, node);
    }

    private List<ShaleParts> parts() {
        return fabric.fabrics().stream().map(ShaleParts::new).toList();
    }

    /**
     * Signals of a node of fabrics of Shale that share slots: the links of each fabric, in order of the fabrics, then
     * the cells held, active buckets and counts of the node.
     */
    private static final class InterleavedProbes extends NodeProbes {
        private final List<ShaleNodeProbes> fabrics;
        private final List<Place> places = new ArrayList<>();

        /** A link, as a fabric and the number of the link there. */
        private record Place(ShaleNodeProbes fabric, int link) {
        }

        InterleavedProbes(final Interleaved fabric, final InterleavedBank bank, final int node) {
            super(bank, node, fabric.fabrics().stream().mapToInt(each -> each.schedule().epochSlots()).sum(),
                ShaleNodeProbes.ofEachLink(bank.banks[0].parts()), "active_buckets");
            this.fabrics = IntStream.range(0, fabric.fabrics().size()).mapToObj(number ->
                new ShaleNodeProbes(fabric.fabrics().get(number), bank.banks[number], node)).toList();
            fabrics.forEach(each -> IntStream.range(0, each.links())
                .forEach(link -> places.add(new Place(each, link))));
        }

        @Override
        protected long ofLink(final int link, final int which) {
            return places.get(link).fabric.ofLink(places.get(link).link, which);
        }

        @Override
        protected long active() {
            return fabrics.stream().mapToLong(ShaleNodeProbes::active).sum();
        }

        @Override
        public long[] queue(final int link) {
            return places.get(link).fabric.queue(places.get(link).link);
        }
    }

    /**
     * The NICs of a range of nodes whose slots several fabrics share: a bank for each fabric, which runs in its own
     * slots. Cells held, delivered and lost are counted over all of them. One thread at a time.
     */
    private static final class InterleavedBank implements Bank {
        private final ShaleBank[] banks;
        private final SlotShares shares;
        private final int propagationSlots;
        private final FlowSet flows;

        /**
         * Creates the bank.
         *
         * @param banks banks by fabric; they share their books.
         */
        InterleavedBank(final Interleaved fabric, final ShaleBank[] banks, final FlowSet flows) {
            this.banks = banks;
            this.shares = fabric.shares();
            this.propagationSlots = fabric.propagationSlots();
            this.flows = flows;
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
            final boolean isOfAll = counter == NicCounter.CELLS_DELIVERED || counter == NicCounter.FLOWS_COMPLETED
                || NicCounter.DROPS.contains(counter);
            return isOfAll ? banks[0].count(counter)
                : Arrays.stream(banks).mapToLong(bank -> bank.count(counter)).reduce(0, counter::join);
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

        /** Returns the sum of the maxima of the fabrics: every bucket belongs to one fabric. */
        @Override
        public int maxActiveBuckets(final int node) {
            return Arrays.stream(banks).mapToInt(bank -> bank.maxActiveBuckets(node)).sum();
        }

        @Override
        public int activeBuckets(final int node) {
            return Arrays.stream(banks).mapToInt(bank -> bank.activeBuckets(node)).sum();
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
}
