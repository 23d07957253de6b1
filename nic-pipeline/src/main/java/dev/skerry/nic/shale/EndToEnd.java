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
 * End-to-end congestion control of the flows of a bank, in addition to the {@link CongestionControl} of its links.
 * Flows are indices of the {@code FlowSet}; nodes are numbered within their bank. Not thread-safe.
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
     * Tells whether a flow may start a cell now. If it may not, this must remain so until {@link QueueBank#wake} is
     * called for its node, because the flow is not considered before that.
     */
    boolean mayStart(int flow);

    /** Called when a flow has started a cell. */
    void onStart(int flow);

    /** Called when a flow becomes active: it has cells to start, possibly in this slot. */
    default void onActive(final int flow) {
    }

    /** Called when a flow has started its last cell, or is abandoned. */
    default void onDone(final int flow) {
    }

    /** Called when a cell has been delivered at a node. */
    default void onDeliver(final int node, final long identity) {
    }

    /** Called when all nodes of the bank have sent their cells of a slot. */
    default void send(final long slot) {
    }

    /**
     * Called when all nodes of the bank have received their cells of a slot.
     *
     * @param slot   the slot.
     * @param queues queues of the bank, to wake nodes.
     */
    void receive(long slot, QueueBank queues);

    /** Returns the treatment of cells that arrive to join queues, given the rule of the links. */
    default ArrivalRule arrivals(final ArrivalRule ofLinks) {
        return ofLinks;
    }

    /** Returns the cells to retransmit; null if cells are never retransmitted. */
    default Retransmissions retransmissions() {
        return null;
    }

    /** Returns the signals that this control adds to the probes of a node, for each link. */
    default List<Signal> probes() {
        return List.of();
    }

    /** Returns the value of one of these signals. */
    default long probe(final int node, final int link, final int which) {
        throw new IndexOutOfBoundsException("signal=" + which);
    }

    /** Returns the value of a counter; 0 if it is not counted. */
    default long count(final NicCounter counter) {
        return 0;
    }

    /** Creates the end-to-end congestion control of each bank, and defines its memory. Immutable and thread-safe. */
    interface EndToEndFactory {
        /**
         * Checks that the control supports this traffic, before memory is allocated.
         *
         * @throws IllegalArgumentException if it does not; the message gives the reason.
         */
        void check(Traffic traffic);

        /**
         * Tells whether banks notify each other immediately, and must therefore synchronise between sending and
         * receiving in every slot. This is impossible in a real network; only lock step supports it.
         */
        default boolean isInstant() {
            return false;
        }

        /**
         * Prepares a run.
         *
         * @param arena  arena for the memory.
         * @param shale  the fabric.
         * @param flows  flows of the run.
         * @param window number of slots for which cells are kept on the links.
         */
        Run begin(Arena arena, Shale shale, FlowSet flows, int window);

        /** Returns the part of a control with the given type; null if there is no such part, or no control. */
        static <T extends EndToEndFactory> T part(final EndToEndFactory of, final Class<T> kind) {
            return of == null ? null : of.part(kind);
        }

        /** Returns the part with the given type; null if there is none. */
        default <T extends EndToEndFactory> T part(final Class<T> kind) {
            return kind.isInstance(this) ? kind.cast(this) : null;
        }

        /** Returns this control, with the part that has the type of {@code other} replaced by it. */
        default EndToEndFactory with(final EndToEndFactory other) {
            return other;
        }

        /** Returns the initial memory of a run in bytes. */
        long bytes(Shale shale, int flows, int window);

        /** State that the banks of a run share. */
        interface Run {
            /**
             * Creates the control of a bank at slot 0.
             *
             * @param arena   arena for the memory.
             * @param range   nodes of the bank.
             * @param ends    connections of the bank.
             * @param control congestion control of its links.
             * @param queues  send queues of the bank, read-only.
             */
            EndToEnd join(Arena arena, NodeRange range, Bank.Ends ends, CongestionControl control,
                CellQueues queues);

            /** Returns the messages between banks that accompany the cells; null if there are none. */
            default PlaceMessages messages() {
                return null;
            }

            /** Returns the notifications that banks need within a slot; null if there are none. */
            default SlotNotifications notes() {
                return null;
            }

            /** Returns the invariants of the controls of all banks together. */
            FabricLaws laws(List<BankState> banks);
        }

        /**
         * State for the check of invariants: the control of a bank, its queues, and the number of cells that it has
         * dropped.
         */
        record BankState(EndToEnd control, QueueBank queues, Bank.Ends ends, NodeRange range, LongSupplier dropped) {
        }
    }
}
