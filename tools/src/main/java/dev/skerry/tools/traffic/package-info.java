/**
 * Workloads: flow traces in the formats of simulators ({@link dev.skerry.tools.traffic.TraceReader}) and seeded
 * generators ({@link dev.skerry.tools.traffic.Workload}). Both create a {@link dev.skerry.nic.flow.FlowSet}, which
 * contains the flows of a run in order of their start slots. Generators use hashes of (seed, flow number, use) with
 * arithmetic that the Java specification defines exactly, so a seed produces the same flows on every machine and JVM.
 */
package dev.skerry.tools.traffic;
