/** The figures, tables and results of the paper on Shoal; those that share runs or a reader's question are in one class. */
package dev.skerry.tools.figure.shoal;
