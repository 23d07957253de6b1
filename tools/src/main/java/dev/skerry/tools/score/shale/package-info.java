/** Recorded nodes of Shale, with their registers. */
package dev.skerry.tools.score.shale;
