/**
 * Hosts, their packets and the ports of an adapter towards them (docs/spec/stardust.md §3.1, §5.2). {@code Packets}
 * says what packets a flow has: cut from its bytes ({@code FlowPackets}), sent by hosts that speak TCP ({@code
 * SentPackets})
 * or taken from real ports ({@code PortPackets} with {@code PortSide}). {@code PacedHosts} send at their rate; {@code
 * RenoHosts} decide by acknowledgements, with the senders and receivers of {@code nic.host}. {@code HostPorts} empty
 * towards hosts.
 */
package dev.skerry.nic.stardust.host;
