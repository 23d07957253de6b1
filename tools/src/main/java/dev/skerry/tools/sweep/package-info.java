/**
 * {@code skerry sweep}: a grid of settings times seeds, each point a run in a process of its own, kept in a folder that
 * the same command goes on with. {@link dev.skerry.tools.sweep.SweepPlan} says which runs there are,
 * {@link dev.skerry.tools.sweep.SweepStore} holds the finished ones, {@link dev.skerry.tools.sweep.SweepPool} runs the
 * others, {@link dev.skerry.tools.sweep.SweepSummary} takes means over seeds.
 */
package dev.skerry.tools.sweep;
