package dev.skerry.schedule;

/**
 * Which node is connected to which, on every channel in every slot of an epoch (docs/spec/shoal.md §2,
 * docs/spec/shale.md §2).
 *
 * <p>In a slot a channel connects every node to at most one receiver and at most one sender, never to itself. The two
 * views agree: {@code senderAt(peerAt(i, q, e), q, e) == i}. Implementations are immutable; any thread may call. No
 * method checks its arguments: {@code node} is 0 to {@code nodes() - 1}, {@code channel} 0 to {@code channels() - 1},
 * {@code slotInEpoch} 0 to {@code epochSlots() - 1}.
 */
public sealed interface Schedule permits RoundRobin, Phased, InterleavedSchedule, LanedSchedule {
    /** No partner in this slot. */
    int IDLE = -1;

    /** Number of nodes N, including absent ones. */
    int nodes();

    /** Number of channels, on each of which a node sends and receives one cell per slot; 1 by default. */
    default int channels() {
        return 1;
    }

    /** Slots of an epoch, after which the schedule repeats. */
    int epochSlots();

    /** The position of an absolute slot, counted from 0, in its epoch. Divides, so slot loops should count instead. */
    default int slotInEpoch(final long slot) {
        return (int) (slot % epochSlots());
    }

    /** The node that {@code node} sends to on a channel in a slot of the epoch, or {@link #IDLE}. */
    int peerAt(int node, int channel, int slotInEpoch);

    /** The node whose cell, sent on a channel in a slot of the epoch, arrives at {@code node}, or {@link #IDLE}. */
    int senderAt(int node, int channel, int slotInEpoch);
}
