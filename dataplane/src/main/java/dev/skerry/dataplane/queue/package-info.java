/**
 * Queues of one thread: order and eligibility.
 *
 * <p>{@link dev.skerry.dataplane.queue.Pieo} is the PIEO scheduler as the hardware builds it, register for register of
 * its pointer array, with every output port readable: the reference model to compare RTL against.
 * {@link dev.skerry.dataplane.queue.PieoLayout} says where its state lies;
 * {@link dev.skerry.dataplane.queue.PieoList} is the definition both must agree with. {@link
 * dev.skerry.dataplane.queue.PieoTournament} is the fast form, for any ranks and send times: eligible elements in a
 * tournament tree, the others in a timing wheel.
 *
 * <p>{@link dev.skerry.dataplane.queue.EligibilityQueues} is the same order of service for the data path, a bank of
 * queues of one cache line each whose rank is the order of arrival; what does not fit its line waits in a
 * {@link dev.skerry.dataplane.queue.SpillPool}. Its steps over many queues at once work on the columns of a {@link
 * dev.skerry.dataplane.queue.CellBatch}, with coin tosses as numbers ({@link dev.skerry.dataplane.queue.Branchless});
 * where
 * nobody can predict what a thing wants done, a {@link dev.skerry.dataplane.queue.KindPartition} sorts them by it.
 */
package dev.skerry.dataplane.queue;
