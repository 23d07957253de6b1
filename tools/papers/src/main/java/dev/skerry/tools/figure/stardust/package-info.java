/** The figures, tables and results of the paper on Stardust, a class each. */
package dev.skerry.tools.figure.stardust;
