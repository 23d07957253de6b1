/**
 * What a run leaves behind. The engine fills a {@link dev.skerry.tools.report.RunResult};
 * {@link dev.skerry.tools.report.Summary} derives the papers' statistics from it once, and the writers only print them:
 * {@link dev.skerry.tools.report.TerminalReport} for eyes, {@link dev.skerry.tools.report.SummaryJson} for scripts,
 * {@link dev.skerry.tools.report.HtmlReport} for plots, {@link dev.skerry.tools.report.ResultFiles} for the folder.
 * A {@link dev.skerry.tools.report.Page} and its {@link dev.skerry.tools.report.Plot}s are what all pages are made of.
 *
 * <p>The plots are written as SVG here and not by a charting library, because a report must come out of a server that
 * has no fonts. XChart 4.0.3 and JFreeChart 1.5.6 both measure text with AWT and end in an error there ("Fontconfig
 * head is null", "No physical fonts found"). XChart also draws letters as outlines (470 kB a chart, no text to select
 * or to read aloud) through an LGPL exporter of 2017; JFreeChart's own exporter is GPL; both fix the colours, so a
 * page could not follow a dark screen. Five line charts with linear and logarithmic axes are a small price.
 */
package dev.skerry.tools.report;
