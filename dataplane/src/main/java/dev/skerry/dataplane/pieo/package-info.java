/**
 * PIEO queues: push-in extract-out schedulers, which extract the element with the lowest rank that is eligible now.
 *
 * <p>Use {@link dev.skerry.dataplane.pieo.PieoTournament}, the fastest one. {@link dev.skerry.dataplane.pieo.Pieo} has
 * the structure and the ports of the published hardware, for comparison with RTL. {@link
 * dev.skerry.dataplane.pieo.PieoList} is the definition: a sorted list that allocates. {@link
 * dev.skerry.dataplane.pieo.PieoLayout} sets the capacity and the widths of all of them.
 *
 * <p>A queue belongs to one thread. It uses the memory of the arena that you pass and ends with that arena; nothing
 * allocates after construction, except in {@code PieoList}.
 */
package dev.skerry.dataplane.pieo;
