/**
 * Executes a scenario: {@code RunDone} runs it, {@code ProgressLine} shows its progress, {@code LogOptions} selects the
 * files that record its course, and {@code Checkpoints} writes its state and resumes from it.
 */
package dev.skerry.tools.execution;
