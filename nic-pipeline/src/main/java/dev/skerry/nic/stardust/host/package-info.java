/**
 * Hosts, their packets and the ports of an adapter towards them (docs/spec/stardust.md §3.1, §5.2). {@code Packets} are
 * the packets of a flow: computed from its bytes ({@code FlowPackets}), sent by hosts with TCP ({@code SentPackets}) or
 * taken from real ports ({@code PortPackets} with {@code PortSide}). {@code PacedHosts} send at the rate of their port,
 * {@code RenoHosts} use the TCP ends of {@code nic.host}, and {@code HostPorts} are the queues towards hosts.
 */
package dev.skerry.nic.stardust.host;
