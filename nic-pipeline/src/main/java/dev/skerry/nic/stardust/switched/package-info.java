/**
 * Packet switches with queues at their outputs and hosts that speak TCP: what Figure 10 of the Stardust paper compares
 * Stardust with (docs/spec/stardust.md §10, rows 12 to 14). {@code SwitchedNetwork} moves packets along the ports of a
 * fat tree with ECMP, or of another network.
 */
package dev.skerry.nic.stardust.switched;
