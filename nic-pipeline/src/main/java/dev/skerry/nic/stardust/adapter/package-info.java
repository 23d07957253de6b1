/**
 * Fabric Adapters, from queue to port (docs/spec/stardust.md §3, §5). {@code AdapterIngress} holds packets in virtual
 * output queues, fed by its {@code HostFeed}, bounded by {@code VoqPolicer}; {@code Requests} asks for credits, {@code
 * EgressScheduler} hands out the capacity of each port in credits, each port in a random order of its own, fewer where
 * cells come marked; {@code Bursts} cuts what a credit releases into cells. {@code AdapterEgress} restores their order
 * and hands whole packets to ports.
 */
package dev.skerry.nic.stardust.adapter;
