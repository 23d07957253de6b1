/**
 * Hosts that decide by acknowledgements what to send, for every fabric of packets (docs/spec/stardust.md §10): {@code
 * HostModel} says how, {@code Connections} which there are. {@code RenoSender}, with the windows of New Reno, DCTCP and
 * MPTCP, and {@code DcqcnSender}, with a rate, are sending ends, {@code RenoReceiver} the receiving one, and a {@code
 * TcpPacket} goes between them. {@code FlowOutcomes} keeps the fate of every flow.
 */
package dev.skerry.nic.host;
