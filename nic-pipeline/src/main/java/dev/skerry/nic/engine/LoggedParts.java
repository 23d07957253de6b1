package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.fabric.PlaceMessages;
import dev.skerry.nic.fabric.SlotNotes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The parts of a fabric for one run that fills a {@link RunLog}; its engine knows nothing of it.
 *
 * @param parts of the fabric.
 * @param log   of the run.
 */
public record LoggedParts(FabricParts parts, RunLog log) implements FabricParts {
    @Override
    public CircuitFabric fabric() {
        return parts.fabric();
    }

    @Override
    public void check(final Traffic traffic) {
        parts.check(traffic);
    }

    @Override
    public void checkNode() {
        parts.checkNode();
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return parts.resends(traffic);
    }

    @Override
    public boolean meetsInEverySlot() {
        return parts.meetsInEverySlot();
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        return parts.bytes(traffic, window);
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        final Banks banks = parts.banks(arena, traffic, link, window);
        return new Banks() {
            @Override
            public Bank of(final NodeRange range, final Bank.Ends ends) {
                return log.join(fabric(), banks.of(range, ends), ends);
            }

            @Override
            public PlaceMessages messages() {
                return banks.messages();
            }

            @Override
            public SlotNotes notes() {
                return banks.notes();
            }

            @Override
            public void arrived(final long slot, final int node) {
                banks.arrived(slot, node);
            }

            @Override
            public boolean isRoute(final long slot, final long route) {
                return banks.isRoute(slot, route);
            }

            @Override
            public boolean isFeedback(final long slot, final long feedback) {
                return banks.isFeedback(slot, feedback);
            }
        };
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        return parts.scheduled(link);
    }

    @Override
    public ArrivalMap packed(final InFlightCells link) {
        return parts.packed(link);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        return parts.laws(Arrays.stream(banks).map(LoggedParts::bare).toArray(Bank[]::new), link);
    }

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return parts.probes(bare(bank), node);
    }

    @Override
    public NodeRegisters registers(final Bank bank, final int node) {
        return parts.registers(bare(bank), node);
    }

    @Override
    public long readIfDamaged() {
        return parts.readIfDamaged();
    }

    private static Bank bare(final Bank bank) {
        return ((LoggedBank) bank).bank();
    }
}
