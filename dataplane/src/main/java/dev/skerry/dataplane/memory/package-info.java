/**
 * Off-heap memory. The caller owns the arena; nothing on the path allocates after construction.
 *
 * <p>{@link dev.skerry.dataplane.memory.Region} is a block of bytes and the one way to read and write it. {@link
 * dev.skerry.dataplane.memory.Slab} is a block of cells, which travel as indices; {@link
 * dev.skerry.dataplane.memory.FreeList} hands them out on one thread. {@link dev.skerry.dataplane.memory.StateImage}
 * saves, restores and compares the state of a whole model.
 */
package dev.skerry.dataplane.memory;
