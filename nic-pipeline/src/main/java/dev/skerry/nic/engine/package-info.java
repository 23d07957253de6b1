/**
 * Runs the banks of a fabric. {@link dev.skerry.nic.engine.LockStep} runs all nodes of a circuit fabric slot by slot
 * and derives the connections from the schedule. {@link dev.skerry.nic.engine.FreeRunning} runs every bank of NICs and
 * every circuit switch as an agent, connected by links that carry one row per slot. Both give the same result, cell for
 * cell. {@link dev.skerry.nic.engine.LockStepWorkers} and {@link dev.skerry.nic.engine.FreeRunningThreads} manage the
 * threads of every engine, including those of other packages.
 */
package dev.skerry.nic.engine;
