/**
 * Recorded hardware, all nodes of a fabric at once: {@link dev.skerry.tools.score.ScoreCommand} reads what nodes sent
 * and received slot by slot, lets followers take the devices' legal choices over, and reports the law broken first.
 */
package dev.skerry.tools.score;
