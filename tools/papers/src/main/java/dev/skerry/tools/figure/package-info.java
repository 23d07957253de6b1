/**
 * The papers' figures, measured again. A {@link dev.skerry.tools.figure.Figure} is a row of {@code figures.txt} and a
 * method that fills its {@link dev.skerry.tools.figure.Findings}: it sweeps points over seeds
 * ({@link dev.skerry.tools.figure.Effort}), compares the {@link dev.skerry.tools.figure.Sample}s with the expected
 * values by rules, and adds {@link dev.skerry.tools.plot.Plot}s. Figures that share runs are in one class;
 * {@link dev.skerry.tools.figure.FiguresCommand} lists all of them. Expected and accepted values are those of the
 * specification, never fitted to measurements.
 */
package dev.skerry.tools.figure;
