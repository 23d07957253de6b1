/**
 * Rings between two threads. {@link dev.skerry.dataplane.ring.SpscRing} carries handles, {@link
 * dev.skerry.dataplane.ring.LinkBundle} one row of words a slot, {@link dev.skerry.dataplane.ring.FreeListReturn}
 * returns freed cells to their list. Nothing here waits: full and empty are return values. <em>Bulk</em> operations
 * move all or nothing, <em>burst</em> operations move what fits.
 *
 * <p>Everywhere in the dataplane the producer writes the <em>tail</em> and the consumer the <em>head</em>, see {@link
 * dev.skerry.dataplane.ring.SpscRing} and {@link dev.skerry.dataplane.ring.LinkBundle}. Both are 64 bits,
 * count everything ever moved and never wrap in practice. Only memif's protocol names its counters otherwise. Every
 * ordered access carries a letter, R for the release and A for the acquire that reads it, with the same number at both
 * ends.
 */
package dev.skerry.dataplane.ring;
