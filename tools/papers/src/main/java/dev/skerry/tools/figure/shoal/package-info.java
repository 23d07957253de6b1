/** The figures, tables and results of the paper on Shoal, a class each. */
package dev.skerry.tools.figure.shoal;
