/**
 * {@code skerry sweep}: a grid of settings times seeds, each point a run in a separate process, kept in a folder from
 * which the same command resumes. {@link dev.skerry.tools.sweep.SweepPlan} defines the runs,
 * {@link dev.skerry.tools.sweep.SweepStore} holds the finished ones, {@link dev.skerry.tools.sweep.SweepPool} runs the
 * others, and {@link dev.skerry.tools.sweep.SweepSummary} computes means over seeds.
 */
package dev.skerry.tools.sweep;
