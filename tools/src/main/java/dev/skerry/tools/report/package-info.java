/**
 * The reports of a run. The engine's results are collected in a {@link dev.skerry.tools.report.RunResult}, from which
 * {@link dev.skerry.tools.report.Summary} computes the papers' statistics once. The writers only print them: {@link
 * dev.skerry.tools.report.TerminalReport} and {@link dev.skerry.tools.report.HtmlReport} for people, JSON for scripts,
 * {@link dev.skerry.tools.report.ResultFiles} for the folder of results.
 */
package dev.skerry.tools.report;
