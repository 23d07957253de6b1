/**
 * Fabric Adapters, from queue to port (docs/spec/stardust.md §3, §5). {@code AdapterIngress} holds packets in virtual
 * output queues; {@code HostFeed} feeds and {@code VoqPolicer} bounds them. {@code Requests} requests credits,
 * {@code EgressScheduler} grants the capacity of each port as credits, and {@code Bursts} cuts what a credit
 * releases into cells. {@code AdapterEgress} restores their order and hands whole packets to ports.
 */
package dev.skerry.nic.stardust.adapter;
