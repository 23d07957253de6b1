/**
 * {@code skerry stat}: prints the counters of dataplanes in other processes as a table, as JSON, or for Prometheus. A
 * {@code Snapshot} has the contents of all counter files of a folder at one time, and marks the processes that have
 * ended.
 *
 * <p>{@code skerry watch} serves a page of the same counters on the local host, protected by a token. Both read files
 * that the processes publish, so they do not disturb these processes.
 */
package dev.skerry.tools.stat;
