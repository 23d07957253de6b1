/**
 * Packet-switched fat trees and leaf-spine networks with TCP, DCQCN or NDP hosts (docs/spec/fattree.md, ndp.md). A
 * {@code FatTree} describes a network, {@code FatTreeEngine} runs it. Its hosts and switches are divided among {@code
 * FatTreeBank}s. In a bank, {@code PacketForwarding} selects output ports, {@code PacketQueues} has the queues of all
 * ports, with {@code NdpQueues} for switches that trim, and {@code LinkPackets} are the packets on links. {@code
 * PacketHosts} are its hosts: {@code TcpHosts} or {@code NdpHosts}. {@code PacketWord} is the format of a packet.
 */
package dev.skerry.nic.fattree;
