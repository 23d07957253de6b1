/**
 * Queues of one thread. {@link dev.skerry.dataplane.queue.EligibilityQueues} are the queues of the data path, ranked by
 * arrival, and {@link dev.skerry.dataplane.queue.RankedQueues} by any rank; entries beyond the cache line of a queue
 * are in a {@link dev.skerry.dataplane.queue.SpillPool}. Steps over many queues process the columns of a
 * {@link dev.skerry.dataplane.queue.CellBatch}, without branches ({@link dev.skerry.dataplane.queue.Branchless}) or
 * sorted by kind ({@link dev.skerry.dataplane.queue.KindPartition}).
 */
package dev.skerry.dataplane.queue;
