package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.FabricParts.PlaceMessages;
import dev.skerry.nic.fabric.FabricParts.SlotNotifications;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * End-to-end congestion control of the flows of one bank, beside the {@link CongestionControl} of its links. Flows are
 * indices of the {@code FlowSet}, nodes are numbered within their bank. One thread.
 *
 * <pre>
 *   send     mayStart + onStart     may this flow start a cell?
 *            sent slot              what it sends beside the cells
 *   receive  onDeliver              a cell has come to its destination
 *            received slot          what came beside the cells
 * </pre>
 */
public interface EndToEnd {
    /**
     * Whether a flow may start a cell now. What may not start must stay so until {@link QueueBank#wake} is called for
     * its node: until then nobody asks again.
     */
    boolean mayStart(int flow);

    /** A flow has started a cell. */
    void onStart(int flow);

    /** A flow has become active: it has cells to start, the first perhaps in this slot. */
    default void onActive(final int flow) {
    }

    /** A flow has started its last cell, or is given up. */
    default void onDone(final int flow) {
    }

    /** A cell was delivered at a node. */
    default void onDeliver(final int node, final long identity) {
    }

    /** All nodes of the bank have sent their cells of a slot. */
    default void send(final long slot) {
    }

    /**
     * All nodes of the bank have received their cells of a slot.
     *
     * @param queues those of the bank, to wake nodes.
     */
    void receive(long slot, QueueBank queues);

    /** What becomes of cells that arrive to join queues, where {@code ofLinks} alone would decide. */
    default ArrivalRule arrivals(final ArrivalRule ofLinks) {
        return ofLinks;
    }

    /** The cells that are to be sent again; null where none ever are. */
    default Retransmissions retransmissions() {
        return null;
    }

    /** Signals of each link that it adds to the probes of a node. */
    default List<Signal> probes() {
        return List.of();
    }

    /** The value of one of these signals. */
    default long probe(final int node, final int link, final int which) {
        throw new IndexOutOfBoundsException("signal=" + which);
    }

    /** What it counts; 0 for what it does not. */
    default long count(final NicCounter counter) {
        return 0;
    }

    /** Makes the end-to-end congestion control of each bank, and says what it costs. Immutable; any thread. */
    interface EndToEndFactory {
        /**
         * Checks that it can carry this traffic, before memory is allocated.
         *
         * @throws IllegalArgumentException if it cannot; the message says why.
         */
        void check(Traffic traffic);

        /**
         * Whether banks know of each other at once, and so have to meet between sending and receiving in every slot. No
         * real network can do that: only lock step can.
         */
        default boolean isInstant() {
            return false;
        }

        /**
         * Prepares a run.
         *
         * @param arena  owner of the memory.
         * @param shale  the fabric.
         * @param flows  its flows.
         * @param window slots of cells kept on the links.
         */
        Run begin(Arena arena, Shale shale, FlowSet flows, int window);

        /**
         * The part of end-to-end congestion control that is of a kind; null if none is, or if there is no such control.
         */
        static <T extends EndToEndFactory> T part(final EndToEndFactory of, final Class<T> kind) {
            return of == null ? null : of.part(kind);
        }

        /** The part of it that is of a kind; null if none is. */
        default <T extends EndToEndFactory> T part(final Class<T> kind) {
            return kind.isInstance(this) ? kind.cast(this) : null;
        }

        /** The same with another part of the kind of {@code other}. */
        default EndToEndFactory with(final EndToEndFactory other) {
            return other;
        }

        /** Memory of a run in bytes, growth not counted. */
        long bytes(Shale shale, int flows, int window);

        /** What the banks of a run have in common. */
        interface Run {
            /**
             * The control of a bank at slot 0.
             *
             * @param arena   owner of the memory.
             * @param range   nodes of the bank.
             * @param ends    what the bank is connected to.
             * @param control congestion control of its links.
             * @param queues  its send queues, to look at.
             */
            EndToEnd join(Arena arena, NodeRange range, Bank.Ends ends, CongestionControl control,
                CellQueues queues);

            /** What its banks send each other beside the cells; null if nothing. */
            default PlaceMessages messages() {
                return null;
            }

            /** What its banks must know of each other within a slot; null if nothing. */
            default SlotNotifications notes() {
                return null;
            }

            /** The laws that the controls of all banks obey together. */
            FabricLaws laws(List<BankState> banks);
        }

        /** What laws look at: the control of a bank, its queues, and how many cells it has dropped. */
        record BankState(EndToEnd control, QueueBank queues, Bank.Ends ends, NodeRange range, LongSupplier dropped) {
        }
    }
}
