/**
 * Fabric Adapters, from queue to port (docs/spec/stardust.md §3, §5). {@code AdapterIngress} holds packets in virtual
 * output queues, fed by {@code HostFeed}, bounded by {@code VoqPolicer} and its {@code Gaps}; {@code ControlIntake}
 * hears requests and credits; {@code Bursts} cuts what a credit releases into cells, {@code AdapterCells} puts them on
 * links or, to the adapter itself, into a loop. {@code AdapterEgress} restores their order and hands whole packets to
 * ports.
 */
package dev.skerry.nic.stardust.adapter;
