/** Scores recorded Shoal nodes. */
package dev.skerry.tools.score.shoal;
