/** Scores recorded Shale nodes and their registers. */
package dev.skerry.tools.score.shale;
