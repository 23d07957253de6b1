/**
 * Rings between two threads.
 *
 * <p>A {@link dev.skerry.dataplane.ring.SpscRing} carries handles, ints of 4 bytes, from one thread to one other, in
 * order. {@link dev.skerry.dataplane.ring.RingLayout} says where they lie. Nothing here waits: full and empty are
 * return values, and what to do about them is the caller's business. <em>Bulk</em> operations move all handles or none,
 * <em>burst</em> operations move what fits.
 *
 * <p>A {@link dev.skerry.dataplane.ring.LinkBundle} carries a row of words in every slot: all the fibres from one agent
 * to one other.
 *
 * <p>Positions are 64 bits, count what was ever moved, and never wrap in practice (2^63). Every ordered access
 * carries a letter, R for the release and A for the acquire that reads it; the same letter and number stand at both
 * ends.
 */
package dev.skerry.dataplane.ring;
