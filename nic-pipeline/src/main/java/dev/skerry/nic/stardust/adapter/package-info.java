/**
 * Fabric Adapters, from queue to port (docs/spec/stardust.md §3, §5). {@code AdapterIngress} holds packets in virtual
 * output queues, bounded by {@code VoqPolicer} and its {@code Gaps}; {@code ControlIntake} hears requests and credits;
 * {@code Bursts} cuts what a credit releases into cells; {@code AdapterEgress} restores their order and hands whole
 * packets to ports. {@code Loopback} keeps the cells that an adapter sends to itself.
 */
package dev.skerry.nic.stardust.adapter;
