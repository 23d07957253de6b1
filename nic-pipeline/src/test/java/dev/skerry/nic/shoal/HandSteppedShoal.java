package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.engine.Assembly.Audit;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.shoal.ShoalBank.EpochBase;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

/** A Shoal fabric of one bank, stepped by the test on its own thread. */
final class HandSteppedShoal implements AutoCloseable {
    final ShoalBank bank;
    final InFlightCells link;
    final Audit audit;
    long slot;

    private final Arena arena = Arena.ofConfined();
    private final FlowSet flows;
    private final FlowTable flowTable;

    HandSteppedShoal(final Shoal shoal, final FlowSet flows) {
        this(shoal, flows, EpochBase.EPOCHS, ShoalBank.Density.MEASURED);
    }

    HandSteppedShoal(final Shoal shoal, final FlowSet flows, final int baseEpochs, final ShoalBank.Density density) {
        this.flows = flows;
        this.link = new InFlightCells(arena, shoal.nodes() * shoal.channels(), Math.max(2 * shoal.propagationSlots(),
            2));
        this.flowTable = new FlowTable(arena, flows);
        this.bank = new ShoalBank(arena, new NodeRange(0, shoal.nodes()), shoal,
            new Bank.Ends(flows, flowTable, link, Parts.of(shoal).scheduled(link), new NoPayload()), baseEpochs,
            density, null);
        this.audit = new Audit(Parts.of(shoal), new Bank[] {bank}, link);
    }

    void step() {
        bank.send(slot);
        bank.receive(slot);
        slot++;
    }

    void stepTo(final long end) {
        while (slot < end) {
            step();
        }
    }

    /** Steps with every law checked after every slot. */
    void checkTo(final long end) {
        while (slot < end) {
            step();
            audit.check(slot - 1);
        }
    }

    /** Cells of each flow that have arrived. */
    long[] received() {
        return IntStream.range(0, flows.size()).mapToLong(flowTable::received).toArray();
    }

    @Override
    public void close() {
        arena.close();
    }
}
