/**
 * Benchmarks of packet ports against DPDK. {@link dev.skerry.bench.port.MemifRates} gives testpmd and then our thread
 * the same work at the other end of the same testpmd, and measures packets across a running fabric.
 */
package dev.skerry.bench.port;
