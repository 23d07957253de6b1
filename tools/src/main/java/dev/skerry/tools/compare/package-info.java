/**
 * Several fabrics under the same flows: a {@link dev.skerry.tools.compare.Contender} holds the terms and results of one
 * of them in common units (ns, bytes, Gb/s); a {@link dev.skerry.tools.compare.Comparison} prints them in columns and
 * draws them into the same plots.
 */
package dev.skerry.tools.compare;
