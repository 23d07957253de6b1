package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.LinkFailures;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/**
 * What an engine asks fabrics of Shale for that share slots.
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
                Arrays.setAll(banks, number -> new ShaleBank(arena, range, fabric.fabrics().get(number),
                    traffic.faults(), ends, books, shared, FewNodes.of(range.size())));
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
        return new InterleavedArrivals(parts().stream().map(parts -> parts.scheduled(link)).toList(), fabric.shares());
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        final List<ShaleParts> parts = parts();
        final FabricLaws[] laws = new FabricLaws[parts.size()];
        Arrays.setAll(laws, number -> parts.get(number).laws(Arrays.stream(banks)
            .map(bank -> ((InterleavedBank) bank).bank(number)).toArray(Bank[]::new), link));
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
}
