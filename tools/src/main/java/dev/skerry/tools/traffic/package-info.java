/**
 * Workloads: flow traces in the formats of simulators ({@link dev.skerry.tools.traffic.TraceReader}) and seeded
 * generators ({@link dev.skerry.tools.traffic.Workload}). Both create a {@link dev.skerry.nic.flow.FlowSet}, the flows
 * of a run in order of their start slot. A generator draws from hashes of (seed, flow number, use) with arithmetic that
 * the Java specification fixes exactly, so a seed defines the same flows on every machine and JVM.
 */
package dev.skerry.tools.traffic;
