/**
 * Packet switches with queues at their outputs and hosts that speak TCP: what Figure 10 of the Stardust paper compares
 * Stardust with (docs/spec/stardust.md §10, rows 12 to 14). {@code SwitchedNetwork} moves packets along the ports that
 * {@code Routes} says, {@code FatTreeRoutes} are those of a fat tree with ECMP.
 */
package dev.skerry.nic.stardust.switched;
