/**
 * Packet switches in a fat tree or a leaf-spine network, with hosts that decide by acknowledgements
 * (docs/spec/fattree.md). A {@code FatTree} says what there is, {@code FatTreeEngine} runs it. A {@code FatTreeBank}
 * has some hosts and switches: {@code PacketForwarding} chooses the port that a packet leaves by, {@code PacketQueues}
 * has the queues of all ports, {@code LinkPackets} what crosses links. {@code PacketHosts} are the hosts of a bank,
 * {@code TcpHosts} those that speak TCP or DCQCN. A {@code PacketWord} says what a packet is.
 */
package dev.skerry.nic.fattree;
