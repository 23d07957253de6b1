/** The figures, tables and results of the paper on Stardust; a class has those that share their runs. */
package dev.skerry.tools.figure.stardust;
