package dev.skerry.nic.packet;

/**
 * Frees the cells that a receiver no longer needs: {@code freeList::free} if the receiver's thread owns the
 * {@link dev.skerry.dataplane.memory.FreeList}; otherwise something that returns each cell to its owner, such as a
 * {@link dev.skerry.dataplane.ring.FreeListReturn}. The receiver's thread calls.
 */
@FunctionalInterface
public interface CellHome {
    /**
     * Frees a cell. The caller must not touch it afterwards.
     *
     * @param cell its index in the slab.
     */
    void free(int cell);
}
