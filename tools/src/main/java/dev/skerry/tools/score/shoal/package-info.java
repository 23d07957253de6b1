/** Recorded nodes of Shoal. */
package dev.skerry.tools.score.shoal;
