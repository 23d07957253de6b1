/**
 * What is sent across a fabric: {@link dev.skerry.nic.flow.FlowSet} names the flows, a {@code GeneratorFlows} holds
 * how far
 * each is, a {@code PayloadStore} holds the payload of cells under way, and the {@code DeliveryLedger} counts what
 * arrives.
 */
package dev.skerry.nic.flow;
