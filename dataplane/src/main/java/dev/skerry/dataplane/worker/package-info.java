/**
 * The threads of a dataplane. What runs is an {@link org.agrona.concurrent.Agent}, a role with a {@code doWork()} that
 * never waits; {@link dev.skerry.dataplane.worker.AgentThreads} shares agents out over threads, starts and stops them
 * together, and brings the first failure back to the owner. {@link dev.skerry.dataplane.worker.Idle} is what a thread
 * does when none of its agents had work.
 */
package dev.skerry.dataplane.worker;
