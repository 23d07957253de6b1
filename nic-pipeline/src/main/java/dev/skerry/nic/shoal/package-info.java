/**
 * Shoal's mechanisms: the plan of a slot for a row of nodes ({@code ShoalSlotPlan}), when a cell of a flow may be
 * released to a relay ({@code Throttles}, {@code ReleaseRule}), which queue a node reports and which sent cell a report
 * is about ({@code Reports}, {@code JoinedQueues}, {@code SentCells}), and the queues themselves ({@code ShoalQueues}).
 *
 * <p>For failures and traffic classes: each connection ({@code NeighbourTable}), the reach of each relay
 * ({@code RelayReachability}), and the cells sent and accepted last ({@code SentCopies}, {@code AcceptedCells});
 * {@code Resilience} has the numbers. {@code QueueNumbers} lays all of it out.
 *
 * <p>Flows, payloads and deliveries belong to the pipeline, package {@code shoal.stage}.
 */
package dev.skerry.nic.shoal;
