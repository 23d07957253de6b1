/**
 * One fabric in several processes, its members (docs/members.md): who they are, from the command line or from Slurm,
 * and that all run the same. What carries their messages is found by its service, as it is a module of its own.
 */
package dev.skerry.tools.members;
