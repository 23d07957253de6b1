package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.Admission;
import dev.skerry.nic.fabric.Unlimited;
import dev.skerry.nic.fabric.shale.HopByHop;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.ShaleRouter;

import java.lang.foreign.Arena;

/**
 * The NICs of a range of nodes: one pipeline over state laid out by link, then node (design decision 2), so that one
 * slot's work streams through memory. A bank of one node is a NIC; a bank of all nodes is a whole fabric on one thread.
 * One thread at a time.
 */
final class NicBank {
    private static final int MAX_SPILL_RECORDS = 1 << 28;

    private final NodeRange range;
    private final Parts parts;
    private final SlotTransmitter transmitter;
    private final SlotReceiver receiver;

    /** What the stages of a bank share. */
    record Parts(
        EligibilityQueues queues,
        Admission admission,
        ShaleRouter router,
        Segmenter segmenter,
        Reassembler reassembler,
        NodeMaxima maxima) {
    }

    NicBank(final Arena arena, final NodeRange range, final Shale shale, final FlowSet flows, final Region flowTable,
        final CellLink link, final CellStore store) {
        this.range = range;
        final int nodes = range.size();
        final int links = shale.schedule().epochSlots();
        final SpillPool pool = new SpillPool(arena, MAX_SPILL_RECORDS);
        final EligibilityQueues queues = new EligibilityQueues(arena, links * nodes, pool);
        this.parts = new Parts(
            queues,
            shale.control().hopByHop() ? new HopByHop(arena, shale, nodes, pool) : new Unlimited(),
            new ShaleRouter(arena, shale, nodes, queues),
            new Segmenter(arena, range, links, shale.population(), flows, store),
            new Reassembler(flows, shale.population(), flowTable, store),
            new NodeMaxima(nodes));
        this.transmitter = new SlotTransmitter(range, shale, parts, link);
        this.receiver = new SlotReceiver(range, shale, parts, link);
    }

    /** Memory of a bank in bytes, spill and growth not counted. */
    static long bytes(final Shale shale, final int nodes, final int flows) {
        final int links = shale.schedule().epochSlots();
        return (long) links * nodes * EligibilityQueues.QUEUE_BYTES
            + (shale.control().hopByHop() ? HopByHop.bytes(shale, nodes) : 0)
            + ShaleRouter.bytes(shale, nodes)
            + Segmenter.bytes(nodes, links, flows);
    }

    /** First half of a slot: every node sends. */
    void send(final long slot) {
        transmitter.send(slot);
    }

    /** Second half of a slot: every node receives what was sent to it the propagation delay before. */
    void receive(final long slot) {
        receiver.receive(slot);
    }

    /** The nodes of the bank. */
    NodeRange range() {
        return range;
    }

    /** Its parts, for statistics and audits. */
    Parts parts() {
        return parts;
    }

    /** Its receiving stage, for what it says of drops. */
    SlotReceiver receiver() {
        return receiver;
    }

    /** The value of a counter. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_INJECTED -> parts.segmenter.injected();
            case CELLS_DELIVERED -> parts.reassembler.delivered();
            case CELLS_FORWARDED -> transmitter.forwarded();
            case FLOWS_STARTED -> parts.segmenter.started();
            case FLOWS_COMPLETED -> parts.reassembler.completed();
            case DROPPED_NO_LINK -> receiver.droppedNoLink();
        };
    }
}
