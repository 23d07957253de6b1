/**
 * Queues of one thread: order and eligibility.
 *
 * <p>{@link dev.skerry.dataplane.queue.EligibilityQueues} is the bank of the data path, ranked by arrival;
 * entries that do not fit a queue's cache line wait in a {@link dev.skerry.dataplane.queue.SpillPool}. Steps over many
 * queues work on the columns of a {@link dev.skerry.dataplane.queue.CellBatch}, without branches ({@link
 * dev.skerry.dataplane.queue.Branchless}) or sorted by kind ({@link dev.skerry.dataplane.queue.KindPartition}).
 */
package dev.skerry.dataplane.queue;
