/**
 * Packet-switched fat trees and leaf-spine networks with TCP, DCQCN or NDP hosts (docs/spec/fattree.md, ndp.md).
 * {@code FatTree} describes a network, {@code FatTreeEngine} runs it. Hosts and switches are divided among
 * {@code FatTreeBank}s. In a bank, {@code PacketForwarding} selects output ports, {@code PacketQueues} holds the queues
 * of all ports ({@code NdpQueues} if switches trim), and {@code PacketHosts} are the hosts.
 */
package dev.skerry.nic.fattree;
