package dev.skerry.nic.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.engine.Audit;
import dev.skerry.nic.fabric.Edges;
import dev.skerry.nic.fabric.PacketEdge;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;

import java.lang.foreign.Arena;
import java.util.function.ToLongFunction;

/**
 * A fabric put together at slot 0, however it is run: banks of all its devices, what lies between them, and the books
 * that are kept of it. One thread, but for the banks, which belong to theirs while they run.
 *
 * @param fabric the fabric.
 * @param flows  what is sent across it.
 * @param shared what the banks have in common.
 * @param banks  all devices, or those of one member; banks with adapters are the first ones.
 */
record StardustAssembly(Stardust fabric, FlowSet flows, StardustShared shared, StardustBank[] banks) {
    /**
     * Puts a fabric together.
     *
     * @param arena  owner of the memory.
     * @param shares the devices of each bank.
     * @param check  whether cells are bytes, which are checked.
     */
    static StardustAssembly of(final Arena arena, final Stardust fabric, final FlowSet flows, final Faults faults,
        final ReachTiming healing, final DeviceRange[] shares, final boolean check) {
        final StardustShared shared = StardustShared.of(arena, fabric, flows, faults, healing, shares, check);
        final StardustBank[] banks = new StardustBank[shares.length];
        for (final DeviceRange share : shares) {
            banks[share.bank()] = new StardustBank(arena, fabric, flows, share, shared, faults, healing);
        }
        return new StardustAssembly(fabric, flows, shared, banks);
    }

    /** The part of one of some members, whose bank has the member's number. */
    static StardustAssembly of(final Arena arena, final Stardust fabric, final FlowSet flows, final Faults faults,
        final ReachTiming healing, final DeviceRange[] shares, final int member) {
        final StardustShared shared = StardustShared.of(arena, fabric, flows, faults, healing, shares, false);
        return new StardustAssembly(fabric, flows, shared, new StardustBank[] {
            new StardustBank(arena, fabric, flows, shares[member], shared, faults, healing)});
    }

    /**
     * Gives each bank of adapters its edge.
     *
     * @param banks    all that have adapters, in order.
     * @param elements elements outside these banks; the edge of the first bank learns of their cells.
     */
    static PacketEdge[] connect(final Arena arena, final Stardust fabric, final StardustBank[] banks,
        final Edges edges, final ElementCells elements) {
        final NodeRange[] ranges = new NodeRange[banks.length];
        final int ports = fabric.hosts().ports();
        for (int bank = 0; bank < ranges.length; bank++) {
            ranges[bank] = new NodeRange(banks[bank].share().first(0) * ports, banks[bank].share().end(0) * ports);
        }
        final PacketEdge[] of = edges.packetEdges(arena, fabric, ranges);
        for (int bank = 0; bank < of.length; bank++) {
            // One is enough: every bank goes as far as any asks for.
            banks[bank].connect(of[bank], bank == 0 ? elements : ElementCells.NONE);
        }
        return of;
    }

    /** The value of a counter, over all banks. */
    long count(final NicCounter counter) {
        long count = 0;
        for (final StardustBank bank : banks) {
            count = counter.join(count, bank.count(counter));
        }
        return count;
    }

    /** The bank of an endpoint. */
    StardustBank bankOf(final int endpoint) {
        final int adapter = endpoint / fabric.hosts().ports();
        int bank = 0;
        while (adapter >= banks[bank].share().end(0)) {
            bank++;
        }
        return banks[bank];
    }

    /** The port of an endpoint, counted in its bank. */
    int portOf(final int endpoint) {
        return endpoint - bankOf(endpoint).share().first(0) * fabric.hosts().ports();
    }

    /** Queue lengths over time, of all banks. */
    QueueLengths lengths(final int tiers) {
        final QueueLengths sum = new QueueLengths(tiers);
        for (final StardustBank bank : banks) {
            sum.add(bank.devices().lengths());
        }
        return sum;
    }

    /** Slots from a cell's first queue to its arrival, of all banks. */
    SlotHistogram latency() {
        final SlotHistogram sum = new SlotHistogram();
        for (final StardustBank bank : banks) {
            sum.add(bank.egress().latency());
        }
        return sum;
    }

    /**
     * Checks that no cell came from nowhere or went there: those cut are delivered, dropped under a name, or held; and
     * that adapters count the links that they may use.
     *
     * @param slots slots that every bank has done.
     * @return cells that are held in queues and on links.
     * @throws IllegalStateException if the law is broken.
     */
    long conserve(final long slots) {
        for (final StardustBank bank : banks) {
            bank.agreeOnLinks();
        }
        return balance(slots).conserved();
    }

    /** Where the cells of these banks are, and those on the links to them, before a slot that all have come to. */
    Audit.CellBalance balance(final long slots) {
        long held = sum(StardustBank::held);
        for (long slot = Math.max(0, slots - fabric.linkSlots()); slot < slots; slot++) {
            held += shared.pipes().cells(slot);
        }
        return new Audit.CellBalance(count(NicCounter.CELLS_INJECTED), 0, 0, count(NicCounter.CELLS_DELIVERED),
            sum(bank -> bank.tally().dropped()), held);
    }

    /**
     * What came of a run.
     *
     * @param slots slots that every bank has done.
     * @param end   the slots of the run, no more than those.
     */
    Outcome outcome(final long slots, final long end) {
        return StardustOutcome.of(fabric, flows, banks, shared.flowOutcomes(), end, conserve(slots));
    }

    long sum(final ToLongFunction<StardustBank> value) {
        long sum = 0;
        for (final StardustBank bank : banks) {
            sum += value.applyAsLong(bank);
        }
        return sum;
    }
}
