/**
 * What a run leaves behind: tables, files, plots.
 */
package dev.skerry.tools.report;
