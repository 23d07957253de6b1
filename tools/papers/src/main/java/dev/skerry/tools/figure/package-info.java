/**
 * The papers' figures, measured again. A {@link dev.skerry.tools.figure.Figure} runs what a figure or table of a paper
 * shows and returns {@link dev.skerry.tools.figure.Findings}: {@link dev.skerry.tools.figure.Findings.Check}s, each a
 * measured value beside the expected one with the rule that accepts it, and {@link dev.skerry.tools.plot.Plot}s. A
 * figure is a constant that names its source, in a class with those that share its runs; {@link
 * dev.skerry.tools.figure.FiguresCommand} lists them all.
 * Expected and accepted values stand there as in the specification, never fitted to measurements.
 */
package dev.skerry.tools.figure;
