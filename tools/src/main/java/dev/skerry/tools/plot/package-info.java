/**
 * Plots, from numbers to pictures. A {@link dev.skerry.tools.plot.Plot} holds the numbers; {@code plots.js} draws them
 * on a page with Vega-Lite; {@code StaticPlot} draws them without scripts, for print and for files.
 * {@code docs/decisions.md} explains the choice of Vega-Lite and of separate pictures without scripts.
 */
package dev.skerry.tools.plot;
