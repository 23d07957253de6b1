/** Packet-switched networks as a fabric of the tools: their options, and the network that these define. */
package dev.skerry.tools.run.fattree;
