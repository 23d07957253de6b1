/**
 * Counters that other processes read while a dataplane runs. {@link dev.skerry.dataplane.counter.CounterFile} maps a
 * file of Agrona counters, {@link dev.skerry.dataplane.counter.CounterView} reads it. The data path counts in plain
 * fields, which its threads periodically copy into the file, so readers cost nothing. Agrona's buffers need
 * {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}, which the launcher and the jar's manifest provide.
 */
package dev.skerry.dataplane.counter;
