/** Checks of arguments and of the invariants of runs. */
package dev.skerry.schedule.check;
