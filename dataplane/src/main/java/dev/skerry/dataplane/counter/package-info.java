/**
 * Counters that other processes read while a dataplane runs. {@link dev.skerry.dataplane.counter.CounterFile} maps a
 * file of Agrona's counters, {@link dev.skerry.dataplane.counter.CounterView} reads it. The path
 * counts in plain fields; its threads copy them into the file from time to time, so readers cost nothing. Agrona's
 * buffers need {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}, which the launcher and the jar's manifest
 * give.
 */
package dev.skerry.dataplane.counter;
