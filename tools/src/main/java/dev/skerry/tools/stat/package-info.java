/**
 * {@code skerry stat}: counters of dataplanes in other processes, as a table, as JSON, or for Prometheus. A
 * {@code Snapshot} is what all files of a folder say at one time; those of processes that have ended are named as such.
 */
package dev.skerry.tools.stat;
