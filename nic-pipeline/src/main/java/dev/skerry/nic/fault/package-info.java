/**
 * What fails in a fabric, and when. A {@link dev.skerry.nic.fault.FaultPlan} lists the faults beforehand, in the same
 * form for all fabrics; a {@link dev.skerry.nic.fault.FaultState} says which hold in a slot. Faults belong to the
 * medium: cells are lost or damaged between the NICs, and the NICs detect that by the protocols of the papers.
 */
package dev.skerry.nic.fault;
