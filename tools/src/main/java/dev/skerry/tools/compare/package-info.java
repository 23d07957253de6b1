/**
 * Several fabrics under the same flows, side by side: a {@link dev.skerry.tools.compare.Contender} is what one of them
 * did, on which terms, in units that all share (ns, bytes, Gb/s); a {@link dev.skerry.tools.compare.Comparison} prints
 * them in columns and draws them into the same plots.
 */
package dev.skerry.tools.compare;
