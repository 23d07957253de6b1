/**
 * Rings between two threads. Nothing here waits: full and empty are return values. <em>Bulk</em> operations move all or
 * nothing, <em>burst</em> operations move as many as fit. The producer writes the <em>tail</em> and the consumer the
 * <em>head</em>; both are 64-bit counts that never wrap in practice. Every ordered access has a letter, R for the
 * release and A for the acquire that reads it, with the same number at both ends.
 */
package dev.skerry.dataplane.ring;
