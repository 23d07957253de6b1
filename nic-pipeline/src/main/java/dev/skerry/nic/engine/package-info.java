/**
 * Runs the banks of a fabric. {@link dev.skerry.nic.engine.LockStep} takes all nodes of a circuit fabric through slot
 * after slot and asks the schedule who is connected. {@link dev.skerry.nic.engine.FreeRunning} runs every bank of NICs
 * and every circuit switch as an agent, connected by links that carry one row per slot. Both give the same result, cell
 * for cell. {@link dev.skerry.nic.engine.LockStepWorkers} and {@link dev.skerry.nic.engine.FreeRunningThreads} start,
 * stop and join the threads of every engine, those of other packages too.
 */
package dev.skerry.nic.engine;
