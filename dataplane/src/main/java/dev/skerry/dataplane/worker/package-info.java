/**
 * The threads of a dataplane. An {@link org.agrona.concurrent.Agent} is a role with a {@code doWork()} that never
 * waits. {@link dev.skerry.dataplane.worker.AgentThreads} distributes agents over threads, starts and stops them
 * together, and reports the first failure to the owner. {@link dev.skerry.dataplane.worker.Idle} is the behaviour of a
 * thread whose agents had no work.
 */
package dev.skerry.dataplane.worker;
