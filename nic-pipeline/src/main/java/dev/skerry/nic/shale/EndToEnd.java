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
 * End-to-end congestion control of the flows of one bank, in addition to the {@link CongestionControl} of its links.
 * Flows are indices of the {@code FlowSet}, nodes are numbered within their bank. One thread.
 *
 * <pre>
 *   send     mayStart + onStart     may this flow start a cell?
 *            sent slot              which messages accompany the cells?
 *   receive  onDeliver              a cell has reached its destination
 *            received slot          which messages have arrived?
 * </pre>
 */
public interface EndToEnd {
    /**
     * Whether a flow may start a cell now. If not, this must remain so until {@link QueueBank#wake} is called for its
     * node, because the flow is not considered again before.
     */
    boolean mayStart(int flow);

    /** Called when a flow has started a cell. */
    void onStart(int flow);

    /** Called when a flow becomes active: it has cells to start, the first possibly in this slot. */
    default void onActive(final int flow) {
    }

    /** Called when a flow has started its last cell, or is abandoned. */
    default void onDone(final int flow) {
    }

    /** Called when a cell was delivered at a node. */
    default void onDeliver(final int node, final long identity) {
    }

    /** Called when all nodes of the bank have sent their cells of a slot. */
    default void send(final long slot) {
    }

    /**
     * Called when all nodes of the bank have received their cells of a slot.
     *
     * @param queues queues of the bank, to wake nodes.
     */
    void receive(long slot, QueueBank queues);

    /** Treatment of cells that arrive to join queues, given the rule that would otherwise apply. */
    default ArrivalRule arrivals(final ArrivalRule ofLinks) {
        return ofLinks;
    }

    /** The cells that are to be sent again; null if there never are any. */
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

    /** Value of a counter; 0 if it is not counted. */
    default long count(final NicCounter counter) {
        return 0;
    }

    /**
     * Creates the end-to-end congestion control of each bank, and defines its memory. Immutable; any thread may call.
     */
    interface EndToEndFactory {
        /**
         * Checks that it supports this traffic, before memory is allocated.
         *
         * @throws IllegalArgumentException if it does not; the message says why.
         */
        void check(Traffic traffic);

        /**
         * Whether banks are notified by each other immediately, and must therefore synchronise between sending and
         * receiving in every slot. This is impossible in a real network; only lock step supports it.
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

        /** The part of end-to-end congestion control of the given type; null if there is none, or no such control. */
        static <T extends EndToEndFactory> T part(final EndToEndFactory of, final Class<T> kind) {
            return of == null ? null : of.part(kind);
        }

        /** The part of the given type; null if there is none. */
        default <T extends EndToEndFactory> T part(final Class<T> kind) {
            return kind.isInstance(this) ? kind.cast(this) : null;
        }

        /** This control with the part of the type of {@code other} replaced. */
        default EndToEndFactory with(final EndToEndFactory other) {
            return other;
        }

        /** Memory of a run in bytes, without growth. */
        long bytes(Shale shale, int flows, int window);

        /** Common state of the banks of a run. */
        interface Run {
            /**
             * Creates the control of a bank at slot 0.
             *
             * @param arena   owner of the memory.
             * @param range   nodes of the bank.
             * @param ends    connections of the bank.
             * @param control congestion control of its links.
             * @param queues  its send queues, read-only.
             */
            EndToEnd join(Arena arena, NodeRange range, Bank.Ends ends, CongestionControl control,
                CellQueues queues);

            /** Messages between its banks that accompany the cells; null if there are none. */
            default PlaceMessages messages() {
                return null;
            }

            /** Notifications that its banks need within a slot; null if there are none. */
            default SlotNotifications notes() {
                return null;
            }

            /** The invariants of the controls of all banks together. */
            FabricLaws laws(List<BankState> banks);
        }

        /** State that invariants inspect: the control of a bank, its queues, and the number of cells it has dropped. */
        record BankState(EndToEnd control, QueueBank queues, Bank.Ends ends, NodeRange range, LongSupplier dropped) {
        }
    }
}
