/**
 * The limits of the paper's end host (docs/spec/shale.md §9): entries of a PIEO, tokens of a return FIFO, active
 * buckets, cells of a shared FIFO, clocks of a slot. They stand before any congestion control as another one, so that a
 * run without limits knows nothing of them. What finds no place overflows into slow memory, is counted and comes back.
 */
package dev.skerry.nic.shale.limit;
