/** Shoal as a fabric of the tools: its options, and what they make of it. */
package dev.skerry.tools.run.shoal;
