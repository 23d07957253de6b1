/**
 * Counters that other processes may read while a dataplane runs: a {@link dev.skerry.dataplane.counter.CounterFile}
 * maps a file that a {@link dev.skerry.dataplane.counter.CounterView} reads, both with Agrona's counters in it
 * ({@link dev.skerry.dataplane.counter.CounterLayout} has the rest). The path counts in plain fields; its threads copy
 * them into the file now and then, so that looking costs nobody anything. Agrona's buffers need
 * {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}, which the launcher and the jar's manifest give.
 */
package dev.skerry.dataplane.counter;
