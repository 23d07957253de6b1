/**
 * The execution of a scenario: {@code RunDone} runs it, {@code ProgressLine} shows its progress, {@code LogOptions}
 * defines what its files show during the run, and {@code Checkpoints} writes its state and resumes from it.
 */
package dev.skerry.tools.execution;
