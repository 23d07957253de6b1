/**
 * Traffic of a fabric: a {@link dev.skerry.nic.flow.FlowSet} lists the flows, {@link dev.skerry.nic.flow.FlowStarts}
 * determines when each becomes active, a {@link dev.skerry.nic.flow.PayloadStore} holds the payload of in-flight cells,
 * and the {@link dev.skerry.nic.flow.DeliveryLedger} accounts for deliveries.
 */
package dev.skerry.nic.flow;
