/**
 * What goes wrong with a fabric and when: a {@link dev.skerry.nic.fault.FaultPlan} says it beforehand, for all fabrics
 * alike, and a {@link dev.skerry.nic.fault.FaultState} is what holds in a slot. Faults are the medium's: a cell that is
 * cut off or damaged is so between the NICs, which find out as the papers say they do.
 */
package dev.skerry.nic.fault;
