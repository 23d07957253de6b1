package dev.skerry.nic.packet;

/**
 * Takes back the cells that a receiver is done with: {@code freeList::free} where the receiver's thread owns the
 * {@link dev.skerry.dataplane.memory.FreeList}, else something that finds the way to the owner, such as a
 * {@link dev.skerry.dataplane.ring.FreeListReturn} for each. The receiver's thread calls.
 */
@FunctionalInterface
public interface CellHome {
    /**
     * Takes a cell; the caller no longer touches it.
     *
     * @param cell its index in the slab.
     */
    void free(int cell);
}
