/**
 * {@code skerry stat}: prints counters of dataplanes in other processes as a table, as JSON, or for Prometheus. A
 * {@code Snapshot} holds the contents of all counter files of a folder at one time. It marks the files of processes
 * that have ended.
 */
package dev.skerry.tools.stat;
