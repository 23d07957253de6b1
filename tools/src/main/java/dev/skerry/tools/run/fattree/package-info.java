/** Packet-switched networks as a fabric of the tools: their options, and the network that the options describe. */
package dev.skerry.tools.run.fattree;
