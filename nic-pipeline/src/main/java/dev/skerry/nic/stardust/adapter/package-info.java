/**
 * Fabric Adapters, from queue to port (docs/spec/stardust.md §3, §5). {@code AdapterIngress} holds packets in virtual
 * output queues, fed by its {@code HostFeed}, bounded by {@code VoqPolicer}; its {@code Bursts} cuts what a credit
 * releases into cells. {@code AdapterEgress} restores their order and hands whole packets to ports.
 */
package dev.skerry.nic.stardust.adapter;
