/**
 * Classes that every program shares: the exception for wrong input ({@link dev.skerry.tools.input.InputException}), the
 * signal to stop ({@link dev.skerry.tools.input.StopSignal}), and checks of options
 * ({@link dev.skerry.tools.input.Choices}).
 */
package dev.skerry.tools.input;
