/**
 * A scenario carried out: {@code RunDone} runs it, {@code ProgressLine} shows where it is, {@code LogOptions} says what
 * its files show on the way, {@code Checkpoints} writes its state and goes on from it.
 */
package dev.skerry.tools.execution;
