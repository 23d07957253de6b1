/**
 * Shoal's mechanisms: the plan of a slot for a row of nodes ({@code ShoalSlotPlan}), when a cell of a flow may be
 * released to a relay ({@code Throttles}, {@code ReleaseRule}), which queue a node reports and which sent cell a report
 * is about ({@code Reports}, {@code JoinedQueues}, {@code SentCells}), and the queues themselves ({@code ShoalQueues}).
 *
 * <p>For failures and traffic classes: each connection ({@code NeighbourTable}), the reach of each relay
 * ({@code RelayReachability}), and the cells sent and accepted last ({@code SentCopies}, {@code AcceptedCells});
 * {@code Resilience} has the numbers.
 *
 * <p>State that a bank keeps for each link of each node lies by link, then node, as a slot serves one link of all
 * nodes: what it needs streams through memory. With a history, the whole of it lies by epoch modulo those kept:
 *
 * <pre>
 *   link 0                  link 1
 *   +--------+--------+--   +--------+--------+--
 *   | node 0 | node 1 | ..  | node 0 | node 1 | ..
 *   +--------+--------+--   +--------+--------+--
 * </pre>
 *
 * <p>The pipeline of a bank of NICs, in the order a cell meets it: {@code ShoalFlowScheduler} (flows to cells), {@code
 * ShoalTransmitter} (which cell joins a queue, which leaves it), the link and its circuits, {@code ShoalReceiver}
 * (deliver, or queue for the second hop). Both take a whole bank of nodes through each step together, and nodes that
 * {@code ShoalFailures} hinders one by one, between blocks of others. {@code ShoalParts} is what an engine asks for.
 *
 * <p>{@code ShoalFollower} follows nodes of Shoal that somebody else designed, by the rules of release and reports
 * (docs/spec/shoal.md §4).
 */
package dev.skerry.nic.shoal;
