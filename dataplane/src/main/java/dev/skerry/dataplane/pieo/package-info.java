/**
 * PIEO queues: push-in extract-out schedulers, which extract the eligible element with the lowest rank.
 * {@link dev.skerry.dataplane.pieo.PieoTournament} is the fastest one. {@link dev.skerry.dataplane.pieo.Pieo} has the
 * structure and the ports of the published hardware, for comparison with RTL.
 * {@link dev.skerry.dataplane.pieo.PieoList} is the definition: a sorted list that allocates.
 * {@link dev.skerry.dataplane.pieo.PieoLayout} sets the capacity and the widths of all of them. A queue belongs to one
 * thread, uses the memory of a given arena and ends with it; except for {@code PieoList}, nothing allocates after
 * construction.
 */
package dev.skerry.dataplane.pieo;
