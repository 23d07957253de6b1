/**
 * Off-heap memory. The caller owns the arena; the data path does not allocate after construction.
 * {@link dev.skerry.dataplane.memory.Region} is a block of bytes and the only way to access it.
 * {@link dev.skerry.dataplane.memory.Slab} is a block of cells addressed by index, which
 * {@link dev.skerry.dataplane.memory.FreeList} allocates on one thread. {@link dev.skerry.dataplane.memory.StateImage}
 * saves, restores and compares the state of a model.
 */
package dev.skerry.dataplane.memory;
