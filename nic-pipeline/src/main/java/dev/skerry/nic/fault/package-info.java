/**
 * Scheduled faults of a fabric. A {@link dev.skerry.nic.fault.FaultPlan} lists the faults in advance, in the same form
 * for all fabrics; a {@link dev.skerry.nic.fault.FaultState} gives those in effect in a slot. Faults belong to the
 * medium: cells are lost or damaged between the NICs, which detect this by the protocols of the papers.
 */
package dev.skerry.nic.fault;
