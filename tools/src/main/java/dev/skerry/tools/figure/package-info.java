/**
 * The papers' figures, measured again. A {@link dev.skerry.tools.figure.Figure} runs what a figure or table of a paper
 * shows and returns {@link dev.skerry.tools.figure.Findings}: {@link dev.skerry.tools.figure.Check}s, each a measured
 * value beside the expected one with the rule that accepts it, and {@link dev.skerry.tools.report.Plot}s. {@link
 * dev.skerry.tools.figure.FigureCatalogue} lists them all. A figure is one small class that names its source; what is
 * expected and what is accepted stands in it as in the specification, never fitted to what was measured.
 */
package dev.skerry.tools.figure;
