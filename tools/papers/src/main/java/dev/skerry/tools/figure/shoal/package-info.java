/** The figures, tables and results of the paper on Shoal; a class has those that share their runs. */
package dev.skerry.tools.figure.shoal;
