/** The figures, tables and results of the paper on Stardust; those that share runs or a reader's question are in one class. */
package dev.skerry.tools.figure.stardust;
