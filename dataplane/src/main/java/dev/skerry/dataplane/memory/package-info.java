/**
 * The only place memory comes from.
 *
 * <p>A {@link dev.skerry.dataplane.memory.Region} is a block of it and the one way to read and write it; a
 * {@link dev.skerry.dataplane.memory.Prefetcher} fetches scattered lines of regions together.
 *
 * <p>A {@link dev.skerry.dataplane.memory.Slab} is one aligned block of cells; what travels through the dataplane is a
 * cell's index, never its bytes. A {@link dev.skerry.dataplane.memory.FreeList} lends the cells of a range out and
 * belongs to one thread; cells freed on another thread come home over a
 * {@link dev.skerry.dataplane.memory.FreeListReturn}. The arena is the caller's: it is opened and closed at the edge,
 * and nothing here allocates after construction.
 *
 * <p>A {@link dev.skerry.dataplane.memory.StateImage} is the whole state of a model as bytes, to save, restore and
 * compare; it is for whoever stands beside the dataplane, not for the path.
 */
package dev.skerry.dataplane.memory;
