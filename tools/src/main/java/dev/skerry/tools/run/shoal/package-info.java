/** Shoal as a fabric of the tools: its options, and the fabric that they define. */
package dev.skerry.tools.run.shoal;
