/**
 * One fabric in several processes, its members (docs/members.md): their addresses, from the command line or from Slurm,
 * and the check that all run the same. The transport of their messages is found as a service, because it is a separate
 * module.
 */
package dev.skerry.tools.members;
