/**
 * What runs the banks of a circuit fabric. {@link dev.skerry.nic.engine.LockStep} takes all nodes through slot after
 * slot and asks the schedule who is connected. {@link dev.skerry.nic.engine.FreeRunning} makes an agent of every bank
 * of NICs and of every circuit switch, joined by links of one row a slot. Both give the same result, cell for cell.
 */
package dev.skerry.nic.engine;
