/**
 * Messages between members over Aeron: shared memory on one machine, UDP between machines. {@code AeronNode} holds the
 * Aeron objects of this process, {@code AeronExchange} is the view of the engine, and {@code AeronExchange.Inbox} holds
 * the messages of a member.
 */
package dev.skerry.members;
