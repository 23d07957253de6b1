/**
 * Messages between members over Aeron: shared memory on one machine, UDP between machines. {@code AeronNode} is this
 * process's side of Aeron, {@code AeronExchange} what the engine sees, an {@code AeronExchange.Inbox} a member what it
 * has sent.
 */
package dev.skerry.members;
