/**
 * TCP and DCQCN hosts for all fabrics that carry packets (docs/spec/stardust.md §10). {@code HostModel} holds their
 * parameters, {@code Connections} the connections of a run. Senders are {@code RenoSender}, with the windows of New
 * Reno, DCTCP and MPTCP, and {@code DcqcnSender}, with a rate; the receiver is {@code RenoReceiver}. They exchange
 * {@code TcpPacket}s. {@code FlowOutcomes} records the outcome of every flow.
 */
package dev.skerry.nic.host;
