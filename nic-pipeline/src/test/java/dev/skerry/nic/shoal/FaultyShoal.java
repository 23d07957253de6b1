package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.Assembly.Audit;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore.FlowPayload;
import dev.skerry.nic.shoal.ShoalFailures.Bootstrap;
import dev.skerry.nic.shoal.ShoalFailures.ControlCells;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/** A guarded Shoal fabric of some banks, stepped by the test on its own thread, with every law checked every slot. */
final class FaultyShoal implements AutoCloseable {
    final ShoalBank[] banks;
    final ShoalLaws laws;
    final Audit audit;
    long slot;

    final FlowPayload payload;

    private final Arena arena = Arena.ofConfined();
    private final Shoal shoal;
    private final FlowSet flows;
    private final FlowTable flowTable;
    private final long cells;

    FaultyShoal(final Shoal shoal, final FlowSet flows, final Faults faults, final int count) {
        this.shoal = shoal;
        this.flows = flows;
        final int places = shoal.nodes() * shoal.channels();
        final int window = Math.max(2 * shoal.propagationSlots(), 2);
        final InFlightCells link = new InFlightCells(arena, places, window);
        this.flowTable = new FlowTable(arena, flows);
        final ShoalFailures.Shared shared = new ShoalFailures.Shared(faults, Bootstrap.of(faults, shoal.nodes(), 0),
            new ControlCells(arena, shoal.nodes(), places * window, link));
        this.payload = new FlowPayload(arena, flows);
        this.banks = new ShoalBank[count];
        for (int bank = 0; bank < count; bank++) {
            banks[bank] = new ShoalBank(arena, NodeRange.share(shoal.nodes(), bank, count), shoal,
                new Bank.Ends(flows, flowTable, link, Parts.of(shoal).scheduled(link), payload), shared);
        }
        this.laws = new ShoalLaws(shoal, banks, link);
        this.audit = new Audit(Parts.of(shoal), banks, link);
        this.cells = IntStream.range(0, flows.size()).mapToLong(flows::sendableCells).sum();
    }

    void step() {
        for (final ShoalBank bank : banks) {
            bank.send(slot);
        }
        for (final ShoalBank bank : banks) {
            bank.receive(slot);
        }
        try {
            audit.conserve(slot);
            laws.check(slot);
        } catch (final IllegalStateException broken) {
            throw new IllegalStateException("after slot " + slot + ": " + broken.getMessage(), broken);
        }
        slot++;
    }

    void stepTo(final long end) {
        while (slot < end) {
            step();
        }
    }

    /** Steps until every cell has arrived or is lost, or to a limit; returns whether it is so. */
    boolean settle(final long limit) {
        while (slot < limit && !isSettled()) {
            step();
        }
        return isSettled();
    }

    boolean isSettled() {
        long settled = 0;
        for (final ShoalBank bank : banks) {
            settled += bank.settled();
        }
        return settled == cells;
    }

    long count(final NicCounter counter) {
        return Arrays.stream(banks).mapToLong(bank -> bank.count(counter)).sum();
    }

    private ShoalBank bankOf(final int id) {
        return Arrays.stream(banks).filter(bank -> id >= bank.range().first() && id < bank.range().end()).findFirst()
            .orElseThrow();
    }

    /** The state of a node's connection with another. */
    int state(final int id, final int other) {
        final ShoalBank bank = bankOf(id);
        final NeighbourTable neighbours = bank.failures().state.neighbours();
        return neighbours.state(neighbours.line(Math.floorMod(other - id - 1, shoal.nodes()),
            id - bank.range().first()));
    }

    /** Whether a node believes that a neighbour reaches a third node. */
    boolean believes(final int id, final int neighbour, final int third) {
        final ShoalBank bank = bankOf(id);
        return bank.failures().state.reachability().reaches(Math.floorMod(neighbour - id - 1, shoal.nodes()),
            id - bank.range().first(), third);
    }

    /** Connections that are up, each counted at both its ends. */
    int up() {
        int up = 0;
        for (int id = 0; id < shoal.nodes(); id++) {
            for (int other = 0; other < shoal.nodes(); other++) {
                up += id != other && state(id, other) == NeighbourTable.UP ? 1 : 0;
            }
        }
        return up;
    }

    /** Sent cells that will never arrive: lost copies that were not sent again. */
    long lost() {
        return Arrays.stream(banks).mapToLong(ShoalBank::dropped).sum() - count(NicCounter.CELLS_RESENT)
            - count(NicCounter.CELLS_REFUSED) - count(NicCounter.CELLS_REROUTED);
    }

    /**
     * What of it the spec leaves to the layers above: what a node held that crashed or lost a link, or just sent, and
     * what clocks that are off cost.
     */
    long leftToTransport() {
        return count(NicCounter.DROPPED_NODE_DOWN) + count(NicCounter.DROPPED_WITH_LINK)
            + count(NicCounter.DROPPED_ON_WAY) + count(NicCounter.GUARD_VIOLATION);
    }

    /** Cells of a flow that have arrived. */
    int received(final int flow) {
        return flowTable.received(flow);
    }

    /** All counters that are not 0, for the messages of tests. */
    String counts() {
        final StringBuilder text = new StringBuilder("slot=" + slot);
        for (final NicCounter counter : NicCounter.values()) {
            if (count(counter) != 0) {
                text.append(' ').append(counter).append('=').append(count(counter));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        arena.close();
    }
}
