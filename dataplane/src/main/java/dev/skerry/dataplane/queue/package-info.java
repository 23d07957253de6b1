/**
 * Queues of one thread: order and eligibility.
 */
package dev.skerry.dataplane.queue;
