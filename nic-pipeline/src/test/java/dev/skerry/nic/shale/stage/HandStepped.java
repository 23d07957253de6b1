package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.engine.Assembly.Audit;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.flow.PayloadStore.NoPayload;
import dev.skerry.nic.shale.FailureProbe;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.TokenProbe;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;

import java.lang.foreign.Arena;
import java.util.Arrays;

/** Banks of a fabric stepped by the test on its own thread, with every law checked after every slot. */
final class HandStepped implements AutoCloseable {
    final ShaleBank[] banks;
    final InFlightCells link;
    final FlowTable flowTable;
    final Audit audit;
    final Shale shale;
    long slot;

    private final Arena arena = Arena.ofConfined();
    private final FlowSet flows;
    /** Whether banks may put what they send side by side. Then only conservation is checked: laws look at places. */
    private final boolean packs;

    HandStepped(final Shale shale, final FlowSet flows, final int banks) {
        this(shale, Faults.NONE, flows, banks);
    }

    HandStepped(final Shale shale, final Faults faults, final FlowSet flows, final int banks) {
        this(shale, faults, flows, banks, FewNodes.of(shale.nodes() / banks, shale));
    }

    /** Banks that list at most some nodes of a block. */
    HandStepped(final Shale shale, final Faults faults, final FlowSet flows, final int banks, final FewNodes few) {
        this(shale, faults, flows, banks, few, new NoPayload());
    }

    HandStepped(final Shale shale, final Faults faults, final FlowSet flows, final int banks, final FewNodes few,
        final PayloadStore store) {
        this(shale, faults, flows, banks, few, store, false);
    }

    private HandStepped(final Shale shale, final Faults faults, final FlowSet flows, final int banks,
        final FewNodes few, final PayloadStore store, final boolean packs) {
        this.shale = shale;
        this.flows = flows;
        this.packs = packs;
        final int window = Math.max(2 * shale.propagationSlots(), 2);
        this.link = new InFlightCells(arena, shale.nodes(), window);
        this.flowTable = new FlowTable(arena, flows);
        final ShaleBank.Shared shared = ShaleBank.Shared.of(arena, shale, flows, window);
        this.banks = new ShaleBank[banks];
        for (int bank = 0; bank < banks; bank++) {
            final NodeRange range = NodeRange.share(shale.nodes(), bank, banks);
            final Bank.Ends ends = new Bank.Ends(flows, flowTable, link, packs ? Parts.of(shale).packed(link)
                : Parts.of(shale).scheduled(link), store);
            this.banks[bank] = new ShaleBank(arena, range, shale, faults, ends,
                ShaleBank.Books.of(range, shale, ends, new NodeMaxima(range.size())), shared, few);
        }
        this.audit = new Audit(Parts.of(shale), this.banks, link);
    }

    static HandStepped packed(final Shale shale, final FlowSet flows, final int banks, final FewNodes few) {
        return new HandStepped(shale, Faults.NONE, flows, banks, few, new NoPayload(), true);
    }

    void step() {
        move();
        if (packs) {
            audit.conserve(slot - 1);
        } else {
            audit.check(slot - 1);
        }
    }

    /** A slot without a check. */
    void move() {
        for (final ShaleBank bank : banks) {
            bank.send(slot);
        }
        for (final ShaleBank bank : banks) {
            bank.receive(slot);
        }
        slot++;
    }

    void stepTo(final long end) {
        while (slot < end) {
            step();
        }
    }

    /** Steps until every flow is complete, {@code limit} slots at most; returns whether they are. */
    boolean stepToEnd(final long limit) {
        while (slot < limit && count(NicCounter.FLOWS_COMPLETED) < flows.size()) {
            step();
        }
        return count(NicCounter.FLOWS_COMPLETED) == flows.size();
    }

    long count(final NicCounter counter) {
        return Arrays.stream(banks).mapToLong(bank -> bank.count(counter)).sum();
    }

    long dropped() {
        return Arrays.stream(banks).mapToLong(ShaleBank::dropped).sum();
    }

    /** Whether no cell is held or in flight, and no token outstanding, owed or in flight (I7). */
    boolean drained() {
        boolean drained = audit.conserve(slot - 1) == 0;
        for (final ShaleBank bank : banks) {
            if (bank.parts().control() instanceof HopByHop tokens) {
                drained &= TokenProbe.drained(tokens, bank.range().size(), shale.schedule().epochSlots());
            }
        }
        for (long sent = Math.max(0, slot - shale.propagationSlots()); sent < slot; sent++) {
            for (int id = 0; id < shale.nodes(); id++) {
                drained &= link.feedback(link.offset(sent)
                    + (long) id * InFlightCells.PLACE_BYTES) == InFlightCells.NO_FEEDBACK;
            }
        }
        return drained;
    }

    /** Asserts that every cell and token has come home or was dropped, and that nothing is recorded of a failure. */
    void assertMended(final String where) {
        final int links = shale.schedule().epochSlots();
        assertTrue(drained(), () -> "not drained: " + where);
        assertEquals(count(NicCounter.CELLS_INJECTED), count(NicCounter.CELLS_DELIVERED) + dropped(), where);
        for (final ShaleBank bank : banks) {
            assertTrue(FailureProbe.isEmptinessKept(bank.parts().router(), bank.parts().queues().queues(),
                bank.range().size(), links), where);
            assertTrue(FailureProbe.isMended(bank.reach(), bank.range().size(), links), () -> "not mended: " + where);
            assertEquals(0, bank.reach().errors(), where);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
