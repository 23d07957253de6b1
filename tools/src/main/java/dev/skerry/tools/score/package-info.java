/**
 * Checks recorded hardware, all nodes of a fabric at once: {@link dev.skerry.tools.score.ScoreCommand} reads what nodes
 * sent and received in each slot. Followers adopt the legal choices of the devices and report violations of laws, first
 * cause first.
 */
package dev.skerry.tools.score;
