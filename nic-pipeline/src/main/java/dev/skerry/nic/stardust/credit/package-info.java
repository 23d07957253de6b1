/**
 * Requests and credits (docs/spec/stardust.md §3, §5.1). {@code Requests} says when a queue asks, in the records of
 * {@code Requests}; {@code Control} carries requests and credits beside the cells; {@code EgressScheduler} hands out
 * the capacity of each port in credits, each in a random order of its own, lower where cells come marked.
 */
package dev.skerry.nic.stardust.credit;
