/**
 * What every program shares: the one exception for wrong input ({@link dev.skerry.tools.input.InputException}), the
 * signal to stop ({@link dev.skerry.tools.input.StopSignal}), and options that name a choice. It imports nothing of the
 * tools.
 */
package dev.skerry.tools.input;
