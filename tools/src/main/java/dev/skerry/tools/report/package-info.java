/**
 * What a run leaves behind. The engine fills a {@link dev.skerry.tools.report.RunResult};
 * {@link dev.skerry.tools.report.Summary} derives the papers' statistics from it once, and the writers only print them:
 * {@link dev.skerry.tools.report.TerminalReport} for eyes, its JSON for scripts,
 * {@link dev.skerry.tools.report.HtmlReport} for plots, {@link dev.skerry.tools.report.ResultFiles} for the folder.
 * A {@link dev.skerry.tools.report.Page} is what all pages are made of; the plots on it are those of
 * {@code dev.skerry.tools.plot}.
 */
package dev.skerry.tools.report;
