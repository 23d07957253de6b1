/** The figures, tables and results of the paper on Shale, a class each. */
package dev.skerry.tools.figure.shale;
