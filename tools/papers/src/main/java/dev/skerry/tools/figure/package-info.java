/**
 * The papers' figures, measured again. A {@link dev.skerry.tools.figure.Figure} is a row of {@code figures.txt} and a
 * method that fills its {@link dev.skerry.tools.figure.Findings}: it sweeps points over seeds ({@link
 * dev.skerry.tools.figure.Effort}), lays the {@link dev.skerry.tools.figure.Sample}s beside what is expected, each with
 * the rule that accepts it, and adds {@link dev.skerry.tools.plot.Plot}s with lines of them. Figures that share runs
 * stand in one class, with the source of each; {@link dev.skerry.tools.figure.FiguresCommand} lists them all.
 * Expected and accepted values stand there as in the specification, never fitted to measurements.
 */
package dev.skerry.tools.figure;
