/**
 * Shoal's decisions: what follows from the schedule for a row of nodes ({@code ShoalSlotPlan}), when a cell of a flow
 * may
 * be released to a relay ({@code Throttles}, by the {@code ReleaseRule}), what a node reports about the queue that a
 * neighbour's last cell joined and which sent cell that report is about ({@code Reports}, {@code JoinedQueues},
 * {@code SentCells}), and the queues themselves ({@code ShoalQueues}).
 *
 * <p>Where things fail or flows have classes, there is also what a node knows of each connection ({@code
 * NeighbourTable}) and of
 * who reaches whom ({@code RelayReachability}), and what it has sent or taken in lately ({@code SentCopies},
 * {@code AcceptedCells}); {@code Resilience} has the numbers.
 *
 * <p>There are no flows here, no payloads and no deliveries: those are the pipeline's.
 */
package dev.skerry.nic.shoal;
