/**
 * Workloads: flow traces in the format of the papers' simulators ({@link dev.skerry.tools.traffic.TraceReader}) and
 * seeded generators ({@link dev.skerry.tools.traffic.Workload}). Both end in a {@link dev.skerry.nic.flow.FlowSet}, the
 * flows of a run in order of their start slot.
 *
 * <p>A generator draws from hashes of (seed, flow number, use) with arithmetic that the Java specification fixes to the
 * last bit, so a seed names the same flows on every machine and JVM, for ever. What is wrong with a file or an option
 * is refused here with an {@link dev.skerry.tools.input.InputException} that names the line or the value.
 */
package dev.skerry.tools.traffic;
