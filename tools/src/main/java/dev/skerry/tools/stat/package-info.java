/**
 * {@code skerry stat}: prints counters of dataplanes in other processes as a table, as JSON, or for Prometheus. A
 * {@code Snapshot} holds the contents of all counter files of a folder at one time. It marks the files of processes
 * that have ended.
 *
 * <p>{@code skerry watch} serves a page of the same counters at the local host to who knows a token. Both read files
 * that processes publish, so they disturb nothing.
 */
package dev.skerry.tools.stat;
