/**
 * What is sent across a fabric: {@link dev.skerry.nic.flow.FlowSet} names the flows, a {@code FlowTable} holds how far
 * each is, a {@code CellStore} holds the payload of cells under way, and the {@code Reassembler} counts what arrives.
 */
package dev.skerry.nic.flow;
