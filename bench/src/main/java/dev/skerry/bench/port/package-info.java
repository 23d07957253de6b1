/**
 * Packet ports beside DPDK: {@link dev.skerry.bench.port.MemifRates} lets testpmd and then a thread of ours do the same
 * work opposite the same testpmd, one after the other, and measures packets across a running fabric.
 */
package dev.skerry.bench.port;
