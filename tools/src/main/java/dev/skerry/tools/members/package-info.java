/**
 * A fabric divided among several processes, its members (docs/members.md): their addresses, from the command line or
 * from Slurm, and the check that all run the same scenario. The transport of messages is a service, because it is a
 * separate module.
 */
package dev.skerry.tools.members;
