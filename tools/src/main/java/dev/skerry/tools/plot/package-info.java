/**
 * Plots, from numbers to pictures. A {@link dev.skerry.tools.plot.Plot} is the numbers; {@code plots.js} draws them on
 * a page with Vega-Lite; {@code StaticPlot} draws them without scripts, for print and for files. Why Vega-Lite, and why
 * a picture without scripts is drawn here, stands in {@code docs/decisions.md}.
 */
package dev.skerry.tools.plot;
